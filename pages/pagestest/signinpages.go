package pagestest

import (
	"fmt"
	"net/http"

	"portico/store"
)

// AddCompanies adds companies with the ids from first on.
func (s *Site) AddCompanies(first, count int64) {
	s.T.Helper()
	for id := first; id < first+count; id++ {
		if _, err := s.Db.SaveCompany(s.T.Context(), store.Company{
			ID: id, Name: fmt.Sprint("Company ", id), Theme: fmt.Sprintf("%06x", id*7919%0xffffff),
			Language: "en", Standing: store.Formal, Mall: store.MallOpen, CreatedAt: 1, UpdatedAt: 1,
		}); err != nil {
			s.T.Fatal(err)
		}
	}
}

// SignInPage gets the sign-in page of a company as a new visitor does, in an encoding.
func (s *Site) SignInPage(method string, company int64, encoding string, headers ...string) *http.Response {
	s.T.Helper()
	address := fmt.Sprintf("http://store%d.portico.test/login", company)
	headers = append(headers, "Accept-Encoding", encoding, "Sec-Fetch-Dest", "document")
	return s.Browser().Do(method, address, nil, headers...)
}
