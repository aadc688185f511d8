package uploads

import (
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"time"

	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/stylesheet"
)

const (
	// MaxPageForm is the largest form of a page with a file that is read, in bytes. It is larger than a picture may
	// be: a picture that is too large is dropped, and the page is shown again with what was typed.
	MaxPageForm = 20 << 20
	maxParts    = 100
	// maxBetween is how many bytes of a form are read between the contents of two parts.
	maxBetween = 16 << 10
	readAhead  = 4 << 10 // of mime/multipart, in bytes
	// maxDisposition is the longest description of a part that is parsed, in bytes: its name and that of its file.
	maxDisposition = 1 << 10
	// answerTime is the time for checking the file and answering, after it has been read.
	answerTime = 45 * time.Second
	// refusedTime is how long Portico keeps reading a refused form, so that its sender can read the answer.
	refusedTime = 5 * time.Second
)

// PartLimits limits how much of a multipart form is read: Whole is the most bytes of the form, Text the most bytes of
// its text fields. TextFile is the name of a file field whose content is read as text; "" for none.
type PartLimits struct {
	Whole, Text int64
	TextFile    string
}

// Sender is the kind of person who sends the file of a form.
type Sender int

const (
	Stranger    Sender = iota // the file is not kept
	TokenHolder               // an upload token allows the file
	Proven                    // a person with a session, or an applicant who has proven a phone
)

// admission returns the kind of sender of the file that begins now. An error ends the reading of the form.
type admission func(*http.Request) (Sender, error)

// readFormWithFile makes a handler that parses an ordinary form or a multipart form.
func (p *Pages) readFormWithFile(admit admission) FileHandler {
	return func(w http.ResponseWriter, r *http.Request, f *FormFile) error {
		if IsMultipart(r) {
			return p.ReadParts(w, r, f, PartLimits{MaxPageForm, web.MaxForm, ""}, admit)
		}
		return web.ReadForm(w, r)
	}
}

// AdmitSignedIn keeps the files of people who are signed in.
func (p *Pages) AdmitSignedIn(r *http.Request) (Sender, error) {
	_, err := p.core.Sessions.Session(p.web.WithSession(r).Context(), web.PlaceOf(r.Context()))
	if errors.Is(err, access.LoginRequired) {
		return Stranger, nil
	}
	if err != nil {
		return Stranger, err
	}
	return Proven, nil
}

// IsMultipart reports whether the body of a request is a multipart form.
func IsMultipart(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data"
}

// ReadParts parses a multipart form: text into r.PostForm, at most one file to disk. It reads nothing beyond limit. A
// form takes one of the places for uploads when its file begins and its sender is admitted, so forms without a file, or
// without the right to send one, take none.
func (p *Pages) ReadParts(
	w http.ResponseWriter, r *http.Request, f *FormFile, limit PartLimits, admit admission,
) error {
	err := p.readInTurn(w, r, f, limit, admit)
	if err != nil {
		w.Header().Set("Connection", "close") // do not wait for the rest of the form
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedTime))
	}
	return err
}

// readInTurn reads the parts of a form one after the other.
func (p *Pages) readInTurn(
	w http.ResponseWriter, r *http.Request, f *FormFile, limit PartLimits, admit admission,
) error {
	if r.ContentLength > limit.Whole {
		return access.TooLarge
	}
	body := &formBody{ReadCloser: http.MaxBytesReader(w, r.Body, limit.Whole), control: http.NewResponseController(w)}
	r.Body = body
	parts, err := r.MultipartReader()
	if err != nil {
		return access.WrongType
	}
	r.PostForm = url.Values{}
	left := limit.Text
	for range maxParts {
		body.between()
		part, err := parts.NextRawPart()
		if err == io.EOF {
			body.extendDeadline()
			r.Form = r.PostForm
			return nil
		}
		if err == nil {
			body.inside = true
			err = readPart(r, f, part, &left, limit.TextFile, p.withPlace(f, body, admit))
		}
		if err != nil {
			return p.unreadable(r, err)
		}
	}
	return access.BadRequest
}

// withPlace takes a place for an admitted file. From then on the form may take longer, as long as bytes keep arriving.
func (p *Pages) withPlace(f *FormFile, body *formBody, admit admission) admission {
	return func(r *http.Request) (Sender, error) {
		who, err := admit(r)
		if err == nil && who != Stranger {
			f.done, err = p.core.Verification.StartSending(r.Context(), who == Proven)
		}
		if err == nil {
			body.began = time.Now()
			// A recorder in tests has no deadlines.
			_ = body.control.SetWriteDeadline(body.began.Add(core.SendingTime + answerTime))
		}
		return who, err
	}
}

