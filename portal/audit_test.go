package portal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"portico/portal"
	"portico/store"
)

// happens writes an event of a company.
func (p *platform) happens(company, account int64, kind, detail string) {
	p.t.Helper()
	who := store.Member{Account: store.Account{ID: account, CompanyID: company, PhoneID: 7}}
	asked := portal.WithCaller(p.t.Context(), portal.Caller{Address: "203.0.113.77", RequestID: "r-9"})
	noError(p.t, p.NoteEvent(asked, kind, who, detail))
}

func TestTheAuditLogIsReadPageByPageNewestFirst(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for i := range portal.AuditPage + 3 {
			p.happens(1002, 0, "order_placed", fmt.Sprint(i))
		}
		here := p.office("sur")
		first, err := p.Audit(t.Context(), here, "", 0)
		if err != nil || len(first.Events) != portal.AuditPage || first.Older != first.Events[portal.AuditPage-1].ID {
			t.Fatalf("%d, %d, %v", len(first.Events), first.Older, err)
		}
		rest, err := p.Audit(t.Context(), here, "", first.Older)
		if err != nil || len(rest.Events) != 3 || rest.Older != 0 {
			t.Errorf("%+v, %v", rest, err)
		}
		all, err := p.AuditAll(t.Context(), here, "")
		if err != nil || len(all) != portal.AuditPage+3 || !slices.IsSortedFunc(all, func(a, b portal.AuditEvent) int { return int(b.ID - a.ID) }) {
			t.Errorf("%d, %v", len(all), err)
		}
	})
}

func TestTheAuditLogNamesWhoOfTheCompanyAndTellsNoSecret(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.office("jinsui")
		p.happens(1001, here.Member.ID, "registration_set", "")
		p.happens(1001, p.account("sur").ID, "order_placed", "5") // another company's account names nobody
		p.happens(1001, 0, "domain_verified", "shop.acme.com")
		p.happens(1001, 0, "code_sent", "13800000001")
		noError(t, p.SetCompany(t.Context(), 1001, "mall", "open"))
		list, err := p.Audit(t.Context(), here, "", 0)
		noError(t, err)
		got := list.Events[:5]
		if !got[0].Operator || got[0].Login != "" || got[0].Kind != "company_set" || got[2].Host != "shop.acme.com" || got[3].Login != "" ||
			got[4].Login != "jinsui" || got[4].Name != here.Member.Name || got[4].Address != "203.0.113.77" {
			t.Errorf("%+v", got)
		}
		if strings.Contains(fmt.Sprint(list), "13800000001") {
			t.Error("a detail that is no host is told")
		}
	})
}

func TestTheAuditLogIsReadByKindAndOfOnesOwnCompanyAlone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for group, kinds := range portal.AuditKinds {
			for _, kind := range kinds {
				p.happens(1002, 0, kind, "")
				p.happens(1001, 0, kind, "")
			}
			list, err := p.Audit(t.Context(), p.office("sur"), group, 0)
			if err != nil || len(list.Events) != len(kinds) {
				t.Errorf("%s: %d, %v", group, len(list.Events), err)
			}
		}
		_, err := p.Audit(t.Context(), p.office("sur"), "others", 0)
		refused(t, err, portal.NotFound)
		ours, err := p.AuditAll(t.Context(), p.office("jinsui"), "")
		noError(t, err)
		theirs, err := p.Audit(t.Context(), p.office("sur"), "", ours[0].ID)
		noError(t, err)
		for _, e := range theirs.Events {
			if slices.ContainsFunc(ours, func(o portal.AuditEvent) bool { return o.ID == e.ID }) {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestEmployeesReadTheAuditLogWhereTheyMay(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for login, want := range map[string]portal.Refusal{"li.manager": portal.Forbidden, "buyer1": portal.NotFound} {
			_, err := p.Audit(t.Context(), p.office(login), "", 0)
			refused(t, err, want)
			_, err = p.AuditAll(t.Context(), p.office(login), "")
			refused(t, err, want)
		}
		noError(t, p.SetEmployeeRights(t.Context(), p.office("jinsui"),
			portal.EmployeeRightsInput{Rights: []portal.Right{portal.RightAudit}}))
		list, err := p.Audit(t.Context(), p.office("li.manager"), portal.AuditSettings, 0)
		if err != nil || len(list.Events) != 1 || list.Events[0].Kind != "employee_rights_set" {
			t.Errorf("%+v, %v", list, err)
		}
	})
}
