package uploads_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/picturetest"
)

// formsWithLongHeaders returns forms with parts whose headers are too long, about 5 MB each, by what is long in them.
func formsWithLongHeaders() map[string]string {
	const n, disposition = 5 << 20, "--b\r\nContent-Disposition: form-data; name=\"a\""
	line := func(unit string) string { return strings.Repeat(unit, n/len(unit)) }
	return map[string]string{
		"a long name": "--b\r\nContent-Disposition: form-data; name=\"" + line("a") +
			"\"\r\n\r\nx\r\n--b--\r\n",
		"a long name of a file":       disposition + "; filename=\"" + line("a") + "\"\r\n\r\nx\r\n--b--\r\n",
		"many parameters":             disposition + line("; p=v") + "\r\n\r\nx\r\n--b--\r\n",
		"many parameters, many names": disposition + manyParameters(n) + "\r\n\r\nx\r\n--b--\r\n",
		"many lines":                  disposition + line("\r\na: b") + "\r\n\r\nx\r\n--b--\r\n",
		"many lines of one":           disposition + line("\r\n b") + "\r\n\r\nx\r\n--b--\r\n",
		"a line without end":          "--b\r\n" + line("a"),
		"much before the first":       line("hello\r\n") + disposition + "\r\n\r\nx\r\n--b--\r\n",
		"much between two":            disposition + "\r\n\r\nx\r\n--b" + line(" ") + "\r\n",
		"much in the second": disposition + "\r\n\r\nx\r\n" + disposition + line("; p=v") +
			"\r\n\r\nx\r\n--b--\r\n",
	}
}

// manyParameters returns parameters with different names, at least n bytes.
func manyParameters(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "; p%d=v", i)
	}
	return b.String()
}

func TestLongPartHeadersAreRefusedEarly(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	for _, address := range []string{pagestest.UploadPage, "http://" + pagestest.StoreHost + "/register/more"} {
		for name, form := range formsWithLongHeaders() {
			body := &pagestest.CountingReader{Reader: strings.NewReader(form)}
			r := b.Send(address, boundaryB, body, int64(len(form)))
			if r.StatusCode != http.StatusBadRequest || body.N > 40<<10 || r.Header.Get("Connection") != "close" {
				t.Errorf("%s, %s: %d after %d bytes", address, name, r.StatusCode, body.N)
			}
		}
	}
	short := "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"" + strings.Repeat("a", 1000) +
		"\"\r\n\r\nx\r\n--b--\r\n"
	// The header is too long, but short enough to be read.
	pagestest.WantStatus(t, b.Send(pagestest.UploadPage, boundaryB,
		strings.NewReader(pagestest.TokenPart(s.UploadToken(pagestest.Sender))+short), -1), http.StatusBadRequest)
	tail := &pagestest.CountingReader{Reader: io.MultiReader(strings.NewReader(pagestest.TokenPart("x")+"--b--\r\n"),
		io.LimitReader(pagestest.ZeroReader{}, 5<<20))}
	pagestest.WantStatus(t, b.Send(pagestest.UploadPage, boundaryB, tail, -1), http.StatusBadRequest)
	if tail.N > 40<<10 {
		t.Errorf("%d bytes were read after the end", tail.N)
	}
}

