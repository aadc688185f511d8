package command

import (
	"net/http/httptest"
	"testing"

	"portico/config/configtest"
	"portico/store"
)

func TestProxyLearnsWhichHostsThePlatformServes(t *testing.T) {
	s, _, db := testServerAndDatabase(t, configtest.Production()...)
	for id, c := range map[int64]store.Company{
		1001: {Name: "Sur", Language: "es", Standing: store.Formal, Mall: store.MallOpen},
	} {
		c.ID = id
		if saved, err := db.Companies.Save(t.Context(), c); err != nil || !saved {
			t.Fatal(saved, err)
		}
	}
	for host, provenAt := range map[string]store.Instant{"shop.sur.test": 1, "claimed.test": 0} {
		if err := db.Hosts.Add(t.Context(), 1001, host, provenAt); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(query string) int {
		w := httptest.NewRecorder()
		s.Metrics.Handler(s.Log).ServeHTTP(w, httptest.NewRequest("GET", "/tls/ask"+query, nil))
		return w.Code
	}
	for host, want := range map[string]int{
		"portico.test": 200, "account.portico.test": 200, "m.portico.test": 200, "mgr.portico.test": 200,
		"api.portico.test": 200, "store1001.portico.test": 200, "astore1001.portico.test": 200, "shop.sur.test": 200,
		"store9.portico.test": 404, "www.portico.test": 404, "a.account.portico.test": 404, "claimed.test": 404,
		"stranger.test": 404, "": 404, "localhost": 404, "127.0.0.1": 404, "PORTICO.test": 404, "portico.test.": 404,
		"portico.test:443": 404, "evilportico.test": 404, "store1001.portico.test%00": 404,
		"store1001.portico.test%0d%0a": 404, "*.portico.test": 404,
	} {
		if got := ask("?domain=" + host); got != want {
			t.Errorf("%q: %d, want %d", host, got, want)
		}
	}
	if got := ask(""); got != 404 {
		t.Errorf("without a name: %d", got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := ask("?domain=another.test"); got != 503 {
		t.Errorf("without a database: %d, want 503", got)
	}
}
