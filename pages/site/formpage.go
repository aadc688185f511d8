package site

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
)

// FormPage is a web.FormPage of an account that is signed in to the side.
type FormPage struct{ Show, View, Submit Landed }

// FormPage mounts a page of the side with a form.
func (l *Site) FormPage(r chi.Router, path string, page FormPage) {
	mounted := web.FormPage{View: l.Page(page.View), Submit: l.Page(page.Submit)}
	if page.Show != nil {
		mounted.Show = l.Kept(page.Show, page.View)
	}
	l.web.FormPage(r, path, mounted)
}

// FilePage is a FormPage whose form may have a file. A kept form has none: View gets nil.
type FilePage struct {
	Show         Landed
	View, Submit LandedFile
}

// FilePage returns a page that the uploads package can mount.
func (l *Site) FilePage(page FilePage) uploads.FilePage {
	view := func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		return page.View(w, r, here, nil)
	}
	return uploads.FilePage{
		Show: l.Kept(page.Show, view), View: l.withFile(page.View), Submit: l.withFile(page.Submit),
	}
}

// Kept does what web.Kept does, for a page of the side. It shows the kept form to its account and to other accounts of
// the same person.
func (l *Site) Kept(show, view Landed) web.Handler {
	return l.Page(func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		again, ok := l.web.RestoreForm(r, func(o core.FormOwner) bool { return o.OpensFor(here.Member) })
		if ok {
			return view(w, again, here)
		}
		return show(w, r, here)
	})
}
