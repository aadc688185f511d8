package standin

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
)

// failure is an errcode with its message. The zero value is no failure.
type failure struct {
	code int
	text string
}

// The failures of both providers. Those that WeCom words differently follow.
var (
	noFailure    = failure{}
	badGrantType = failure{40002, "invalid grant_type"}
	badOpenID    = failure{40003, "invalid openid"}
	badAppID     = failure{40013, "invalid appid"}
	invalidCode  = failure{40029, "invalid code"}
	badArgument  = failure{40097, "invalid args"}
	badSecret    = failure{40125, "invalid appsecret"}
	usedCode     = failure{40163, "code been used"}
	noToken      = failure{41001, "access_token missing"}
	noAppID      = failure{41002, "appid missing"}
	noSecret     = failure{41004, "appsecret missing"}
	noCode       = failure{41008, "missing code"}
	noOpenID     = failure{41009, "missing openid"}
	endedToken   = failure{42001, "access_token expired"}
	expiredCode  = failure{42003, "code expired"}
	tooBusy      = failure{45011, "api minute-quota reach limit must slower retry next minute"}
	badData      = failure{47001, "data format error"}
	unauthorized = failure{48001, "api unauthorized"}
	wrongToken   = failure{40001, "invalid credential, access_token is invalid or not latest"}

	badCorpID      = failure{40013, "invalid corpid"}
	badCorpSecret  = failure{40001, "invalid credential"}
	wrongCorpToken = failure{40014, "invalid access_token"}
	noCorpID       = failure{41002, "corpid missing"}
	noCorpSecret   = failure{41004, "corpsecret missing"}
	corpTooBusy    = failure{45009, "api freq out of limit"}
)

// atWeCom returns the failure that WeCom answers in this case. WeCom does not say why a code is invalid.
func (f failure) atWeCom() failure {
	switch f {
	case usedCode, expiredCode:
		return invalidCode
	case tooBusy:
		return corpTooBusy
	}
	return f
}

// answer writes v as the APIs do: always with status 200.
func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v) // fails only when the client has disconnected
}

// refuse answers with a failure, in the wording of the providers, which add ids for their support.
func (s *standin) refuse(w http.ResponseWriter, r *http.Request, app string, f failure) {
	s.count(app, func(c *Counts) { c.Refused++ })
	s.Log.LogAttrs(r.Context(), slog.LevelInfo, "the stand-in refuses", slog.String("path",
		r.URL.Path), slog.Int("errcode", f.code), slog.String("errmsg", f.text))
	text := fmt.Sprintf("%s, rid: %s-%s-%s", f.text, hexadecimal(4), hexadecimal(4), hexadecimal(4))
	if strings.HasPrefix(app, "ww") || strings.HasPrefix(f.text, "corp") || f == badCorpID {
		text = fmt.Sprintf("%s, hint: [%s], from ip: 127.0.0.1, more info at "+
			"https://open.work.weixin.qq.com/devtool/query?e=%d", f.text, hexadecimal(12), f.code)
	}
	answer(w, map[string]any{"errcode": f.code, "errmsg": text})
}

func hexadecimal(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
