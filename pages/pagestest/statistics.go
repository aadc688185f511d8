package pagestest

import (
	"time"

	"portico/store"
)

const PhoneAgent = "Mozilla/5.0 (Linux; Android 13; CUBOT X18) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/130.0.0.0 Mobile Safari/537.36"

// Viewed is what is counted of a company since the site was made, by page and kind of device.
func (s *Site) Viewed(companyID int64) map[string]int64 {
	s.T.Helper()
	if err := s.P.Statistics.WriteViews(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
	rows, err := s.Db.Views.OfCompany(s.T.Context(), companyID, 0)
	if err != nil {
		s.T.Fatal(err)
	}
	all := map[string]int64{}
	for _, r := range rows {
		all[r.Page+" "+r.Device] += r.Views
	}
	return all
}

// Counting gives company 1001 an address for statistics, as if an administrator had set it.
func (s *Site) Counting(address string) {
	s.T.Helper()
	c, err := s.Db.Companies.ByID(s.T.Context(), 1001)
	if err != nil {
		s.T.Fatal(err)
	}
	c.ViewCountURL, c.UpdatedAt = address, store.At(s.Clock)
	if err := s.Db.Companies.Update(s.T.Context(), c); err != nil {
		s.T.Fatal(err)
	}
	s.Clock = s.Clock.Add(2 * time.Second)
}
