package standin

import (
	"net/http"
	"slices"
)

// Counts are the numbers of API calls: for access tokens, to exchange codes, for names and pictures, for tickets, and
// how many of all were refused.
type Counts struct {
	Token    int `json:"token"`
	Exchange int `json:"exchange"`
	Userinfo int `json:"userinfo"`
	Ticket   int `json:"ticket"`
	Refused  int `json:"refused"`
}

func (s *standin) count(app string, note func(*Counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.counts.items[app]
	if !ok {
		c = new(Counts)
		s.counts.put(app, c)
	}
	note(c)
}

// sumCounts returns the counts of an application, or the sum of all for "".
func (s *standin) sumCounts(app string) Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sum Counts
	for id, c := range s.counts.items {
		if app == "" || app == id {
			sum.Token += c.Token
			sum.Exchange += c.Exchange
			sum.Userinfo += c.Userinfo
			sum.Ticket += c.Ticket
			sum.Refused += c.Refused
		}
	}
	return sum
}

// showCounts answers the counts of all applications, or of ?app=, or how often ?code= was sent to be exchanged.
func (s *standin) showCounts(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !q.Has("code") {
		answer(w, s.sumCounts(q.Get("app")))
		return
	}
	s.mu.Lock()
	asked := 0
	if g, ok := s.codes.items[q.Get("code")]; ok {
		asked = g.asked
	}
	s.mu.Unlock()
	answer(w, Counts{Exchange: asked})
}

// IssuedCode is a code that was issued without a page, with the ids of its person.
type IssuedCode struct {
	Code           string `json:"code"`
	Person         string `json:"person"`
	OpenID         string `json:"openid"`
	UnionID        string `json:"unionid,omitempty"`
	UserID         string `json:"userid,omitempty"`
	ExternalUserID string `json:"external_userid,omitempty"`
}

// showCode makes a code: ?app=, ?person= (or ?name= and, for a member, ?member=1), ?scope=, ?trouble=.
func (s *standin) showCode(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	app, scope := q.Get("app"), q.Get("scope")
	p, ok := personOf(q.Get("person"))
	if q.Has("name") {
		p, ok = personNamed(q.Get("name"), q.Get("member") == "1")
	}
	scopes := []string{scopeBase, scopeUser, scopeLogin}
	kind := wechatApp
	if wecomForm.MatchString(app) {
		scopes, kind = scopes[:1], wecomApp
	}
	if scope == "" {
		scope = scopeBase
	}
	t := trouble(q.Get("trouble"))
	if !ok || !wechatForm.MatchString(app) && kind != wecomApp || !slices.Contains(scopes, scope) ||
		!kind.offersTrouble(t) ||
		t == otherState {
		http.Error(w, "app, person or name, scope, trouble", http.StatusBadRequest)
		return
	}
	m := IssuedCode{Code: s.makeCode(app, scope, p, t), Person: p.key}
	switch {
	case p.userID != "" && kind == wecomApp:
		m.UserID = p.userID
	case p.customer && kind == wecomApp:
		m.ExternalUserID = p.externalID(app)
		fallthrough
	default:
		m.OpenID = p.openID(app)
	}
	if kind == wechatApp && scope != scopeBase {
		m.UnionID = p.unionID(app)
	}
	answer(w, m)
}
