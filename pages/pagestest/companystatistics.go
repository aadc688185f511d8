package pagestest

import (
	"time"

	"portico/store"
)

// Counting gives company 1001 an address for statistics, as if an administrator had set it.
func (s *Site) Counting(address string) {
	s.T.Helper()
	c, err := s.Db.CompanyByID(s.T.Context(), 1001)
	if err != nil {
		s.T.Fatal(err)
	}
	c.ViewCountURL, c.UpdatedAt = address, store.At(s.Clock)
	if err := s.Db.UpdateCompany(s.T.Context(), c); err != nil {
		s.T.Fatal(err)
	}
	s.Clock = s.Clock.Add(2 * time.Second)
}
