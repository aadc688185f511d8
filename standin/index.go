package standin

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"
)

// overview is the index page.
type overview struct {
	people  []person
	now     person
	known   bool
	badName bool
	links   []startLink
	counts  Counts
}

// startLink is a link to a page of the platform where a sign-in begins.
type startLink struct {
	key     string // locale key of its text
	address templ.SafeURL
	agent   string // the User-Agent that the sign-in needs; empty: any desktop browser
}

// withoutScheme returns the address as it is shown, without "https://" or "http://".
func (l startLink) withoutScheme() string {
	return strings.TrimPrefix(strings.TrimPrefix(string(l.address), "https://"), "http://")
}

// The User-Agents of the apps, as they send them.
const (
	wechatAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
		"Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/zh_CN"
	wecomAgent = "Mozilla/5.0 (Linux; Android 13; 2201123C) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 " +
		"Chrome/116.0.0.0 Mobile Safari/537.36 wxwork/4.1.22 MicroMessenger/7.0.1 NetType/WIFI Language/zh"
)

func (s *standin) showIndex(w http.ResponseWriter, r *http.Request) {
	r = withLanguage(w, r)
	v := overview{people: s.people(), badName: r.URL.Query().Has("name"), counts: s.sumCounts("")}
	v.now, v.known = s.rememberedPerson(r)
	if s.Home != "" {
		home := strings.TrimRight(s.Home, "/")
		v.links = []startLink{
			{"standin.door.login", templ.SafeURL(home + "/login"), ""},
			{"standin.door.wechat_qr", templ.SafeURL(home + "/wechat"), ""},
			{"standin.door.wecom_qr", templ.SafeURL(home + "/wechatpro"), ""},
			{"standin.door.wechat_app", templ.SafeURL(home + "/login"), wechatAgent},
			{"standin.door.wecom_app", templ.SafeURL(home + "/login"), wecomAgent},
		}
	}
	s.render(w, r, statusOf(v.badName), indexPage(v))
}

// changePerson stores the chosen person in a cookie, or deletes the cookie.
func (s *standin) changePerson(w http.ResponseWriter, r *http.Request) {
	c := readChoice(r)
	to := Path
	switch {
	case c.ok:
		s.remember(w, c.person)
	case c.declined:
		setCookie(w, personCookie, "", -1)
	case c.badName:
		to += "?name="
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// endTokens makes every access token expire, as after two hours.
func (s *standin) endTokens(w http.ResponseWriter, r *http.Request) {
	s.expireTokens("")
	http.Redirect(w, r, Path, http.StatusSeeOther)
}
