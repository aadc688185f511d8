package standin

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"
)

// overview is the first page.
type overview struct {
	people  []person
	now     person
	known   bool
	badName bool
	doors   []way
	counts  Counts
}

// way is a way into the platform: what one pretends to be, and where it begins.
type way struct {
	key     string // of its text
	address templ.SafeURL
	agent   string // the User-Agent that finds it; empty: any desktop's
}

// The User-Agents of the apps, as they send them.
const (
	wechatAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/zh_CN"
	wecomAgent  = "Mozilla/5.0 (Linux; Android 13; 2201123C) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 wxwork/4.1.22 MicroMessenger/7.0.1 NetType/WIFI Language/zh"
)

func (s *standin) showIndex(w http.ResponseWriter, r *http.Request) {
	r = inLanguage(w, r)
	v := overview{people: s.people(), badName: r.URL.Query().Has("name"), counts: s.counted("")}
	v.now, v.known = s.remembered(r)
	if s.Home != "" {
		home := strings.TrimRight(s.Home, "/")
		v.doors = []way{
			{"standin.door.login", templ.SafeURL(home + "/login"), ""},
			{"standin.door.wechat_qr", templ.SafeURL(home + "/wechat"), ""},
			{"standin.door.wecom_qr", templ.SafeURL(home + "/wechatpro"), ""},
			{"standin.door.wechat_app", templ.SafeURL(home + "/login"), wechatAgent},
			{"standin.door.wecom_app", templ.SafeURL(home + "/login"), wecomAgent},
		}
	}
	s.render(w, r, statusOf(v.badName), indexPage(v))
}

// become remembers who somebody wants to be, or forgets it.
func (s *standin) become(w http.ResponseWriter, r *http.Request) {
	c := chosen(r)
	to := Path
	switch {
	case c.ok:
		s.remember(w, c.who)
	case c.declined:
		setCookie(w, personCookie, "", -1)
	case c.badName:
		to += "?name="
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// endTokens ends every access token, as if two hours had passed.
func (s *standin) endTokens(w http.ResponseWriter, r *http.Request) {
	s.end("")
	http.Redirect(w, r, Path, http.StatusSeeOther)
}
