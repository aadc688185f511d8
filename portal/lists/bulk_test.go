package lists_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/lists"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store"
	"portico/store/storetest"
)

// office is a company with the rows of fill and two administrators.
type office struct {
	*portaltest.Platform
	boss, colleague access.Landing
}

func newOffice(t *testing.T, p *portaltest.Platform) office {
	t.Helper()
	boss := companytest.AddCompany(p, "zh")
	other := companytest.AddAccount(p, fmt.Sprint("colleague", boss.ID), boss.CompanyID, store.Mgr, "")
	storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE accounts SET type = 1, name = '陈静' WHERE id = %d", other.ID))
	fill(t, p, boss.CompanyID)
	other, err := p.DB.Accounts.ByID(t.Context(), boss.CompanyID, other.ID)
	portaltest.NoError(t, err)
	return office{p, p.LandingFor(boss), p.LandingFor(other)}
}

// ids returns the ids of the first n rows of a list in a state.
func (o office) ids(of lists.Name, state string, n int) (ids []int64) {
	o.T.Helper()
	for _, tool := range tools {
		if tool.name != string(of) {
			continue
		}
		got, err := tool.read(o.T.Context(), o.Platform, o.boss, lists.Input{State: state, Limit: "100", Sort: "date"})
		portaltest.NoError(o.T, err)
		for _, one := range got.rows {
			if len(ids) < n && one.Name != "" {
				ids = append(ids, one.ID)
			}
		}
	}
	if len(ids) != n {
		o.T.Fatalf("%s: %d rows, want %d", of, len(ids), n)
	}
	return ids
}

// shopAccounts returns the ids of n shop accounts in a state.
func (o office) shopAccounts(state store.AccountState, n int) []int64 {
	o.T.Helper()
	var ids []int64
	portaltest.NoError(o.T, o.DB.ReadRows(o.T.Context(), &ids, "SELECT id FROM accounts WHERE company_id = ? AND "+
		"side = 'shop' AND state = ? ORDER BY id LIMIT ?", o.boss.Member.CompanyID, state, n))
	return ids
}

// run does an action and returns its result.
func (o office) run(here access.Landing, in lists.BulkInput) lists.Bulk {
	o.T.Helper()
	portaltest.NoError(o.T, o.Lists.Run(o.From(portaltest.HomeAddress), here, in, "zh"))
	b, err := o.Lists.Result(o.T.Context(), here, in.List, in.Form)
	portaltest.NoError(o.T, err)
	return b
}

func (o office) count(query string, args ...any) int {
	o.T.Helper()
	var n []int
	portaltest.NoError(o.T, o.DB.ReadRows(o.T.Context(), &n, query, append([]any{o.boss.Member.CompanyID}, args...)...))
	return n[0]
}

func (o office) events(kind string) int { return o.CountEvents(o.boss.Member.CompanyID, kind) }

func TestThirtyApplicationsAreApprovedWhileAColleagueDecidesThree(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		ids := o.ids(lists.ApplicationList, "pending", 30)
		former := o.count("SELECT COUNT(*) FROM clients WHERE company_id = ?")
		in := lists.BulkInput{List: lists.ApplicationList, Action: lists.Approve, IDs: ids, Form: "f"}
		preview, err := p.Lists.Preview(t.Context(), o.boss, in, "zh")
		portaltest.NoError(t, err)
		if preview.Count() != 30 || len(preview.Rows) != 30 {
			t.Fatalf("%d of %d can be approved", preview.Count(), len(preview.Rows))
		}
		faster := ids[10:13] // decided after the preview, before the confirmation
		for _, id := range faster[:2] {
			_, decided, err := p.Application.Review(p.From(portaltest.HomeAddress), o.colleague,
				application.ReviewInput{ID: id, Reason: "材料不全"})
			if err != nil || !decided {
				t.Fatal(decided, err)
			}
		}
		portaltest.Together(2, func(i int) { // and one at the same time
			if i == 0 {
				err = p.Lists.Run(p.From(portaltest.HomeAddress), o.boss, in, "zh")
				return
			}
			_, _, err := p.Application.Review(p.From(portaltest.HomeAddress), o.colleague,
				application.ReviewInput{ID: ids[29], Approve: true})
			if err != nil {
				t.Error(err)
			}
		})
		portaltest.NoError(t, err)
		b, err := p.Lists.Result(t.Context(), o.boss, lists.ApplicationList, "f")
		portaltest.NoError(t, err)
		for _, row := range b.Rows {
			isRejected := slices.Contains(faster[:2], row.ID)
			switch {
			case isRejected && (row.Done || row.Obstacle != lists.Rejected || row.By != "陈静"):
				t.Errorf("rejected by the colleague: %+v", row)
			case row.ID == ids[29] && !row.Done && (row.Obstacle != lists.Approved || row.By != "陈静"):
				t.Errorf("approved by the colleague: %+v", row)
			case !isRejected && row.ID != ids[29] && !row.Done:
				t.Errorf("not approved: %+v", row)
			}
		}
		approved, rejected := o.events("application_approved"), o.events("application_rejected")
		customers := o.count("SELECT COUNT(*) FROM clients WHERE company_id = ?") - former
		if len(b.Rows) != 30 || approved != 28 || rejected != 2 || customers != 28 {
			t.Errorf(
				"%d rows, %d approvals, %d rejections, %d new customers", len(b.Rows), approved, rejected, customers,
			)
		}
	})
}

