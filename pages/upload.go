package pages

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/portal"
)

// received is the file of a form: on disk, nil where none was chosen or it is nobody's who may send one.
type received struct {
	file *os.File
	came bool   // there was one in the form
	done func() // gives the place back that the form took among those on their way; nil: none
}

type receivedKey struct{}

// remove ends the file; on systems that keep the names of open files it goes now.
func (f *received) remove() {
	if f.done != nil {
		defer f.done()
	}
	if f.file != nil {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}

// uploadOf is the file that came with a form, nil where none was chosen. It is gone when the handler returns.
func uploadOf(r *http.Request) io.ReadSeeker {
	f, ok := r.Context().Value(receivedKey{}).(*received)
	if !ok || f.file == nil {
		return nil
	}
	return f.file
}

// uploadCame says whether a file came with a form, kept or not.
func uploadCame(r *http.Request) bool {
	f, ok := r.Context().Value(receivedKey{}).(*received)
	return ok && f.came
}

// uploadForm mounts a page whose form may have a file: it takes multipart forms beside ordinary ones.
func (p *Pages) uploadForm(r chi.Router, path string, show, submit handler) {
	p.form(r, path, show, nil)
	r.Post(path, p.serve(withFile(p.sameOrigin(p.readFormWithFile, p.requireToken(p.owned(submit))))))
}

// typedUploadForm mounts a page of the account site whose form may have a file, and that can show a kept form again (see
// typedForm).
func (p *Pages) typedUploadForm(r chi.Router, path string, show, submit handler) {
	p.uploadForm(r, path, p.kept(show, submit), submit)
}

// lookForm mounts the page of a company's look.
func (p *Pages) lookForm(r chi.Router, path string, show, submit handler) {
	p.form(r, path, show, nil)
	r.Post(path, p.serve(withFile(p.sameOrigin(p.readLook, p.requireToken(p.owned(submit))))))
}

// withFile lets a handler receive one file, and removes it afterwards whatever happens.
func withFile(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f := new(received)
		defer f.remove()
		return h(w, r.WithContext(context.WithValue(r.Context(), receivedKey{}, f)))
	}
}

// uploadAnswer is what scripts and apps read: the file, or why it was not accepted.
type uploadAnswer struct {
	Key     string `json:"key,omitempty"`
	Width   int    `json:"width,omitempty"`  // pixels
	Height  int    `json:"height,omitempty"` // pixels
	Size    int64  `json:"size,omitempty"`   // bytes
	Token   string `json:"token,omitempty"`  // of an applicant: for the next picture
	Message string `json:"message,omitempty"`
}

// uploadInput is what a form for one picture shows of its sender.
func (p *Pages) uploadInput(r *http.Request) portal.UploadInput {
	return portal.UploadInput{
		Token: r.PostForm.Get("token"), AtDoor: true, CompanyID: placeOf(r.Context()).CompanyID(), Ticket: p.cookie(r, applicantCookie), Session: r.Header.Get("X-Token"),
	}
}

// submitUpload takes the picture of a licence: POST /upload. Its token is proof enough that the form is ours.
func (p *Pages) submitUpload(w http.ResponseWriter, r *http.Request) error {
	file := uploadOf(r)
	if file == nil {
		return portal.BadRequest
	}
	in := p.uploadInput(r)
	in.Body = file
	u, err := p.portal.UploadLicence(r.Context(), in)
	answer := uploadAnswer{Key: u.ID, Width: u.Width, Height: u.Height, Size: u.Size, Token: p.nextUpload(r)}
	if refused := new(portal.Refused); errors.As(err, &refused) && u.ID != "" { // sent before: it is there
		answer.Message = refusalText(r, refused)
		return writeJSON(w, uploadStatus(w, refused), answer)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, answer)
}

// nextUpload makes another upload token for the applicant of this browser; "" without an applicant. Refusals carry one
// too, because the response with the last token may have been lost.
func (p *Pages) nextUpload(r *http.Request) string {
	companyID := placeOf(r.Context()).CompanyID()
	phone, err := p.portal.Applicant(p.cookie(r, applicantCookie), companyID)
	if err != nil {
		return ""
	}
	token, err := p.portal.LicenceToken(r.Context(), companyID, phone)
	if err != nil {
		return ""
	}
	return token
}

// answering tells scripts what was refused; anything unforeseen goes the way of all pages.
func (p *Pages) answering(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := h(w, r)
		if err == nil {
			return nil
		}
		refused := new(portal.Refused)
		if plain := portal.Refusal(""); !errors.As(err, &refused) && errors.As(err, &plain) {
			refused.Refusal = plain
		}
		if portal.Unavailable(err) {
			refused = &portal.Refused{Refusal: portal.NotAvailable, Wait: 5 * time.Second}
		}
		if refused.Refusal == "" {
			return err
		}
		answer := uploadAnswer{Token: p.nextUpload(r), Message: refusalText(r, refused)}
		return writeJSON(w, uploadStatus(w, refused), answer)
	}
}

// uploadStatus is the status of a file that was not accepted.
func uploadStatus(w http.ResponseWriter, refused *portal.Refused) int {
	status := refusedStatus(w, refused) // with Retry-After
	if refused.Refusal == portal.UploadRejected && refused.Reason == portal.UploadNotPicture {
		return http.StatusUnsupportedMediaType
	}
	if failure, plain := failures[refused.Refusal]; plain {
		return failure.status
	}
	return status
}
