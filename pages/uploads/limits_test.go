package uploads

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
)

// partA returns a part of a form with the boundary b, with a description of so many bytes.
func partA(description int) string {
	const begin, end = `form-data; name="`, `"`
	name := strings.Repeat("a", description-len(begin+end))
	return "--b\r\nContent-Disposition: " + begin + name + end + "\r\n\r\nx\r\n"
}

// readForm reads a multipart form with the boundary b that declares a length, as a page with a file does.
func readForm(form string, length int64) (*deadlineRecorder, error) {
	r := httptest.NewRequest(http.MethodPost, "/form", strings.NewReader(form))
	r.ContentLength = length
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
	return w, new(Pages).readFormWithFile(nil)(w, r, new(FormFile))
}

// deadlineRecorder records an answer, and the deadlines that its handler sets for the connection.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

// SetReadDeadline records the deadline for reading the request.
func (w *deadlineRecorder) SetReadDeadline(at time.Time) error { w.read = at; return nil }

// SetWriteDeadline records the deadline for writing the answer.
func (w *deadlineRecorder) SetWriteDeadline(at time.Time) error { w.write = at; return nil }

func TestFormAtALimitIsReadAndALargerOneIsRefused(t *testing.T) {
	short := partA(30)
	for name, c := range map[string]struct {
		largest, larger         string
		largestSize, largerSize int64
		want                    access.Refusal
	}{
		"declared bytes": {short + "--b--\r\n", short + "--b--\r\n", 20 << 20, 20<<20 + 1, access.TooLarge},
		// the end of the form is read like one part more
		"parts": {strings.Repeat(short, 99) + "--b--\r\n", strings.Repeat(short, 100) + "--b--\r\n", -1, -1,
			access.BadRequest},
		"description of a part": {partA(1<<10) + "--b--\r\n", partA(1<<10+1) + "--b--\r\n", -1, -1, access.BadRequest},
	} {
		if _, err := readForm(c.largest, c.largestSize); err != nil {
			t.Errorf("%s: the largest form is refused: %v", name, err)
		}
		if _, err := readForm(c.larger, c.largerSize); !errors.Is(err, c.want) {
			t.Errorf("%s: a larger form: %v, want %s", name, err, c.want)
		}
	}
}

// mime/multipart reads 4 KiB ahead, which are not read between two contents, so that the sum is 16 KiB.
func TestTwelveKiBAreReadBetweenTwoContents(t *testing.T) {
	body := &formBody{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat(" ", 1<<20)))}
	body.between()
	if n, err := io.Copy(io.Discard, body); n != 12<<10 || !errors.Is(err, access.BadRequest) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestRefusedFormIsReadForFiveSecondsMore(t *testing.T) {
	began := time.Now()
	w, err := readForm("", 1<<30)
	if !errors.Is(err, access.TooLarge) || w.Header().Get("Connection") != "close" ||
		w.read.Before(began.Add(5*time.Second)) || w.read.After(time.Now().Add(5*time.Second)) {
		t.Errorf("%v, %v after its begin", err, w.read.Sub(began))
	}
}

func TestAnswerToAFileMayTake45SecondsAfterItsSending(t *testing.T) {
	p := newPages(t)
	w, r := &deadlineRecorder{}, httptest.NewRequest(http.MethodPost, "/form", nil)
	body, f := &formBody{control: http.NewResponseController(w)}, new(FormFile)
	admit := func(*http.Request) (Sender, error) { return Proven, nil }
	if _, err := p.withPlace(f, body, admit)(r); err != nil {
		t.Fatal(err)
	}
	defer f.done()
	body.extendDeadline()
	if want := body.began.Add(core.SendingTime + 45*time.Second); !w.write.Equal(want) || !w.read.Equal(want) {
		t.Errorf("%v to write and %v to read", w.write.Sub(body.began), w.read.Sub(body.began))
	}
}