func TestTheSameFormSentAgainDoesNothingMore(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		in := lists.BulkInput{
			List: lists.OrderList, Action: lists.Confirm, IDs: o.ids(lists.OrderList, "new", 12), Form: "f",
		}
		portaltest.Together(4, func(int) {
			if err := p.Lists.Run(p.From(portaltest.HomeAddress), o.boss, in, "zh"); err != nil {
				t.Error(err)
			}
		})
		if b := o.run(o.boss, in); b.Count() != 12 || o.events("order_confirmed") != 12 {
			t.Errorf("%d done, %d events", b.Count(), o.events("order_confirmed"))
		}
		in.IDs = in.IDs[:3]
		portaltest.Refused(t, p.Lists.Run(t.Context(), o.boss, in, "zh"), access.WrongParameters)
		p.Clock.Advance(core.KeyKept + time.Second)
		_, err := p.Lists.Result(t.Context(), o.boss, lists.OrderList, "f")
		portaltest.Refused(t, err, access.NotFound)
	})
}

func TestAResultIsForTheAccountThatDidIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		o.run(o.boss, lists.BulkInput{
			List: lists.OrderList, Action: lists.Confirm, IDs: o.ids(lists.OrderList, "new", 2), Form: "f",
		})
		_, err := p.Lists.Result(t.Context(), o.colleague, lists.OrderList, "f")
		portaltest.Refused(t, err, access.NotFound)
		_, err = p.Lists.Result(t.Context(), o.boss, lists.PeopleList, "f")
		portaltest.Refused(t, err, access.NotFound)
		o.boss.Member.Type = store.TypeEmployee
		o.boss.Member.Company.EmployeeRights = "people"
		_, err = p.Lists.Result(t.Context(), o.boss, lists.OrderList, "f")
		portaltest.Refused(t, err, access.Forbidden)
	})
}

// A row that was chosen before somebody changed it says what it is now.
func TestRowsThatAreThereAlreadyStayAsTheyAre(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		for _, c := range []struct {
			list     lists.Name
			action   lists.Action
			ids      []int64
			obstacle lists.Obstacle
			before   bool // the action was done before
		}{
			{lists.OrderList, lists.Confirm, o.ids(lists.OrderList, "confirmed", 2), lists.Confirmed, true},
			{lists.ApplicationList, lists.Approve, o.ids(lists.ApplicationList, "rejected", 2), lists.Rejected, false},
			{lists.ApplicationList, lists.Reject, o.ids(lists.ApplicationList, "rejected", 2), lists.Rejected, true},
			{lists.CustomerList, lists.End, o.ids(lists.CustomerList, "ended", 2), lists.IsEnded, true},
			{lists.CustomerList, lists.Resume, o.ids(lists.CustomerList, "partner", 2), lists.IsPartner, true},
			{lists.PeopleList, lists.Disable, o.shopAccounts(store.AccountDisabled, 2), lists.IsDisabled, true},
			{lists.PeopleList, lists.Enable, o.shopAccounts(store.AccountActive, 2), lists.IsEnabled, true},
			{lists.PeopleList, lists.Invite, o.shopAccounts(store.AccountActive, 2), lists.NotInvited, false},
			{lists.PeopleList, lists.Disable, []int64{o.boss.Member.ID}, lists.OwnAccount, false},
			{lists.PeopleList, lists.Disable, []int64{1 << 40, 0, -1}, lists.Missing, false},
		} {
			in := lists.BulkInput{
				List: c.list, Action: c.action, IDs: append(slices.Clone(c.ids), c.ids[0]), Reason: "x",
				Form: fmt.Sprint("f", c.action, c.ids),
			}
			before := p.DumpRows()
			preview, err := p.Lists.Preview(t.Context(), o.boss, in, "zh")
			portaltest.NoError(t, err)
			if p.DumpRows() != before {
				t.Errorf("%s: a preview changes something", c.action)
			}
			for name, b := range map[string]lists.Bulk{"preview": preview, "result": o.run(o.boss, in)} {
				if len(b.Rows) != len(c.ids) || b.Count() != 0 || b.Rows[0].Obstacle != c.obstacle {
					t.Errorf("%s of %s: %+v, want %s", name, c.action, b.Rows, c.obstacle)
				}
				if b.WasDoneBefore() != c.before {
					t.Errorf("%s of %s with %s: done before is %t", name, c.action, c.obstacle, !c.before)
				}
			}
		}
	})
}

