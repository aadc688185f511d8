package standin

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// credentials checks an application of WeChat.
func credentials(id, secret string) failure {
	switch {
	case id == "":
		return noAppID
	case !wechatForm.MatchString(id):
		return badAppID
	case secret == "":
		return noSecret
	case secret != Secret(id):
		return badSecret
	}
	return noFailure
}

// exchangeWeChat exchanges a code for the person's ids and an access token.
func (s *standin) exchangeWeChat(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	app, code := q.Get("appid"), q.Get("code")
	s.count(app, func(c *Counts) { c.Exchange++ })
	f := credentials(app, q.Get("secret"))
	switch {
	case f != noFailure:
	case code == "":
		f = noCode
	case q.Get("grant_type") != "authorization_code":
		f = badGrantType
	}
	if f != noFailure {
		s.refuse(w, r, app, f)
		return
	}
	g, f := s.useCode(app, code)
	if f != noFailure {
		s.refuse(w, r, app, f)
		return
	}
	if s.playTrouble(w, r, g.trouble) {
		return
	}
	answer(w, s.codeAnswer(g))
}

// codeAnswer returns the answer to a code. It has a unionid when the person agreed to more than the scope snsapi_base.
func (s *standin) codeAnswer(g grant) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	fields := map[string]any{
		"access_token": s.addToken(access{app: g.app, person: g.person, scope: g.scope,
			until: s.Now().Add(tokenLife)}),
		"expires_in":    int(tokenLife / time.Second),
		"refresh_token": "84_" + randomText(133),
		"openid":        g.person.openID(g.app),
		"scope":         g.scope,
	}
	if g.scope != scopeBase {
		fields["unionid"] = g.person.unionID(g.app)
	}
	if g.trouble == snapshot {
		fields["is_snapshotuser"] = 1
	}
	return fields
}

// wechatProfile answers a person's name and picture, for the access token that came with a code.
func (s *standin) wechatProfile(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	a, known, alive := s.findToken(q.Get("access_token"))
	s.count(a.app, func(c *Counts) { c.Userinfo++ })
	f := noFailure
	switch {
	case q.Get("access_token") == "":
		f = noToken
	case !known || a.person.key == "":
		f = wrongToken
	case !alive:
		f = endedToken
	case q.Get("openid") == "":
		f = noOpenID
	case q.Get("openid") != a.person.openID(a.app):
		f = badOpenID
	case a.scope == scopeBase:
		f = unauthorized
	}
	if f != noFailure {
		s.refuse(w, r, a.app, f)
		return
	}
	answer(w, map[string]any{
		"openid": a.person.openID(a.app), "unionid": a.person.unionID(a.app), "nickname": a.person.nick,
		"headimgurl": a.person.picture(),
		"sex":        0, "province": "", "city": "", "country": "", "privilege": []string{}, "language": "",
	})
}

const maxBody = 4 << 10 // bytes of a request's body

// tokenRequest asks for the token of an application.
type tokenRequest struct {
	GrantType string `json:"grant_type"`
	AppID     string `json:"appid"`
	Secret    string `json:"secret"`
	Fresh     bool   `json:"force_refresh"`
}

// stableToken answers the same token to all callers, until one asks for a fresh one.
func (s *standin) stableToken(w http.ResponseWriter, r *http.Request) {
	var in tokenRequest
	if json.NewDecoder(io.LimitReader(r.Body, maxBody)).Decode(&in) != nil {
		s.count("", func(c *Counts) { c.Token++ })
		s.refuse(w, r, "", badData)
		return
	}
	s.answerAppToken(w, r, in, stableKind)
}

// plainToken answers a new token each time. The former one expires soon.
func (s *standin) plainToken(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.answerAppToken(w, r, tokenRequest{
		AppID: q.Get("appid"), Secret: q.Get("secret"), GrantType: q.Get("grant_type"), Fresh: true,
	}, plainKind)
}

func (s *standin) answerAppToken(w http.ResponseWriter, r *http.Request, in tokenRequest, kind string) {
	app := in.AppID
	s.count(app, func(c *Counts) { c.Token++ })
	f := credentials(app, in.Secret)
	switch {
	case f != noFailure:
	case in.GrantType != "client_credential":
		f = badGrantType
	case app == OpenAppID || app == MobileAppID:
		f = unauthorized
	}
	if f != noFailure {
		s.refuse(w, r, app, f)
		return
	}
	token, life := s.currentToken(app, kind, overlap, in.Fresh)
	answer(w, map[string]any{"access_token": token, "expires_in": life})
}

// wechatTicket answers the ticket that signs pages.
func (s *standin) wechatTicket(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	a, known, alive := s.findToken(q.Get("access_token"))
	s.count(a.app, func(c *Counts) { c.Ticket++ })
	f := noFailure
	switch {
	case q.Get("access_token") == "":
		f = noToken
	case !known || a.person.key != "" || !strings.HasPrefix(a.app, "wx"):
		f = wrongToken
	case !alive:
		f = endedToken
	case q.Get("type") != "jsapi":
		f = badArgument
	}
	if f != noFailure {
		s.refuse(w, r, a.app, f)
		return
	}
	s.answerTicket(w, a.app, "jsapi")
}

func (s *standin) answerTicket(w http.ResponseWriter, app, kind string) {
	ticket, life := s.ticket(app, kind)
	answer(w, map[string]any{"errcode": 0, "errmsg": "ok", "ticket": ticket, "expires_in": life})
}
