package office

import (
	"context"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Overview reads the figures of a back office. It is safe for concurrent use.
type Overview struct {
	core *core.Core
}

// NewOverview makes an Overview.
func NewOverview(c *core.Core) *Overview {
	return &Overview{core: c}
}

// Today returns noon of the current day, as companies keep their days.
func (v *Overview) Today() time.Time { return v.core.Statistics.Today().In(access.CompanyDay) }

// Samples are the samples among the figures of an Office.
type Samples = store.SampleUse

// Office is the first page of a company's back office. Counts go up to CountShown+1. What the reader may not see is 0
// or nil. NewOrders leaves samples out; the other figures include them, and Samples says how many.
type Office struct {
	Samples   Samples
	NewOrders int
	Sales     *Sales
	Latest    []store.Order
	Customers int
	Pending   int             // pending applications
	Weeks     []Week          // of applications
	Offered   int             // accounts that nobody has accepted yet
	Visits    []core.VisitDay // the last VisitWeek days
	SignIns   *core.SignIns   // of the people who can enter the company
	Setup     []SetupStep     // what a new company does first, none for others
}

// officeLatest is how many orders the first page of the back office shows.
const officeLatest = 5

// Office reads the first page of a company's back office, as far as the account's rights allow.
func (v *Overview) Office(ctx context.Context, here access.Landing) (o Office, err error) {
	m, lists := here.Member, v.core.DB.ForLists(ctx)
	if access.May(m, access.RightOrders) {
		if err = v.orders(ctx, lists, m, &o); err != nil {
			return o, err
		}
	}
	if err = v.samples(ctx, lists, m, &o); err != nil {
		return o, err
	}
	if access.May(m, access.RightCustomers) {
		if o.Customers, err = lists.Clients.Count(ctx, m.CompanyID, core.CountShown+1); err != nil {
			return o, err
		}
	}
	if access.May(m, access.RightApplications) {
		if o.Pending, err = lists.Applications.CountPending(ctx, m.CompanyID, core.CountShown+1); err != nil {
			return o, err
		}
		if o.Weeks, err = v.weeks(ctx, lists, m.CompanyID); err != nil {
			return o, err
		}
	}
	if access.May(m, access.RightPeople) {
		if o.Offered, err = lists.Reports.CountOffered(ctx, m.CompanyID, core.CountShown+1); err != nil {
			return o, err
		}
	}
	if access.May(m, access.RightAudit) {
		if o.Visits, err = v.core.Statistics.VisitWeek(ctx, m.CompanyID); err != nil {
			return o, err
		}
		signIns, err := v.core.Statistics.SignInsOf(ctx, m.CompanyID)
		if err != nil {
			return o, err
		}
		o.SignIns = &signIns
	}
	o.Setup, err = v.setup(ctx, m)
	return o, err
}

// orders adds what a reader with RightOrders sees.
func (v *Overview) orders(ctx context.Context, lists *store.DB, m store.Member, o *Office) (err error) {
	o.NewOrders, err = lists.Reports.CountNewOrders(ctx, m.CompanyID, core.CountShown+1)
	if err != nil {
		return err
	}
	if o.Sales, err = v.sales(ctx, lists, m.CompanyID); err != nil {
		return err
	}
	o.Latest, err = lists.Orders.OfCompany(ctx, m.CompanyID, store.NewestOrder, officeLatest)
	return err
}

// samples adds how many samples are among the figures that the reader may see.
func (v *Overview) samples(ctx context.Context, lists *store.DB, m store.Member, o *Office) error {
	all, err := lists.Reports.SamplesOf(ctx, m.CompanyID, beginning(store.DayOf(v.core.Now().In(access.CompanyDay))))
	if err != nil {
		return err
	}
	if access.May(m, access.RightOrders) {
		o.Samples = all
	}
	o.Samples.Customers = 0
	if access.May(m, access.RightCustomers) {
		o.Samples.Customers = all.Customers
	}
	return nil
}

// Waiting is what waits for the reader: orders to confirm, without samples, and applications to review. Counts go up to
// core.WaitingShown+1; what the reader may not decide is 0.
type Waiting struct{ Orders, Applications int }

// Waiting counts what waits for the reader, for the menu.
func (v *Overview) Waiting(ctx context.Context, here access.Landing) (w Waiting, err error) {
	m, most := here.Member, core.WaitingShown+1
	if access.May(m, access.RightOrders) {
		if w.Orders, err = v.core.DB.Reports.CountNewOrders(ctx, m.CompanyID, most); err != nil {
			return w, err
		}
	}
	if access.May(m, access.RightReview) {
		w.Applications, err = v.core.DB.Applications.CountPending(ctx, m.CompanyID, most)
	}
	return w, err
}