func TestFiftyFormsWithLongPartHeadersUseLittleMemory(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	form := formsWithLongHeaders()["many parameters, many names"]
	runtime.GC()
	var before, current runtime.MemStats
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	var most uint64
	for i := range 50 {
		all.Go(func() {
			r := b.SendFrom(fmt.Sprintf("203.0.113.%d", i), pagestest.UploadPage, boundaryB,
				strings.NewReader(form), int64(len(form)))
			if r.StatusCode != http.StatusBadRequest {
				t.Error(r.StatusCode)
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	for watching := true; watching; {
		runtime.ReadMemStats(&current)
		most = max(most, current.HeapAlloc)
		select {
		case <-ended:
			watching = false
		case <-time.After(time.Millisecond):
		}
	}
	if grown := int64(most) - int64(before.HeapAlloc); grown > 30<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

func TestFileWithoutAValidTokenIsNotRead(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	const file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\n"
	late := s.UploadToken(pagestest.Sender)
	s.Clock = s.Clock.Add(application.UploadLife + time.Second)
	for name, head := range map[string]string{
		"none": file, "after the file": file + "x\r\n" + pagestest.TokenPart(s.UploadToken(pagestest.Sender)),
		"invented": pagestest.TokenPart("x") + file, "over": pagestest.TokenPart(late) + file,
		"somebody else's": pagestest.TokenPart(s.UploadToken("13900000778")) + file,
	} {
		body := &pagestest.CountingReader{Reader: io.MultiReader(strings.NewReader(head),
			io.LimitReader(pagestest.ZeroReader{}, 4<<20))}
		r := b.Send(pagestest.UploadPage, boundaryB, body, -1)
		if u := pagestest.DecodeUpload(t, r); r.StatusCode != http.StatusForbidden || u.Message == "" ||
			body.N > 40<<10 {
			t.Errorf("%s: %d after %d bytes, %+v", name, r.StatusCode, body.N, u)
		}
	}
}

func TestSlowFileWithoutATokenIsRefusedAtOnce(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	server := httptest.NewServer(s.Handler)
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = fmt.Fprintf(c,
		"POST /upload HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 100000\r\n\r\n"+
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n",
		pagestest.StoreHost, boundaryB)
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	pagestest.WantStatus(t, r, http.StatusForbidden)
}

func TestFileOfAnUnknownSenderIsDroppedAndTheFormWorks(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none")) // no temporary file can be created
	known, _ := s.ProvenApplicant(pagestest.Sender)
	elsewhere := s.Browser()
	elsewhere.Jar["store1002.portico.test"] = known.Jar[pagestest.StoreHost]
	invented := s.Browser()
	invented.Jar[pagestest.StoreHost] = map[string]*http.Cookie{"portico_session": {Name: "portico_session",
		Value: "x"}, "portico_applicant": {Name: "portico_applicant", Value: "x"}}
	within := s.SignInByPhone("13800000002")
	form := func(field string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + field + "\"\r\n\r\n13900000999\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\n" +
			strings.Repeat("x", access.MaxUpload+1<<20) + "\r\n--b--\r\n"
	}
	const more, appearance = "/register/more", "/mgr/settings/appearance"
	for name, c := range map[string]struct {
		b              *pagestest.Browser
		host, path     string
		status         int
		shown, missing string
	}{
		"an applicant": {known, pagestest.StoreHost, more, http.StatusServiceUnavailable, "",
			"13900000999"},
		"nobody": {s.Browser(), pagestest.StoreHost, more, http.StatusUnprocessableEntity,
			"13900000999", ""},
		"invented": {invented, pagestest.StoreHost, more, http.StatusUnprocessableEntity,
			"13900000999", ""},
		"an applicant elsewhere": {elsewhere, "store1002.portico.test", more, http.StatusUnprocessableEntity,
			"13900000999", ""},
		"an administrator": {within, pagestest.StoreHost, appearance, http.StatusServiceUnavailable, "",
			""},
		"nobody in the back office": {s.Browser(), pagestest.StoreHost, appearance, http.StatusSeeOther, "", ""},
		"an applicant in another office": {elsewhere, "store1002.portico.test", appearance, http.StatusSeeOther, "",
			""},
	} {
		body := form("phone")
		r := c.b.Send("http://"+c.host+c.path, boundaryB, strings.NewReader(body), int64(len(body)))
		page := pagestest.Text(t, r)
		if r.StatusCode != c.status || !strings.Contains(page, c.shown) ||
			c.missing != "" && strings.Contains(page, c.missing) {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
}

func TestConcurrentUploadsAreLimited(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	const apps = "http://account.portico.test/upload"
	byToken := func(from string) string { // of an app, which has proven no phone
		form, err := s.Portal.Licences.UploadToken(access.WithCaller(t.Context(), access.Caller{Address: from}),
			application.UploadTokenInput{Name: "x.jpg", Type: "image/jpeg", Size: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return form.Fields["token"]
	}
	stranger := s.Browser()
	var all []*pendingUpload
	from := func(i int) string { return fmt.Sprintf("2001:%x:%x:%x::%x", 0xdb0+i/32, i/16, i/8, i) }
	for i := range 48 {
		all = append(all, beginUploadTo(stranger, from(i), apps, byToken(from(i))))
	}
	wantRefusedUnread(stranger, "203.0.113.200", apps, byToken("203.0.113.200"), http.StatusServiceUnavailable)
	for i := 48; i < 64; i++ {
		all = append(all, beginUpload(b, from(i+16)))
	}
	for _, address := range []string{pagestest.UploadPage, "http://" + pagestest.StoreHost + "/register/more"} {
		wantRefusedUnread(b, "203.0.113.200", address, b.UploadToken(pagestest.Sender), http.StatusServiceUnavailable)
	}
	pagestest.WantStatus(t, all[0].Finish(), http.StatusOK)
	all = append(all[1:], beginUpload(b, "203.0.113.200"))
	for _, o := range all {
		_ = o.CloseWithError(io.ErrUnexpectedEOF)
		pagestest.WantStatus(t, <-o.Answer, http.StatusBadRequest)
	}
	last := beginUpload(b, "2001:db8::9")
	pagestest.WantStatus(t, last.Finish(), http.StatusOK)
}

func TestConcurrentUploadsOfANetworkAreLimited(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	for name, c := range map[string]struct {
		places  int
		address string
	}{"a /64": {8, "2001:db8:7:1::%x"}, "a /48": {16, "2001:db8:7:%x::1"}, "a /32": {32, "2001:db8:%x::1"}} {
		s := pagestest.NewSite(t, pagestest.Options{Limits: true})
		b, _ := s.ProvenApplicant(pagestest.Sender)
		var all []*pendingUpload
		for i := range c.places {
			all = append(all, beginUpload(b, fmt.Sprintf(c.address, i)))
		}
		wantRefusedUnread(b, fmt.Sprintf(c.address, c.places), pagestest.UploadPage, b.UploadToken(pagestest.Sender),
			http.StatusTooManyRequests)
		other := beginUpload(b, "203.0.113.200")
		if r := other.Finish(); r.StatusCode != http.StatusOK {
			t.Errorf("%s: another network: %d", name, r.StatusCode)
		}
		for _, o := range all {
			_ = o.CloseWithError(io.ErrUnexpectedEOF)
			<-o.Answer
		}
	}
}

func TestIdleConnectionsDoNotBlockUploads(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	for _, sockets := range []int{64, 640} {
		s := pagestest.NewSite(t, pagestest.Options{Limits: true})
		b, _ := s.ProvenApplicant(pagestest.Sender)
		server := httptest.NewServer(s.Handler) // all connections come from one address, the worst case
		for i := range sockets {
			path, form := "/upload", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx"
			switch i % 4 {
			case 1:
				path = "/register/more"
			case 2:
				form = ""
			case 3: // a file without a token
				path = "/register/more"
				form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\nx"
			}
			openIdleUpload(s, server, path, "", form)
		}
		time.Sleep(200 * time.Millisecond)
		kind, form := pagestest.UploadForm(s.UploadToken(pagestest.Sender), "x.jpg", picturetest.JPEG(60, 40))
		for _, address := range []string{pagestest.UploadPage, "http://" + pagestest.StoreHost + "/register/more"} {
			r := b.SendFrom("127.0.0.1", address, kind, bytes.NewReader(form), int64(len(form)))
			if r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusServiceUnavailable {
				t.Errorf("%d sockets, %s: %d", sockets, address, r.StatusCode)
			}
		}
		server.CloseClientConnections()
		server.Close()
	}
}

func TestSlowUploadIsEndedAndFreesItsPlace(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	server := httptest.NewServer(s.Handler)
	defer server.Close()
	defer server.CloseClientConnections()
	cookie := b.Jar[pagestest.StoreHost]["portico_applicant"]
	form := pagestest.TokenPart(s.UploadToken(pagestest.Sender)) +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\n"
	began := time.Now()
	var all sync.WaitGroup
	for range 8 {
		c := openIdleUpload(s, server, "/upload", cookie.Name+"="+cookie.Value, form)
		all.Go(func() {
			go func() {
				for i := 0; i < 40; i++ { // about 300 bytes a second
					if _, err := c.Write(bytes.Repeat([]byte("x"), 150)); err != nil {
						return
					}
					time.Sleep(500 * time.Millisecond)
				}
			}()
			_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
			r, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Error(err)
			} else if r.StatusCode != http.StatusBadRequest {
				t.Error(r.StatusCode)
			}
		})
	}
	// Requests to this server have no client address. A file is refused once all eight uploads have begun.
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		time.Sleep(300 * time.Millisecond)
		kind, form := pagestest.UploadForm(b.UploadToken(pagestest.Sender), "x.jpg", []byte("x"))
		r := b.SendFrom("", pagestest.UploadPage, kind, bytes.NewReader(form), int64(len(form)))
		if r.StatusCode == http.StatusTooManyRequests {
			break
		}
	}
	wantRefusedUnread(b, "", pagestest.UploadPage, b.UploadToken(pagestest.Sender), http.StatusTooManyRequests)
	all.Wait()
	if took := time.Since(began); took < 10*time.Second || took > 25*time.Second {
		t.Errorf("a place is lost after %v", took)
	}
	kind, whole := pagestest.UploadForm(s.UploadToken(pagestest.Sender), "x.jpg", picturetest.JPEG(60, 40))
	pagestest.WantStatus(t, b.SendFrom("", pagestest.UploadPage, kind, bytes.NewReader(whole), int64(len(whole))),
		http.StatusOK)
}

const boundaryB = "multipart/form-data; boundary=b"

// pendingUpload is a form with a file that the server is reading. Rest has the bytes that are not sent yet; Answer gets
// the server's answer.
type pendingUpload struct {
	*io.PipeWriter
	Rest   []byte
	Answer chan *http.Response
}

// beginUpload sends a form with a valid token from an IP address, up to the first bytes of the file.
func beginUpload(b *pagestest.Browser, from string) *pendingUpload {
	b.T.Helper()
	return beginUploadTo(b, from, pagestest.UploadPage, b.UploadToken(pagestest.Sender))
}

// beginUploadTo is beginUpload to an address with a token.
func beginUploadTo(b *pagestest.Browser, from, address, token string) *pendingUpload {
	b.T.Helper()
	kind, body := pagestest.UploadForm(token, "x.jpg", picturetest.JPEG(60, 40))
	out, in := io.Pipe()
	file := bytes.Index(body, []byte("filename=")) + 200
	o := &pendingUpload{in, body[file+1:], make(chan *http.Response, 1)}
	go func() { o.Answer <- b.SendFrom(from, address, kind, out, int64(len(body))) }()
	// the server reads the second part when an upload place is free
	for _, part := range [][]byte{body[:file], body[file : file+1]} {
		if _, err := in.Write(part); err != nil {
			return o
		}
	}
	return o
}

// Finish sends the rest of the form and returns the answer.
func (o *pendingUpload) Finish() *http.Response {
	_, _ = o.Write(o.Rest)
	_ = o.Close()
	return <-o.Answer
}

// wantRefusedUnread fails the test unless a form with a file is refused with a status and Retry-After before its file
// is read.
func wantRefusedUnread(b *pagestest.Browser, from, address, token string, status int) {
	b.T.Helper()
	kind, form := pagestest.UploadForm(token, "x.jpg", bytes.Repeat([]byte("x"), 1<<20))
	body := &pagestest.CountingReader{Reader: bytes.NewReader(form)}
	r := b.SendFrom(from, address, kind, body, int64(len(form)))
	if r.StatusCode != status || r.Header.Get("Retry-After") == "" || body.N > 8<<10 {
		b.T.Errorf("%s: %d after %d bytes", from, r.StatusCode, body.N)
	}
}

// openIdleUpload opens a connection to a server, sends the beginning of a form with a file, and returns the connection.
// It fails the test when the server is not reached.
func openIdleUpload(s *pagestest.Site, server *httptest.Server, path, cookie, form string) net.Conn {
	s.T.Helper()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { _ = c.Close() })
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nSec-Fetch-Site: same-origin\r\nCookie: %s\r\n"+
		"Content-Type: %s\r\nContent-Length: 100000\r\n\r\n%s",
		path, pagestest.StoreHost, cookie, boundaryB, form)
	if err != nil {
		s.T.Fatal(err)
	}
	return c
}
