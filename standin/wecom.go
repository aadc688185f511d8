package standin

import (
	"net/http"
	"strings"
)

// corpToken gives the token of a company's application, the same while it is good.
func (s *standin) corpToken(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	corp, secret := q.Get("corpid"), q.Get("corpsecret")
	s.count(corp, func(c *Counts) { c.Token++ })
	f := fine
	switch {
	case corp == "":
		f = noCorpID
	case !wecomForm.MatchString(corp):
		f = badCorpID
	case secret == "":
		f = noCorpSecret
	case secret != Secret(corp):
		f = badCorpSecret
	}
	if f != fine {
		s.refuse(w, r, corp, f)
		return
	}
	token, life := s.give(corp, corpKind, 0, false)
	answer(w, map[string]any{"errcode": 0, "errmsg": "ok", "access_token": token, "expires_in": life})
}

// corpAccess is whose the token of a question is.
func (s *standin) corpAccess(r *http.Request) (string, failure) {
	value := r.URL.Query().Get("access_token")
	a, known, alive := s.access(value)
	switch {
	case value == "":
		return "ww", noToken
	case !known || !strings.HasPrefix(a.app, "ww"):
		return "ww", wrongCorpToken
	case !alive:
		return a.app, endedToken
	}
	return a.app, fine
}

// exchangeWeCom says whose a code is: a member of the company by their user id, anybody else by an openid.
func (s *standin) exchangeWeCom(w http.ResponseWriter, r *http.Request) {
	code := r.URL.Query().Get("code")
	corp, f := s.corpAccess(r)
	s.count(corp, func(c *Counts) { c.Exchange++ })
	if f == fine && code == "" {
		f = noCode
	}
	if f == fine && s.endsWith(corp, code, r.URL.Query().Get("access_token")) {
		f = endedToken
	}
	var g grant
	if f == fine {
		g, f = s.spend(corp, code)
	}
	if f != fine {
		s.refuse(w, r, corp, f.ofWeCom())
		return
	}
	if s.interferes(w, r, g.trouble) {
		return
	}
	said := map[string]any{"errcode": 0, "errmsg": "ok"}
	if g.who.userID != "" {
		said["userid"] = g.who.userID
	} else {
		said["openid"] = g.who.openID(corp)
	}
	if g.who.userID == "" && g.who.customer {
		said["external_userid"] = g.who.externalID(corp)
	}
	answer(w, said)
}

// endsWith says whether the token ends with this code, which stays good: the trouble stale.
func (s *standin) endsWith(corp, code, token string) bool {
	s.mu.Lock()
	g, ok := s.codes.items[code]
	ends := ok && g.app == corp && g.trouble == stale
	if ends {
		g.trouble = none
		g.asked++
	}
	s.mu.Unlock()
	if ends {
		s.end(token)
	}
	return ends
}

func (s *standin) corpTicket(w http.ResponseWriter, r *http.Request) {
	corp, f := s.corpAccess(r)
	s.count(corp, func(c *Counts) { c.Ticket++ })
	if f != fine {
		s.refuse(w, r, corp, f)
		return
	}
	s.giveTicket(w, corp, "corp")
}

func (s *standin) agentTicket(w http.ResponseWriter, r *http.Request) {
	corp, f := s.corpAccess(r)
	s.count(corp, func(c *Counts) { c.Ticket++ })
	if f == fine && r.URL.Query().Get("type") != "agent_config" {
		f = badArgument
	}
	if f != fine {
		s.refuse(w, r, corp, f)
		return
	}
	s.giveTicket(w, corp, "agent")
}
