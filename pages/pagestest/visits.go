package pagestest

import (
	"time"

	"portico/store"
)

// Shown adds page views of company 1001, as many days ago.
func (s *Site) Shown(daysAgo int, page, device string, n int64) {
	s.T.Helper()
	day := store.DayOf(s.Clock.In(time.FixedZone("", 8*60*60))) - store.Day(daysAgo)
	if err := s.Db.AddViews(s.T.Context(), []store.PageViews{{ViewKey: store.ViewKey{CompanyID: 1001, Day: day, Page: page, Device: device}, Views: n}}); err != nil {
		s.T.Fatal(err)
	}
}
