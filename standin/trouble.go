package standin

import (
	"net/http"
	"slices"
	"time"
)

// trouble is a fault that the stand-in plays with a code.
type trouble string

const (
	none       trouble = ""
	expired    trouble = "expired"  // the code has expired
	used       trouble = "used"     // the code was exchanged before
	silence    trouble = "silence"  // the code is exchanged, and the answer takes longer than any client waits
	html       trouble = "html"     // the code is exchanged, and the answer is an HTML page
	busy       trouble = "busy"     // the first exchange is refused because of a rate limit
	stale      trouble = "stale"    // WeCom: the access token expires with the first exchange, the code stays valid
	otherState trouble = "state"    // the redirect has another state
	snapshot   trouble = "snapshot" // WeChat in the app: a made-up identity, because the person agreed to nothing
)

// troubles returns the troubles that a page offers.
func (d authPage) troubles() []trouble {
	list := []trouble{expired, used, silence, html, busy, otherState}
	if d.isWeCom() {
		return append(list, stale)
	}
	if d == wechatApp {
		return append(list, snapshot)
	}
	return list
}

// offersTrouble says whether a page offers a trouble. Every page offers none.
func (d authPage) offersTrouble(t trouble) bool { return t == none || slices.Contains(d.troubles(), t) }

// playTrouble plays a trouble of an API's answer. It returns true when it has answered, or when the client has gone.
func (s *standin) playTrouble(w http.ResponseWriter, r *http.Request, t trouble) bool {
	switch t {
	case silence:
		select {
		case <-r.Context().Done():
			return true
		case <-time.After(s.Hang):
		}
	case html:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><center><h1>502 " +
			"Bad Gateway</h1></center></body></html>\n"))
		return true
	}
	return false
}
