package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRequestLinesAreWrittenCompletelyAndInOrder(t *testing.T) {
	out := new(syncBuffer)
	b := NewBatches(out)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 500 {
				fmt.Fprintf(b, "%d %03d %s\n", i, n, strings.Repeat("x", 60))
			}
		})
	}
	group.Wait()
	deadline := time.Now().Add(10 * time.Second)
	for ; strings.Count(out.String(), "\n") < 4000; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d lines of 4000", strings.Count(out.String(), "\n"))
		}
	}
	last := map[string]string{}
	for line := range strings.Lines(out.String()) {
		fields := strings.Fields(line)
		if len(fields) != 3 || len(fields[2]) != 60 || fields[1] < last[fields[0]] {
			t.Fatalf("broken or out of order: %q after %q", line, last[fields[0]])
		}
		last[fields[0]] = fields[1]
	}
}

func TestRequestIDIsTakenFromTrustedProxy(t *testing.T) {
	const longest = "0123456789.0123456789_0123456789-abcdefghijABCDEFGHIJ-0123456789" // 64 characters
	requestID := func(environ []string, peer string, ids ...string) (sent, logged string) {
		s, written := testServer(t, http.HandlerFunc(noContent), environ...)
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = peer
		r.Header["X-Request-Id"], r.Header["X-Forwarded-For"] = ids, []string{"198.51.100.7"}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		var entry map[string]any
		if err := json.Unmarshal([]byte(written.String()), &entry); err != nil {
			t.Fatalf("not one line: %q", written)
		}
		logged, _ = entry["request_id"].(string)
		return w.Header().Get("X-Request-Id"), logged
	}
	trusted := []string{"PORTICO_TRUSTED_PROXIES=10.0.0.0/8"}
	for _, c := range []struct {
		environ  []string
		peer     string
		ids      []string
		accepted bool
	}{
		{trusted, "10.0.0.1:999", []string{"a"}, true},
		{trusted, "[::ffff:10.0.0.1]:999", []string{"7f3a-9.B_c"}, true},
		{trusted, "10.0.0.1:999", []string{longest}, true},
		{trusted, "10.0.0.1:999", []string{longest + "x"}, false},
		{trusted, "10.0.0.1:999", []string{""}, false},
		{trusted, "10.0.0.1:999", []string{"one", "two"}, false},
		{trusted, "10.0.0.1:999", []string{"a b"}, false},
		{trusted, "10.0.0.1:999", []string{"a\r\n{\"level\":\"forged\"}"}, false},
		{trusted, "10.0.0.1:999", []string{"\"},\"level\":\"forged"}, false},
		{trusted, "10.0.0.1:999", []string{"<script>"}, false},
		{trusted, "10.0.0.1:999", []string{"ünïcode"}, false},
		{trusted, "198.51.100.7:999", []string{"of-a-client"}, false},
		{nil, "10.0.0.1:999", []string{"of-a-client"}, false},
		{[]string{"PORTICO_TRUSTED_PROXIES=none"}, "127.0.0.1:999", []string{"of-a-client"}, false},
	} {
		sent, logged := requestID(c.environ, c.peer, c.ids...)
		if sent != logged || (sent == c.ids[0]) != c.accepted || sent == "" {
			t.Errorf("%q of %s: the answer has %q, the log %q", c.ids, c.peer, sent, logged)
		}
	}
}

func TestRequestLineHasDurationInMilliseconds(t *testing.T) {
	s, written := testServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(2 * time.Millisecond)
		w.WriteHeader(http.StatusNoContent)
	}))
	get(s, "http://localhost/")
	var entry map[string]any
	if err := json.Unmarshal([]byte(written.String()), &entry); err != nil {
		t.Fatal(err)
	}
	if ms, _ := entry["ms"].(float64); ms < 2 || ms > 10_000 {
		t.Errorf("a request of 2 ms is logged with %v ms", entry["ms"])
	}
}

func TestCloseWritesRemainingLines(t *testing.T) {
	out := new(syncBuffer)
	b := NewBatches(out)
	fmt.Fprintln(b, "one")
	_ = b.Close()
	fmt.Fprintln(b, "two")
	if out.String() != "one\ntwo\n" {
		t.Errorf("%q", out.String())
	}
}
