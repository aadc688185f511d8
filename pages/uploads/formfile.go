package uploads

import (
	"io"
	"net/http"
	"os"

	"github.com/go-chi/chi/v5"

	"portico/pages/web"
)

// FormFile is the file that came with a form, in a temporary file on disk. A nil *FormFile stands for a form without
// one.
type FormFile struct {
	file *os.File // nil when the form had no file, or its sender may not send one
	came bool     // the form had a file, whether it was kept or not
	done func()   // gives back the place among the uploads that are received at the same time; nil when none was taken
}

// FileHandler handles a form that may have a file. The file is removed when it returns.
type FileHandler func(w http.ResponseWriter, r *http.Request, f *FormFile) error

// Content returns the file, nil when there is none.
func (f *FormFile) Content() io.ReadSeeker {
	if f == nil || f.file == nil { // a nil *os.File in the interface would not be nil
		return nil
	}
	return f.file
}

// FileCame reports whether a form was sent with a file, whether it was kept or not.
func FileCame(r *http.Request) bool { return r.PostForm.Has(web.FileField) }

// remove closes and removes the file. Where open files can be removed, keep did that already.
func (f *FormFile) remove() {
	if f.done != nil {
		defer f.done()
	}
	if f.file != nil {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}

// With makes a handler that passes on the file.
func (f *FormFile) With(h FileHandler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error { return h(w, r, f) }
}

// WithFile makes a handler for a form that may have one file, and removes the file afterwards.
func WithFile(make func(f *FormFile) web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f := new(FormFile)
		defer f.remove()
		return make(f)(w, r)
	}
}

// FilePage is a web.FormPage whose form may have a file. A kept form has none: View gets nil.
type FilePage struct {
	Show         web.Handler
	View, Submit FileHandler
}

// FilePage mounts a page whose form may have a file: it reads multipart forms as well as ordinary ones. admit decides
// which files are kept.
func (p *Pages) FilePage(r chi.Router, path string, admit admission, page FilePage) {
	p.FilePageReadBy(r, path, p.readFormWithFile(admit), page)
}

// PersonFilePage mounts a page of the account site whose form may have a file of a person who is signed in. It shows
// kept forms again, as web.FormPage does.
func (p *Pages) PersonFilePage(r chi.Router, path string, page FilePage) {
	page.Show = p.web.Kept(page.Show, (*FormFile)(nil).With(page.View))
	p.FilePage(r, path, p.AdmitSignedIn, page)
}

// FilePageReadBy mounts a page whose form is read by its own function.
func (p *Pages) FilePageReadBy(r chi.Router, path string, read FileHandler, page FilePage) {
	p.web.Form(r, path, page.Show, nil)
	r.Post(path, p.web.Serve(WithFile(func(f *FormFile) web.Handler {
		submit := p.web.InChosenLang(f.With(page.View), f.With(page.Submit))
		return p.web.SameOrigin(f.With(read), p.web.RequireToken(p.web.CheckOwner(submit)))
	})))
}
