package standin

import (
	"net/http"
	"strings"
)

// corpToken answers the token of a company's application, the same one while it is valid.
func (s *standin) corpToken(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	corp, secret := q.Get("corpid"), q.Get("corpsecret")
	s.count(corp, func(c *Counts) { c.Token++ })
	f := noFailure
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
	if f != noFailure {
		s.refuse(w, r, corp, f)
		return
	}
	token, life := s.currentToken(corp, corpKind, 0, false)
	answer(w, map[string]any{"errcode": 0, "errmsg": "ok", "access_token": token, "expires_in": life})
}

// corpAccess returns the company of a request's access token.
func (s *standin) corpAccess(r *http.Request) (string, failure) {
	value := r.URL.Query().Get("access_token")
	a, known, alive := s.findToken(value)
	switch {
	case value == "":
		return "ww", noToken
	case !known || !strings.HasPrefix(a.app, "ww"):
		return "ww", wrongCorpToken
	case !alive:
		return a.app, endedToken
	}
	return a.app, noFailure
}

// exchangeWeCom exchanges a code for the person's id: the user id of a member of the company, else an openid.
func (s *standin) exchangeWeCom(w http.ResponseWriter, r *http.Request) {
	code := r.URL.Query().Get("code")
	corp, f := s.corpAccess(r)
	s.count(corp, func(c *Counts) { c.Exchange++ })
	if f == noFailure && code == "" {
		f = noCode
	}
	if f == noFailure && s.expireWithCode(corp, code, r.URL.Query().Get("access_token")) {
		f = endedToken
	}
	var g grant
	if f == noFailure {
		g, f = s.useCode(corp, code)
	}
	if f != noFailure {
		s.refuse(w, r, corp, f.atWeCom())
		return
	}
	if s.playTrouble(w, r, g.trouble) {
		return
	}
	fields := map[string]any{"errcode": 0, "errmsg": "ok"}
	if g.person.userID != "" {
		fields["userid"] = g.person.userID
	} else {
		fields["openid"] = g.person.openID(corp)
	}
	if g.person.userID == "" && g.person.customer {
		fields["external_userid"] = g.person.externalID(corp)
	}
	answer(w, fields)
}

// expireWithCode plays the trouble stale: it makes the access token expire and leaves the code valid. It returns
// whether the code has that trouble.
func (s *standin) expireWithCode(corp, code, token string) bool {
	s.mu.Lock()
	g, ok := s.codes.items[code]
	ends := ok && g.app == corp && g.trouble == stale
	if ends {
		g.trouble = none
		g.asked++
	}
	s.mu.Unlock()
	if ends {
		s.expireTokens(token)
	}
	return ends
}

func (s *standin) corpTicket(w http.ResponseWriter, r *http.Request) {
	corp, f := s.corpAccess(r)
	s.count(corp, func(c *Counts) { c.Ticket++ })
	if f != noFailure {
		s.refuse(w, r, corp, f)
		return
	}
	s.answerTicket(w, corp, "corp")
}

func (s *standin) agentTicket(w http.ResponseWriter, r *http.Request) {
	corp, f := s.corpAccess(r)
	s.count(corp, func(c *Counts) { c.Ticket++ })
	if f == noFailure && r.URL.Query().Get("type") != "agent_config" {
		f = badArgument
	}
	if f != noFailure {
		s.refuse(w, r, corp, f)
		return
	}
	s.answerTicket(w, corp, "agent")
}
