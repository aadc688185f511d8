package web

import (
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"portico/portal/access"
)

// Form mounts a page: show answers GET and HEAD, submit POST.
func (p *Web) Form(r chi.Router, path string, show, submit Handler) {
	r.Get(path, p.Serve(show))
	r.Head(path, p.Serve(show))
	if submit != nil {
		r.Post(path, p.Serve(p.RequireSameOrigin(submit)))
	}
}

// Serve adapts every handler of a page: it loads the browser's session, and writes the error that the handler returns.
// The session of a form is loaded after its body was read, which may take long: see SameOrigin.
func (p *Web) Serve(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if address, ok := unmarked(r); ok {
			_ = SeeOther(w, address)
			return
		}
		w = p.NotingChanges(w, r)
		if r.Method != http.MethodPost {
			r = p.WithSession(r)
		}
		if err := h(w, r); err != nil {
			p.fail(w, r, err)
		}
	}
}

// ErrCrossOrigin refuses a form that was not sent from a page of this site.
var ErrCrossOrigin = fmt.Errorf("pages: cross-origin form: %w", access.Forbidden)

// RequireSameOrigin accepts a form that was sent from a page of this site, by the person it was opened for. The browser
// says where the form comes from (Sec-Fetch-Site, Origin). Old WebViews say nothing; with a session they need the
// form's token.
func (p *Web) RequireSameOrigin(h Handler) Handler {
	return p.SameOrigin(ReadForm, p.RequireToken(p.CheckOwner(h)))
}

// SameOrigin refuses a form that comes from another site, by the browser's headers. It reads any other form, and then
// loads the browser's session.
func (p *Web) SameOrigin(read, h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := p.Platform.Guard.Check(r); err != nil {
			return ErrCrossOrigin
		}
		if err := read(w, r); err != nil {
			return err
		}
		r = p.WithSession(r)
		NoteEdition(VisitOf(r.Context()), r.PostForm)
		p.restorePassword(r)
		return h(w, r)
	}
}
