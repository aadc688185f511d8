package pages

import (
	"io"
	"net/http"
	"os"

	"github.com/go-chi/chi/v5"

	"portico/portal/access"
)

// fileField is a field that readPart adds to a form that came with a file. A kept form has it, too, but not the file.
const fileField = "_file"

// formFile is the file that came with a form, in a temporary file on disk. A nil *formFile stands for a form without
// one.
type formFile struct {
	file *os.File // nil when the form had no file, or its sender may not send one
	came bool     // the form had a file, whether it was kept or not
	done func()   // gives back the place among the uploads that are received at the same time; nil when none was taken
}

// fileHandler handles a form that may have a file. The file is removed when it returns.
type fileHandler func(w http.ResponseWriter, r *http.Request, f *formFile) error

// landedFile is a fileHandler of a landing page.
type landedFile func(w http.ResponseWriter, r *http.Request, here access.Landing, f *formFile) error

// content returns the file, nil when there is none.
func (f *formFile) content() io.ReadSeeker {
	if f == nil || f.file == nil { // a nil *os.File in the interface would not be nil
		return nil
	}
	return f.file
}

// fileCame reports whether a form was sent with a file, whether it was kept or not.
func fileCame(r *http.Request) bool { return r.PostForm.Has(fileField) }

// remove closes and removes the file. Where open files can be removed, keep did that already.
func (f *formFile) remove() {
	if f.done != nil {
		defer f.done()
	}
	if f.file != nil {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}

// with makes a handler that passes on the file.
func (f *formFile) with(h fileHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error { return h(w, r, f) }
}

// withFile makes a handler for a form that may have one file, and removes the file afterwards.
func withFile(make func(f *formFile) handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f := new(formFile)
		defer f.remove()
		return make(f)(w, r)
	}
}

// withoutFile is a handler for a form of another page that had a file, which is not kept.
func withoutFile(h fileHandler) handler { return (*formFile)(nil).with(h) }

// uploadForm mounts a page whose form may have a file: it reads multipart forms as well as ordinary ones. admit decides
// whose files are kept.
func (p *Pages) uploadForm(r chi.Router, path string, admit admission, show handler, submit fileHandler) {
	p.formReadBy(r, path, p.readFormWithFile(admit), show, submit)
}

// typedUploadForm mounts a page of the account site whose form may have a file of a person who is signed in, and that
// can show a kept form again (see typedForm).
func (p *Pages) typedUploadForm(r chi.Router, path string, show handler, submit fileHandler) {
	p.uploadForm(r, path, p.admitSignedIn, p.kept(show, withoutFile(submit)), submit)
}

// formReadBy mounts a page whose form is read by its own function.
func (p *Pages) formReadBy(r chi.Router, path string, read fileHandler, show handler, submit fileHandler) {
	p.form(r, path, show, nil)
	r.Post(path, p.serve(withFile(func(f *formFile) handler {
		return p.sameOrigin(f.with(read), p.requireToken(p.checkOwner(f.with(submit))))
	})))
}

// pageWithFile is landingPages.page for a form that may have a file.
func (l landingPages) pageWithFile(h landedFile) fileHandler {
	return func(w http.ResponseWriter, r *http.Request, f *formFile) error {
		return l.page(func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
			return h(w, r, here, f)
		})(w, r)
	}
}

// without returns a handler for a kept form, whose file was not kept.
func (h landedFile) without() landed {
	return func(w http.ResponseWriter, r *http.Request, here access.Landing) error { return h(w, r, here, nil) }
}