// formBody is the body of a multipart form. It limits the bytes between the contents of two parts, and ends when the
// file arrives too slowly.
type formBody struct {
	io.ReadCloser
	control *http.ResponseController
	inside  bool      // the content of a part is being read
	left    int       // bytes allowed until the next content begins
	began   time.Time // when the file began; zero: not yet
	came    int64     // bytes since then
}

// extendDeadline extends the time limit on reading the form, so that it cannot interrupt the answer.
func (b *formBody) extendDeadline() {
	if !b.began.IsZero() {
		_ = b.control.SetReadDeadline(b.began.Add(core.SendingTime + answerTime))
	}
}

// between limits the bytes up to the content of the next part.
func (b *formBody) between() { b.inside, b.left = false, maxBetween-readAhead }

// Read reads the body. It extends the deadline with each byte that arrives, and limits the bytes before the file.
func (b *formBody) Read(into []byte) (int, error) {
	if !b.began.IsZero() {
		_ = b.control.SetReadDeadline(core.SendingDue(b.began, b.came))
	}
	if !b.inside {
		if b.left == 0 {
			return 0, access.BadRequest
		}
		into = into[:min(len(into), b.left)]
	}
	n, err := b.ReadCloser.Read(into)
	if b.came += int64(n); !b.inside {
		b.left -= n
	}
	return n, err
}

// readPart reads one part; left is how many bytes of text may still come.
func readPart(r *http.Request, f *FormFile, part *multipart.Part, left *int64, textFile string, admit admission) error {
	if len(part.Header.Get("Content-Disposition")) > maxDisposition || part.FormName() == "" {
		return access.BadRequest
	}
	if part.FileName() == "" {
		text, err := io.ReadAll(io.LimitReader(part, *left+1))
		if *left -= int64(len(text)); *left < 0 {
			return access.TooLarge
		}
		r.PostForm.Add(part.FormName(), string(text))
		return err
	}
	if textFile != "" && part.FormName() == textFile {
		text, err := io.ReadAll(io.LimitReader(part, stylesheet.MaxStyle+1))
		r.PostForm.Set(textFile, string(text))
		if err == nil {
			_, err = io.Copy(io.Discard, part)
		}
		return err
	}
	if f.came {
		return access.BadRequest
	}
	f.came = true
	r.PostForm.Set(web.FileField, "1")
	who, err := admit(r)
	if err == nil && who != Stranger {
		err = f.keep(part)
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, part)
	return err
}

// keep writes the content of a part to disk. Of a file that is too large it writes one byte more than the limit.
func (f *FormFile) keep(part io.Reader) (err error) {
	if f.file, err = os.CreateTemp("", "portico-upload-"); err != nil {
		return diskError{err}
	}
	_ = os.Remove(f.file.Name()) // where that is possible, nothing is left even if the program dies
	if _, err := io.Copy(diskWriter{f.file}, io.LimitReader(part, access.MaxUpload+1)); err != nil {
		return err
	}
	_, err = f.file.Seek(0, io.SeekStart)
	return err
}

// diskWriter marks its errors, to distinguish a full disk from a closed connection.
type diskWriter struct{ file *os.File }

// diskError is an error of writing to disk.
type diskError struct{ error }

// Write writes to the file. It marks failures of the disk, which are not the fault of the sender.
func (d diskWriter) Write(b []byte) (int, error) {
	n, err := d.file.Write(b)
	if err != nil {
		err = diskError{err}
	}
	return n, err
}

// unreadable returns the refusal of a form that cannot be read.
func (p *Pages) unreadable(r *http.Request, err error) error {
	refused := new(access.Refused)
	refusal := access.Refusal("")
	tooLarge := new(http.MaxBytesError)
	disk := diskError{}
	switch {
	case errors.As(err, &refused): // with how long to wait
		return refused
	case errors.As(err, &refusal):
		return refusal
	case errors.As(err, &tooLarge):
		return access.TooLarge
	case errors.As(err, &disk):
		p.log.LogAttrs(r.Context(), slog.LevelError, "no room for a file on its way", slog.Any("error", err))
		return access.NotAvailable
	}
	return access.BadRequest
}
