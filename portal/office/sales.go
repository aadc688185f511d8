package office

import (
	"context"
	"time"

	"portico/portal/access"
	"portico/store"
)

const (
	// SalesDays is how many days of orders the first page shows, today the last of them.
	SalesDays = 14
	// ApplicationWeeks is how many weeks of applications the first page shows, this week the last of them.
	ApplicationWeeks = 8
	// applicationsRead is how many applications are read for that. Weeks that are not read whole are left out.
	applicationsRead = 1000
)

// Sales are the orders of the last SalesDays days. Earlier is what was ordered yesterday up to this time of day, which
// is what today can be compared with.
type Sales struct {
	Days    []SalesDay
	Earlier SalesDay
}

// Today returns the orders of today.
func (s Sales) Today() SalesDay { return s.Days[len(s.Days)-1] }

// Yesterday returns the orders of the whole of yesterday.
func (s Sales) Yesterday() SalesDay { return s.Days[len(s.Days)-2] }

// SalesDay is what was ordered on a day. Day is its noon, Total in cents.
type SalesDay struct {
	Day    time.Time
	Orders int
	Total  int64
}

// sales reads the orders of the last days. Days begin and end where companies keep their days.
func (v *Overview) sales(ctx context.Context, lists *store.DB, companyID int64) (*Sales, error) {
	now := v.core.Now().In(access.CompanyDay)
	_, offset := now.Zone()
	today := store.DayOf(now)
	first := today - SalesDays + 1
	sums, err := lists.Reports.OrdersByDay(ctx, companyID, beginning(first), store.At(now), int64(offset)*1000)
	if err != nil {
		return nil, err
	}
	s := Sales{Days: make([]SalesDay, SalesDays), Earlier: SalesDay{Day: (today - 1).In(access.CompanyDay)}}
	for i := range s.Days {
		s.Days[i].Day = (first + store.Day(i)).In(access.CompanyDay)
	}
	for _, sum := range sums {
		if sum.Day > today { // placed by a clock that is ahead
			continue
		}
		day := &s.Days[sum.Day-first]
		day.Orders += sum.Orders
		day.Total += sum.Total
		if sum.Day == today-1 && sum.IsEarly {
			s.Earlier.Orders, s.Earlier.Total = sum.Orders, sum.Total
		}
	}
	return &s, nil
}

// beginning returns when a day begins.
func beginning(d store.Day) store.Instant {
	return store.At(d.In(access.CompanyDay).Add(-12 * time.Hour))
}

// Week is a week of applications, which begins on the Monday Begins. Wait is the mean time between sending and decision
// of those that are decided, 0 when none is.
type Week struct {
	Begins       time.Time
	Applications int
	Decided      int
	Wait         time.Duration
}

// weeks reads the applications of the last weeks by the week in which they were sent. A week of which not all
// applications were read is left out with those before it.
func (v *Overview) weeks(ctx context.Context, lists *store.DB, companyID int64) ([]Week, error) {
	monday := mondayOf(store.DayOf(v.core.Now().In(access.CompanyDay)))
	first := monday - 7*(ApplicationWeeks-1)
	sums, err := lists.Reports.ApplicationsByWeek(ctx, companyID, beginning(first), applicationsRead)
	if err != nil {
		return nil, err
	}
	weeks := make([]Week, ApplicationWeeks)
	for i := range weeks {
		weeks[i].Begins = (first + store.Day(7*i)).In(access.CompanyDay)
	}
	read := 0
	for _, sum := range sums {
		read += sum.Applications
		if sum.Week >= ApplicationWeeks { // sent by a clock that is ahead
			continue
		}
		week := &weeks[sum.Week]
		week.Applications, week.Decided = sum.Applications, sum.Decided
		week.Wait = time.Duration(sum.Waited/int64(max(1, sum.Decided))) * time.Millisecond
	}
	if read == applicationsRead {
		return weeks[min(sums[0].Week+1, ApplicationWeeks):], nil
	}
	return weeks, nil
}

// mondayOf returns the Monday of a day's week. Day 0 was a Thursday.
func mondayOf(d store.Day) store.Day { return d - (d+3)%7 }