func TestDisablingAndEndingCanBeUndone(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		people, customers := o.shopAccounts(store.AccountActive, 5), o.ids(lists.CustomerList, "partner", 5)
		waiting := o.shopAccounts(store.AccountActive, 6)[5]
		storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE accounts SET state = 'under_review' WHERE id = %d", waiting))
		for _, c := range []struct {
			list   lists.Name
			action lists.Action
			ids    []int64
			undone int
		}{
			{lists.PeopleList, lists.Disable, people, 5}, {lists.PeopleList, lists.Enable, people, 5},
			{lists.CustomerList, lists.End, customers, 5}, {lists.CustomerList, lists.Resume, customers, 5},
			{lists.PeopleList, lists.Enable, []int64{waiting}, 0}, // disabling it would not make it wait again
		} {
			in := lists.BulkInput{List: c.list, Action: c.action, IDs: c.ids, Form: "do " + string(c.action)}
			if c.undone == 0 {
				in.Form += " waiting"
			}
			b, back := o.run(o.boss, in), []int64{}
			for _, row := range b.Rows {
				if row.CanUndo {
					back = append(back, row.ID)
				}
			}
			if b.Count() != len(c.ids) || len(back) != c.undone {
				t.Fatalf("%s: %+v", c.action, b.Rows)
			}
			if c.undone == 0 {
				continue
			}
			undo := lists.BulkInput{List: c.list, Action: b.Undo, IDs: back, Form: "undo " + in.Form}
			if b := o.run(o.boss, undo); b.Count() != 5 {
				t.Errorf("%s is not undone: %+v", c.action, b.Rows)
			}
			in.Form += " again"
			o.run(o.boss, in) // for the next action
		}
		for _, kind := range []string{
			"account_disabled", "account_enabled", "customer_ended", "customer_resumed",
		} {
			if n := o.events(kind); n < 15 {
				t.Errorf("%d events %s, want at least 15", n, kind)
			}
		}
	})
}

func TestWhoMayNotDoAnActionIsRefused(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		employee := o.colleague
		employee.Member.Type = store.TypeEmployee
		employee.Member.Company.EmployeeRights = "customers applications people"
		storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE accounts SET type = 2 WHERE id = %d", employee.Member.ID))
		order, customer := o.ids(lists.OrderList, "new", 1), o.ids(lists.CustomerList, "partner", 1)
		many := make([]int64, 201)
		for i := range many {
			many[i] = int64(i + 1)
		}
		before := p.DumpRows()
		most := lists.BulkInput{List: lists.OrderList, Action: lists.Confirm, IDs: many[:200]}
		if preview, err := p.Lists.Preview(t.Context(), o.boss, most, "zh"); err != nil || len(preview.Rows) != 200 {
			t.Errorf("%d rows, %v", len(preview.Rows), err)
		}
		most.IDs = many
		_, err := p.Lists.Preview(t.Context(), o.boss, most, "zh")
		portaltest.WantField(t, err, "id", lists.TooManyChosen)
		for _, c := range []struct {
			here access.Landing
			in   lists.BulkInput
			want access.Refusal
		}{
			{employee, lists.BulkInput{List: lists.OrderList, Action: lists.Confirm, IDs: order}, access.Forbidden},
			{employee, lists.BulkInput{List: lists.CustomerList, Action: lists.End, IDs: customer}, access.Forbidden},
			{employee, lists.BulkInput{List: lists.PeopleList, Action: lists.Disable, IDs: order}, access.Forbidden},
			{employee, lists.BulkInput{List: lists.ApplicationList, Action: lists.Approve, IDs: order},
				access.Forbidden},
			{p.LandingFor(p.Account("buyer1")),
				lists.BulkInput{List: lists.OrderList, Action: lists.Confirm, IDs: order}, access.NotFound},
			{o.boss, lists.BulkInput{List: lists.OrderList, Action: lists.End, IDs: order}, access.BadRequest},
			{o.boss, lists.BulkInput{List: lists.OrderList, Action: "delete", IDs: order}, access.BadRequest},
			{o.boss, lists.BulkInput{List: "audit", Action: lists.Confirm, IDs: order}, access.BadRequest},
			{o.boss, lists.BulkInput{List: lists.OrderList, Action: lists.Confirm}, access.ValidationFailed},
			{o.boss, lists.BulkInput{List: lists.OrderList, Action: lists.Confirm, IDs: many}, access.ValidationFailed},
		} {
			c.in.Form = "f"
			_, err := p.Lists.Preview(t.Context(), c.here, c.in, "zh")
			portaltest.Refused(t, err, c.want)
			portaltest.Refused(t, p.Lists.Run(t.Context(), c.here, c.in, "zh"), c.want)
		}
		reject := lists.BulkInput{
			List: lists.ApplicationList, Action: lists.Reject, IDs: o.ids(lists.ApplicationList, "pending", 2),
			Form: "f",
		}
		portaltest.WantField(t, p.Lists.Run(t.Context(), o.boss, reject, "zh"), "reason", access.FieldRequired)
		reject.Reason = "\x01"
		portaltest.WantField(t, p.Lists.Run(t.Context(), o.boss, reject, "zh"), "reason", access.TextMalformed)
		reject.Reason, reject.Form = "材料不全", ""
		portaltest.Refused(t, p.Lists.Run(t.Context(), o.boss, reject, "zh"), access.BadRequest)
		if p.DumpRows() != before {
			t.Error("a refused action changed something")
		}
	})
}

