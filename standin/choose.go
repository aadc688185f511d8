package standin

import (
	_ "embed"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"portico/locale"
)

// choice is the page on which a person chooses who they are.
type choice struct {
	authRequest
	asked    url.Values // the query of the page
	people   []person
	now      person // who the person chose last
	known    bool
	declined bool
	badName  bool
}

// chosenPerson is the person, or the button, that was chosen on a page.
type chosenPerson struct {
	person   person
	trouble  trouble
	ok       bool // who is set
	tried    bool // a button was pressed
	declined bool
	badName  bool
}

// The values of the buttons that do not choose a person of the list.
const (
	newOutsider = "new"
	newMember   = "new-member"
	nobody      = "nobody"
)

func readChoice(r *http.Request) chosenPerson {
	q := r.URL.Query()
	c := chosenPerson{trouble: trouble(q.Get("trouble")), tried: q.Has("person")}
	switch key := q.Get("person"); key {
	case nobody:
		c.declined = true
	case newOutsider, newMember:
		c.person, c.ok = personNamed(q.Get("name"), key == newMember)
		c.badName = !c.ok
	default:
		c.person, c.ok = personOf(key)
	}
	return c
}

const (
	personCookie = "standin_person"
	langCookie   = "lang"
	rememberFor  = 30 * 24 * time.Hour
)

func setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: Path, MaxAge: seconds, HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
}

// remember stores who the person is in a cookie, so that silent pages do not ask again.
func (s *standin) remember(w http.ResponseWriter, p person) {
	if strings.HasPrefix(p.key, memberKey) || strings.HasPrefix(p.key, outsiderKey) {
		s.mu.Lock()
		s.newcomers.put(p.key, p)
		s.mu.Unlock()
	}
	setCookie(w, personCookie, p.key, int(rememberFor/time.Second))
}

func (s *standin) rememberedPerson(r *http.Request) (person, bool) {
	cookie, err := r.Cookie(personCookie)
	if err != nil {
		return person{}, false
	}
	return personOf(cookie.Value)
}

// people returns the built-in people and those that were entered by name, the latest last.
func (s *standin) people() []person {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := append([]person(nil), people...)
	for _, key := range s.newcomers.order {
		list = append(list, s.newcomers.items[key])
	}
	return list
}

// withLanguage returns the request with the language in its context: that of ?lang=, which it also stores in a cookie,
// else that of the cookie, else the browser's.
func withLanguage(w http.ResponseWriter, r *http.Request) *http.Request {
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

// policy is the Content-Security-Policy. It has no form-action, because the forms redirect to other sites.
const policy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'"

// render writes a page in the request's language.
func (s *standin) render(w http.ResponseWriter, r *http.Request, status int, body templ.Component) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	w.WriteHeader(status)
	if err := document(r.URL, body).Render(r.Context(), w); err != nil && r.Context().Err() == nil {
		s.Log.Error("the stand-in's page failed", slog.Any("error", err))
	}
}

//go:embed standin.css
var style []byte

func showStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(style)
}
