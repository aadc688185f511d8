package access_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
)

func TestTheAuditLogIsReadPageByPageNewestFirst(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for i := range access.AuditPage + 3 {
			companytest.AddEvent(p, 1002, 0, "order_placed", fmt.Sprint(i))
		}
		here := p.Office("sur")
		first, err := p.Access.Audit(t.Context(), here, "", 0)
		if err != nil || len(first.Events) != access.AuditPage || first.Older != first.Events[access.AuditPage-1].ID {
			t.Fatalf("%d, %d, %v", len(first.Events), first.Older, err)
		}
		rest, err := p.Access.Audit(t.Context(), here, "", first.Older)
		if err != nil || len(rest.Events) != 3 || rest.Older != 0 {
			t.Errorf("%+v, %v", rest, err)
		}
		all, err := p.Access.AuditAll(t.Context(), here, "")
		if err != nil || len(all) != access.AuditPage+3 ||
			!slices.IsSortedFunc(all, func(a, b access.AuditEvent) int { return int(b.ID - a.ID) }) {
			t.Errorf("%d, %v", len(all), err)
		}
	})
}

func TestTheAuditLogNamesPeopleOfTheCompanyAndNoSecrets(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Office("jinsui")
		companytest.AddEvent(p, 1001, here.Member.ID, "registration_set", "")
		// another company's account names nobody
		companytest.AddEvent(p, 1001, p.Account("sur").ID, "order_placed", "5")
		companytest.AddEvent(p, 1001, 0, "domain_verified", "shop.acme.com")
		companytest.AddEvent(p, 1001, 0, "code_sent", "13800000001")
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "mall", "open"))
		list, err := p.Access.Audit(t.Context(), here, "", 0)
		portaltest.NoError(t, err)
		got := list.Events[:5]
		if !got[0].Operator || got[0].Login != "" || got[0].Kind != "company_set" ||
			got[2].Host != "shop.acme.com" || got[3].Login != "" ||
			got[4].Login != "jinsui" || got[4].Name != here.Member.Name ||
			got[4].Address != "203.0.113.77" {
			t.Errorf("%+v", got)
		}
		if strings.Contains(fmt.Sprint(list), "13800000001") {
			t.Error("a detail that is no host is shown")
		}
	})
}

func TestTheAuditLogIsFilteredByKindAndShowsOnlyTheOwnCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for group, kinds := range access.AuditKinds {
			for _, kind := range kinds {
				companytest.AddEvent(p, 1002, 0, kind, "")
				companytest.AddEvent(p, 1001, 0, kind, "")
			}
			list, err := p.Access.Audit(t.Context(), p.Office("sur"), group, 0)
			if err != nil || len(list.Events) != len(kinds) {
				t.Errorf("%s: %d, %v", group, len(list.Events), err)
			}
		}
		_, err := p.Access.Audit(t.Context(), p.Office("sur"), "others", 0)
		portaltest.Refused(t, err, access.NotFound)
		ours, err := p.Access.AuditAll(t.Context(), p.Office("jinsui"), "")
		portaltest.NoError(t, err)
		theirs, err := p.Access.Audit(t.Context(), p.Office("sur"), "", ours[0].ID)
		portaltest.NoError(t, err)
		for _, e := range theirs.Events {
			if slices.ContainsFunc(ours, func(o access.AuditEvent) bool { return o.ID == e.ID }) {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestEmployeesReadTheAuditLogOnlyWithTheRight(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for login, want := range map[string]access.Refusal{"li.manager": access.Forbidden, "buyer1": access.NotFound} {
			_, err := p.Access.Audit(t.Context(), p.Office(login), "", 0)
			portaltest.Refused(t, err, want)
			_, err = p.Access.AuditAll(t.Context(), p.Office(login), "")
			portaltest.Refused(t, err, want)
		}
		portaltest.NoError(t, p.Backoffice.SetEmployeeRights(t.Context(), p.Office("jinsui"),
			backoffice.EmployeeRightsInput{Rights: []access.Right{access.RightAudit}}))
		list, err := p.Access.Audit(t.Context(), p.Office("li.manager"), access.AuditSettings, 0)
		if err != nil || len(list.Events) != 1 || list.Events[0].Kind != "employee_rights_set" {
			t.Errorf("%+v, %v", list, err)
		}
	})
}
