package standin

import (
	_ "embed"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"portico/locale"
)

// choice is the page on which somebody says who they are.
type choice struct {
	wanted
	asked    url.Values // as the page was asked for
	people   []person
	now      person // who they said they were last
	known    bool
	declined bool
	badName  bool
}

// picked is what somebody chose on a page.
type picked struct {
	who      person
	trouble  trouble
	ok       bool // it is somebody
	tried    bool // something was chosen
	declined bool
	badName  bool
}

// The names of buttons that are no person.
const (
	newOutsider = "new"
	newMember   = "new-member"
	nobody      = "nobody"
)

func chosen(r *http.Request) picked {
	q := r.URL.Query()
	c := picked{trouble: trouble(q.Get("trouble")), tried: q.Has("person")}
	switch key := q.Get("person"); key {
	case nobody:
		c.declined = true
	case newOutsider, newMember:
		c.who, c.ok = entered(q.Get("name"), key == newMember)
		c.badName = !c.ok
	default:
		c.who, c.ok = personOf(key)
	}
	return c
}

const (
	personCookie = "standin_person"
	langCookie   = "lang"
	rememberFor  = 30 * 24 * time.Hour
)

func setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: Path, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

// remember has the silent pages take somebody for the same again.
func (s *standin) remember(w http.ResponseWriter, p person) {
	if strings.HasPrefix(p.key, asMember) || strings.HasPrefix(p.key, asOutsider) {
		s.mu.Lock()
		s.met.put(p.key, p)
		s.mu.Unlock()
	}
	setCookie(w, personCookie, p.key, int(rememberFor/time.Second))
}

func (s *standin) remembered(r *http.Request) (person, bool) {
	cookie, err := r.Cookie(personCookie)
	if err != nil {
		return person{}, false
	}
	return personOf(cookie.Value)
}

// people are those of the beginning and those who were entered since, the latest last.
func (s *standin) people() []person {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := append([]person(nil), people...)
	for _, key := range s.met.order {
		all = append(all, s.met.items[key])
	}
	return all
}

// inLanguage notes the language: ?lang=, kept for the stand-in alone, else the cookie, else the browser's.
func inLanguage(w http.ResponseWriter, r *http.Request) *http.Request {
	lang, ok := locale.Match(r.URL.Query().Get("lang"))
	if ok {
		setCookie(w, langCookie, string(lang), int(rememberFor/time.Second))
	} else if cookie, err := r.Cookie(langCookie); err == nil {
		lang, ok = locale.Match(cookie.Value)
	}
	for _, one := range strings.Split(r.Header.Get("Accept-Language"), ",") {
		if !ok && len(strings.TrimSpace(one)) >= 2 {
			lang, ok = locale.Match(strings.ToLower(strings.TrimSpace(one)[:2]))
		}
	}
	return r.WithContext(locale.With(r.Context(), lang))
}

// policy lets a page show itself and its style, and nobody frame it. Forms may go anywhere: a code leads away from here.
const policy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'"

// render writes a page in the request's language.
func (s *standin) render(w http.ResponseWriter, r *http.Request, status int, body templ.Component) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	w.WriteHeader(status)
	if err := document(r.URL, body).Render(r.Context(), w); err != nil && r.Context().Err() == nil {
		s.Log.Error("the stand-in's page failed", "error", err)
	}
}

//go:embed standin.css
var style []byte

func showStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(style)
}
