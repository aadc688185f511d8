package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	"portico/portal/core"
)

// FormPage is a page with a form.
type FormPage struct {
	Show   Handler // answers GET; nil for a form that another page shows
	View   Handler // shows the form with the fields of r.PostForm, and does not carry it out
	Submit Handler // answers POST
}

// FormPage mounts a page of the account site with a form. A kept form, and a form whose language was switched, are
// shown by page.View. So a GET never carries a form out.
func (p *Web) FormPage(r chi.Router, path string, page FormPage) {
	submit := p.InChosenLang(page.View, page.Submit)
	if page.Show == nil {
		r.Post(path, p.Serve(p.RequireSameOrigin(submit)))
		return
	}
	p.Form(r, path, p.Kept(page.Show, page.View), submit)
}

// Kept returns a handler that answers with view when the address names a kept form of the person who is signed in, and
// with show otherwise.
func (p *Web) Kept(show, view Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !r.URL.Query().Has(keptParam) {
			return show(w, r)
		}
		s, err := p.Session(r)
		if err == nil {
			mine := core.PersonOwner(s)
			if again, ok := p.RestoreForm(r, func(o core.FormOwner) bool { return o == mine }); ok {
				return view(w, again)
			}
		}
		return show(w, r)
	}
}

// InChosenLang returns the handler of a form with a language switch. When the person pressed the switch, view shows the
// form in the chosen language. Otherwise submit handles the form.
func (p *Requests) InChosenLang(view, submit Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		lang, ok := locale.Match(r.PostForm.Get("lang"))
		if !ok {
			return submit(w, r)
		}
		p.SetCookie(w, LangCookie, string(lang), YearSeconds)
		return view(w, r.WithContext(locale.With(r.Context(), lang)))
	}
}
