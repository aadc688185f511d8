package pagestest

import "portico/store"

// AuditEvents are those of a kind in the log of company 1001.
func (s *Site) AuditEvents(kind string) (all []store.AuditEvent) {
	s.T.Helper()
	log, err := s.DB.AuditEvents(s.T.Context(), 1001, 1000)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, e := range log {
		if e.Kind == kind {
			all = append(all, e)
		}
	}
	return all
}