func TestRowsOfOtherCompaniesAreMissingAndStayAsTheyAre(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		stranger := p.LandingFor(companytest.AddCompany(p, "zh"))
		rows := func() string { return p.DumpRows("idempotency_keys") }
		for _, c := range []struct {
			action lists.Action
			list   lists.Name
			ids    []int64
		}{
			{lists.Confirm, lists.OrderList, o.ids(lists.OrderList, "new", 3)},
			{lists.Approve, lists.ApplicationList, o.ids(lists.ApplicationList, "pending", 3)},
			{lists.Reject, lists.ApplicationList, o.ids(lists.ApplicationList, "pending", 3)},
			{lists.End, lists.CustomerList, o.ids(lists.CustomerList, "partner", 3)},
			{lists.Resume, lists.CustomerList, o.ids(lists.CustomerList, "ended", 3)},
			{lists.Disable, lists.PeopleList, o.shopAccounts(store.AccountActive, 3)},
			{lists.Enable, lists.PeopleList, o.shopAccounts(store.AccountDisabled, 3)},
			{lists.Invite, lists.PeopleList, o.shopAccounts(store.AccountActive, 3)},
		} {
			in := lists.BulkInput{List: c.list, Action: c.action, IDs: c.ids, Reason: "x", Form: string(c.action)}
			before := rows()
			preview, err := p.Lists.Preview(t.Context(), stranger, in, "zh")
			portaltest.NoError(t, err)
			portaltest.NoError(t, p.Lists.Run(p.From(portaltest.HomeAddress), stranger, in, "zh"))
			result, err := p.Lists.Result(t.Context(), stranger, c.list, in.Form)
			portaltest.NoError(t, err)
			for _, row := range append(preview.Rows, result.Rows...) {
				if row.Done || row.Obstacle != lists.Missing || row.Name != access.Decimal(row.ID) || row.By != "" {
					t.Errorf("%s of another company's row: %+v", c.action, row)
				}
			}
			if rows() != before {
				t.Errorf("%s changed another company's rows", c.action)
			}
		}
	})
}

func TestAnActionOnManyRowsEndsAfterTwentySeconds(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		began := time.Now()
		ends, err := p.Lists.ActionDeadline(t.Context(), o.boss, o.ids(lists.OrderList, "new", 1))
		if err != nil || ends.Before(began.Add(20*time.Second)) || ends.After(time.Now().Add(20*time.Second)) {
			t.Errorf("it ends %v after its begin, %v", ends.Sub(began), err)
		}
	})
}

// A browser that has gone does not leave a part of the rows undone.
func TestAnActionGoesOnWhenTheBrowserHasGone(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		ids := o.ids(lists.OrderList, "new", 20)
		ctx, cancel := context.WithCancel(p.From(portaltest.HomeAddress))
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			for o.CountEvents(o.boss.Member.CompanyID, "order_confirmed") == 0 {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		in := lists.BulkInput{List: lists.OrderList, Action: lists.Confirm, IDs: ids, Form: "f"}
		portaltest.NoError(t, p.Lists.Run(ctx, o.boss, in, "zh"))
		<-gone
		b, err := p.Lists.Result(t.Context(), o.boss, lists.OrderList, "f")
		if err != nil || b.Count() != 20 {
			t.Errorf("%d of 20 are confirmed, %v", b.Count(), err)
		}
	})
}
