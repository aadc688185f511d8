package pages

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/portal"
)

const (
	// maxMultipart is the largest form with a file that is read, in bytes.
	maxMultipart = portal.MaxUpload + 64<<10
	// maxPageForm is the same where the file comes with what was typed: a picture that is too large is dropped as it comes,
	// and the page is shown again.
	maxPageForm = 20 << 20
	maxParts    = 100
	// uploadTime is how long a form with a file may take to arrive; others are given less by the server.
	uploadTime = 2 * time.Minute
	// answerTime is how long there is to look at the file and answer, afterwards.
	answerTime = 45 * time.Second
)

// received is the file of a form: on disk, nil where none was chosen.
type received struct{ file *os.File }

type receivedKey struct{}

// remove ends the file; on systems that keep the names of open files it goes now.
func (f *received) remove() {
	if f.file != nil {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}

// uploadOf is the file that came with a form, nil where none was chosen. It is gone when the handler returns.
func uploadOf(r *http.Request) io.Reader {
	f, ok := r.Context().Value(receivedKey{}).(*received)
	if !ok || f.file == nil {
		return nil
	}
	return f.file
}

// uploadForm mounts a page whose form may have a file: it takes multipart forms beside ordinary ones.
func (p *Pages) uploadForm(r chi.Router, path string, show, submit handler) {
	p.form(r, path, show, nil)
	r.Post(path, p.serve(withFile(p.ours(p.readFormWithFile, p.tokened(submit)))))
}

// withFile lets a handler receive one file, and removes it afterwards whatever happens.
func withFile(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f := new(received)
		defer f.remove()
		return h(w, r.WithContext(context.WithValue(r.Context(), receivedKey{}, f)))
	}
}

// readFormWithFile parses an ordinary form or one in parts.
func (p *Pages) readFormWithFile(w http.ResponseWriter, r *http.Request) error {
	if isMultipart(r) {
		return p.readParts(w, r, maxPageForm)
	}
	return readForm(w, r)
}

func isMultipart(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data"
}

// readMultipart reads a form that is a file and a few words.
func (p *Pages) readMultipart(w http.ResponseWriter, r *http.Request) error {
	if !isMultipart(r) {
		return portal.WrongType
	}
	return p.readParts(w, r, maxMultipart)
}

// readParts parses a form in parts: text into r.PostForm, the one file there may be to disk. Nothing is read beyond limit
// (requirement 98).
func (p *Pages) readParts(w http.ResponseWriter, r *http.Request, limit int64) error {
	if r.ContentLength > limit {
		return portal.TooLarge
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(uploadTime)) // a recorder in tests has none
	_ = control.SetWriteDeadline(time.Now().Add(uploadTime + answerTime))
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	parts, err := r.MultipartReader()
	if err != nil {
		return portal.WrongType
	}
	r.PostForm = url.Values{}
	left := int64(maxForm)
	for range maxParts {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			r.Form = r.PostForm
			return nil
		}
		if err == nil {
			err = readPart(r, part, &left)
		}
		if err != nil {
			return p.unreadable(r, err)
		}
	}
	return portal.BadRequest
}

// readPart reads one part; left is how many bytes of text may still come.
func readPart(r *http.Request, part *multipart.Part, left *int64) error {
	if part.FormName() == "" {
		return portal.BadRequest
	}
	if part.FileName() == "" {
		text, err := io.ReadAll(io.LimitReader(part, *left+1))
		if *left -= int64(len(text)); *left < 0 {
			return portal.TooLarge
		}
		r.PostForm.Add(part.FormName(), string(text))
		return err
	}
	f, ok := r.Context().Value(receivedKey{}).(*received)
	if !ok || f.file != nil {
		return portal.BadRequest
	}
	var err error
	if f.file, err = os.CreateTemp("", "portico-upload-"); err != nil {
		return diskError{err}
	}
	_ = os.Remove(f.file.Name()) // where that is possible, nothing is left even if the program dies
	if _, err := io.Copy(diskWriter{f.file}, io.LimitReader(part, portal.MaxUpload+1)); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, part); err != nil {
		return err
	}
	_, err = f.file.Seek(0, io.SeekStart)
	return err
}

// diskWriter tells a full disk from a reader that has gone.
type diskWriter struct{ file *os.File }

type diskError struct{ error }

func (d diskWriter) Write(b []byte) (int, error) {
	n, err := d.file.Write(b)
	if err != nil {
		err = diskError{err}
	}
	return n, err
}

// unreadable is what a form that cannot be read is refused with.
func (p *Pages) unreadable(r *http.Request, err error) error {
	refusal, tooLarge, disk := portal.Refusal(""), new(http.MaxBytesError), diskError{}
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.As(err, &tooLarge):
		return portal.TooLarge
	case errors.As(err, &disk):
		p.log.LogAttrs(r.Context(), slog.LevelError, "no room for a file on its way", slog.Any("error", err))
		return portal.NotAvailable
	}
	return portal.BadRequest
}

// uploadAnswer is what scripts and apps read: the file, or why it was not accepted.
type uploadAnswer struct {
	Key     string `json:"key,omitempty"`
	Width   int    `json:"width,omitempty"`  // pixels
	Height  int    `json:"height,omitempty"` // pixels
	Size    int64  `json:"size,omitempty"`   // bytes
	Token   string `json:"token,omitempty"`  // for the next one, of an applicant
	Message string `json:"message,omitempty"`
}

// submitUpload takes the picture of a licence: POST /upload. Its token is proof enough that the form is ours.
func (p *Pages) submitUpload(w http.ResponseWriter, r *http.Request) error {
	file := uploadOf(r)
	if file == nil {
		return portal.BadRequest
	}
	ticket := p.cookie(r, applicantCookie)
	u, err := p.portal.UploadLicence(r.Context(), portal.UploadInput{
		Token: r.PostForm.Get("token"), Body: file, AtDoor: true, CompanyID: placeOf(r.Context()).CompanyID(), Ticket: ticket, Session: r.Header.Get("X-Token"),
	})
	answer := uploadAnswer{Key: u.ID, Width: u.Width, Height: u.Height, Size: u.Size}
	if phone, err := p.portal.Applicant(ticket, u.CompanyID); err == nil && u.ID != "" {
		if answer.Token, err = p.portal.LicenceToken(r.Context(), u.CompanyID, phone); err != nil {
			return err
		}
	}
	if refused := new(portal.Refused); errors.As(err, &refused) && u.ID != "" { // sent before: it is there
		answer.Message = refusalText(r, refused)
		return writeJSON(w, uploadStatus(w, refused), answer)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, answer)
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
		return writeJSON(w, uploadStatus(w, refused), uploadAnswer{Message: refusalText(r, refused)})
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
