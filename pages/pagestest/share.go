package pagestest

import (
	"io"
	"net/http"
	"strings"

	"portico/portal/access"
)

// Shared is the picture that a page names, as it is fetched: without cookies.
func (s *Site) Shared(page string) (address string, picture []byte) {
	s.T.Helper()
	address = HeadOf(s.T, Text(s.T, s.Browser().Get(page))).Graph["image"][0]
	r := s.Browser().Get(address)
	WantStatus(s.T, r, http.StatusOK)
	if r.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(r.Header.Get("Cache-Control"), "public, max-age=") || len(r.Cookies()) != 0 || r.Header.Get("Etag") == "" {
		s.T.Errorf("%v", r.Header)
	}
	picture, err := io.ReadAll(r.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return address, picture
}

// Administrator is a company's administrator in its back office.
func (s *Site) Administrator(phone string) access.Landing {
	s.T.Helper()
	members, err := s.Db.MembersByLogin(s.T.Context(), "jinsui")
	if err != nil || len(members) != 1 || members[0].Phone != phone {
		s.T.Fatal(err, members)
	}
	return access.Landing{Member: members[0]}
}
