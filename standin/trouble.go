package standin

import (
	"net/http"
	"slices"
	"time"
)

// trouble is what goes wrong with a code that somebody comes back with.
type trouble string

const (
	none       trouble = ""
	expired    trouble = "expired"  // it is too old
	used       trouble = "used"     // somebody was quicker
	silence    trouble = "silence"  // it is exchanged, and the answer takes longer than anybody waits
	html       trouble = "html"     // it is exchanged, and the answer is a page
	busy       trouble = "busy"     // the first try is refused: too many ask
	stale      trouble = "stale"    // WeCom: the access token ends with the first try, the code stays good
	otherState trouble = "state"    // it comes with another state
	snapshot   trouble = "snapshot" // WeChat in the app: an identity that is made up, of somebody who agreed to nothing
)

// troubles are those of a door.
func (d door) troubles() []trouble {
	all := []trouble{expired, used, silence, html, busy, otherState}
	if d.wecom() {
		return append(all, stale)
	}
	if d == wechatApp {
		return append(all, snapshot)
	}
	return all
}

// has says whether t is a trouble of a door; none is one of all.
func (d door) has(t trouble) bool { return t == none || slices.Contains(d.troubles(), t) }

// interferes answers in the place of an API, where the code came with such a trouble, and says whether it did.
func (s *standin) interferes(w http.ResponseWriter, r *http.Request, t trouble) bool {
	switch t {
	case silence:
		select {
		case <-r.Context().Done():
			return true
		case <-time.After(s.Hang):
		}
	case html:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>\n"))
		return true
	}
	return false
}
