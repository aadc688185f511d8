package pagestest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"

	"portico/portal/access"
)

// Crowd lets people sign in over and over until the test ends, each from a network of their own. Their passwords take
// long to hash.
func (s *Site) Crowd(people int) {
	s.T.Helper()
	ctx, cancel := context.WithCancel(s.T.Context())
	var all sync.WaitGroup
	for i := range people {
		from := access.WithCaller(ctx, access.Caller{RequestID: "r", Address: fmt.Sprintf("10.%d.0.1", i)})
		all.Go(func() {
			for try := 0; ctx.Err() == nil; try++ {
				form := url.Values{"phone": {fmt.Sprintf("139%04d%04d", i, try)}, "password": {"Wrong2026"}}
				body := strings.NewReader(form.Encode())
				r := httptest.NewRequest(http.MethodPost, "http://account.portico.test/login", body)
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Sec-Fetch-Site", "same-origin")
				s.Doors.ServeHTTP(httptest.NewRecorder(), r.WithContext(from))
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	s.T.Cleanup(func() {
		cancel()
		all.Wait()
	})
}
