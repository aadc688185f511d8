package pages_test

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

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/picturetest"
)

const boundaryB = "multipart/form-data; boundary=b"

// longHeads are forms whose parts say too much of themselves, about 5 MB each.
func longHeads() map[string]string {
	const n, disposition = 5 << 20, "--b\r\nContent-Disposition: form-data; name=\"a\""
	line := func(unit string) string { return strings.Repeat(unit, n/len(unit)) }
	return map[string]string{
		"a long name":                 "--b\r\nContent-Disposition: form-data; name=\"" + line("a") + "\"\r\n\r\nx\r\n--b--\r\n",
		"a long name of a file":       disposition + "; filename=\"" + line("a") + "\"\r\n\r\nx\r\n--b--\r\n",
		"many parameters":             disposition + line("; p=v") + "\r\n\r\nx\r\n--b--\r\n",
		"many parameters, many names": disposition + parameters(n) + "\r\n\r\nx\r\n--b--\r\n",
		"many lines":                  disposition + line("\r\na: b") + "\r\n\r\nx\r\n--b--\r\n",
		"many lines of one":           disposition + line("\r\n b") + "\r\n\r\nx\r\n--b--\r\n",
		"a line without end":          "--b\r\n" + line("a"),
		"much before the first":       line("hello\r\n") + disposition + "\r\n\r\nx\r\n--b--\r\n",
		"much between two":            disposition + "\r\n\r\nx\r\n--b" + line(" ") + "\r\n",
		"much in the second":          disposition + "\r\n\r\nx\r\n" + disposition + line("; p=v") + "\r\n\r\nx\r\n--b--\r\n",
	}
}

func parameters(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "; p%d=v", i)
	}
	return b.String()
}

func TestLittleIsReadOfWhatPartsSayOfThemselves(t *testing.T) {
	temporary(t)
	s := newSite(t, options{})
	b, _ := s.applicant(sender)
	for _, address := range []string{uploadPage, "http://" + storeHost + "/register/more"} {
		for name, form := range longHeads() {
			body := &counted{Reader: strings.NewReader(form)}
			r := b.send(address, boundaryB, body, int64(len(form)))
			if r.StatusCode != http.StatusBadRequest || body.n > 40<<10 || r.Header.Get("Connection") != "close" {
				t.Errorf("%s, %s: %d after %d bytes", address, name, r.StatusCode, body.n)
			}
		}
	}
	short := "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"" + strings.Repeat("a", 1000) + "\"\r\n\r\nx\r\n--b--\r\n"
	wantStatus(t, b.send(uploadPage, boundaryB, strings.NewReader(tokenPart(s.token(sender))+short), -1), http.StatusBadRequest) // within what is read, and too long
	tail := &counted{Reader: io.MultiReader(strings.NewReader(tokenPart("x")+"--b--\r\n"), io.LimitReader(zeros{}, 5<<20))}
	wantStatus(t, b.send(uploadPage, boundaryB, tail, -1), http.StatusBadRequest)
	if tail.n > 40<<10 {
		t.Errorf("%d bytes were read after the end", tail.n)
	}
}

func TestMemoryStaysFlatUnderFiftyFormsOfLongHeads(t *testing.T) {
	temporary(t)
	s := newSite(t, options{})
	b, _ := s.applicant(sender)
	form := longHeads()["many parameters, many names"]
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	var most uint64
	for i := range 50 {
		all.Go(func() {
			r := b.sendFrom(fmt.Sprintf("203.0.113.%d", i), uploadPage, boundaryB, strings.NewReader(form), int64(len(form)))
			if r.StatusCode != http.StatusBadRequest {
				t.Error(r.StatusCode)
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	for watching := true; watching; {
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc)
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

func TestAFileIsNotReadWithoutItsToken(t *testing.T) {
	temporary(t)
	s := newSite(t, options{})
	b, _ := s.applicant(sender)
	const file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\n"
	late := s.token(sender)
	s.clock = s.clock.Add(application.UploadLife + time.Second)
	for name, head := range map[string]string{
		"none": file, "after the file": file + "x\r\n" + tokenPart(s.token(sender)), "invented": tokenPart("x") + file, "over": tokenPart(late) + file,
		"somebody else's": tokenPart(s.token("13900000778")) + file,
	} {
		body := &counted{Reader: io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, 4<<20))}
		r := b.send(uploadPage, boundaryB, body, -1)
		if u := answer(t, r); r.StatusCode != http.StatusForbidden || u.Message == "" || body.n > 40<<10 {
			t.Errorf("%s: %d after %d bytes, %+v", name, r.StatusCode, body.n, u)
		}
	}
}

func TestASlowFileWithoutATokenIsRefusedAtOnce(t *testing.T) {
	s := newSite(t, options{})
	server := httptest.NewServer(s.doors)
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = fmt.Fprintf(c, "POST /upload HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 100000\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n", storeHost, boundaryB)
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, r, http.StatusForbidden)
}

func TestAFileOfNobodyIsNotKeptAndTheFormWorks(t *testing.T) {
	s := newSite(t, options{})
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none")) // what is kept cannot be
	known, _ := s.applicant(sender)
	elsewhere := s.browser()
	elsewhere.jar["store1002.portico.test"] = known.jar[storeHost]
	invented := s.browser()
	invented.jar[storeHost] = map[string]*http.Cookie{"portico_session": {Name: "portico_session", Value: "x"}, "portico_applicant": {Name: "portico_applicant", Value: "x"}}
	within := s.within("13800000002")
	form := func(field string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + field + "\"\r\n\r\n13900000999\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\n" + strings.Repeat("x", access.MaxUpload+1<<20) + "\r\n--b--\r\n"
	}
	const more, appearance = "/register/more", "/mgr/settings/appearance"
	for name, c := range map[string]struct {
		b              *browser
		host, path     string
		status         int
		shown, missing string
	}{
		"an applicant":                   {known, storeHost, more, http.StatusServiceUnavailable, "", "13900000999"},
		"nobody":                         {s.browser(), storeHost, more, http.StatusUnprocessableEntity, "13900000999", ""},
		"invented":                       {invented, storeHost, more, http.StatusUnprocessableEntity, "13900000999", ""},
		"an applicant elsewhere":         {elsewhere, "store1002.portico.test", more, http.StatusUnprocessableEntity, "13900000999", ""},
		"an administrator":               {within, storeHost, appearance, http.StatusServiceUnavailable, "", ""},
		"nobody in the back office":      {s.browser(), storeHost, appearance, http.StatusSeeOther, "", ""},
		"an applicant in another office": {elsewhere, "store1002.portico.test", appearance, http.StatusSeeOther, "", ""},
	} {
		body := form("phone")
		r := c.b.send("http://"+c.host+c.path, boundaryB, strings.NewReader(body), int64(len(body)))
		page := text(t, r)
		if r.StatusCode != c.status || !strings.Contains(page, c.shown) || c.missing != "" && strings.Contains(page, c.missing) {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
}

// onItsWay is a form with a file that has begun to be read, and goes on when it is ended.
type onItsWay struct {
	*io.PipeWriter
	rest   []byte
	answer chan *http.Response
}

// begin sends a form with an admitted file up to the first bytes of the file.
func (b *browser) begin(from string) *onItsWay {
	b.t.Helper()
	return b.beginAt(from, uploadPage, b.token(sender))
}

func (b *browser) beginAt(from, address, token string) *onItsWay {
	b.t.Helper()
	kind, body := multipartOf(token, "x.jpg", picturetest.JPEG(60, 40))
	out, in := io.Pipe()
	file := bytes.Index(body, []byte("filename=")) + 200
	o := &onItsWay{in, body[file+1:], make(chan *http.Response, 1)}
	go func() { o.answer <- b.sendFrom(from, address, kind, out, int64(len(body))) }()
	for _, part := range [][]byte{body[:file], body[file : file+1]} { // the second is read once there is a place
		if _, err := in.Write(part); err != nil {
			return o
		}
	}
	return o
}

func (o *onItsWay) end() *http.Response {
	_, _ = o.Write(o.rest)
	_ = o.Close()
	return <-o.answer
}

// refusesFile demands that a form with a file is refused before its file is read.
func (b *browser) refusesFile(from, address, token string, status int) {
	b.t.Helper()
	kind, form := multipartOf(token, "x.jpg", bytes.Repeat([]byte("x"), 1<<20))
	body := &counted{Reader: bytes.NewReader(form)}
	r := b.sendFrom(from, address, kind, body, int64(len(form)))
	if r.StatusCode != status || r.Header.Get("Retry-After") == "" || body.n > 8<<10 {
		b.t.Errorf("%s: %d after %d bytes", from, r.StatusCode, body.n)
	}
}

func TestFewFormsWithAFileAreOnTheirWayAtOnce(t *testing.T) {
	temporary(t)
	s := newSite(t, options{limits: true})
	b, _ := s.applicant(sender)
	const apps = "http://account.portico.test/upload"
	byToken := func(from string) string { // as apps get one, without proving a phone
		form, err := s.p.Licences.UploadToken(access.WithCaller(t.Context(), access.Caller{Address: from}),
			application.UploadTokenInput{Name: "x.jpg", Type: "image/jpeg", Size: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return form.Fields["token"]
	}
	stranger := s.browser()
	var all []*onItsWay
	from := func(i int) string { return fmt.Sprintf("2001:%x:%x:%x::%x", 0xdb0+i/32, i/16, i/8, i) }
	for i := range 48 {
		all = append(all, stranger.beginAt(from(i), apps, byToken(from(i))))
	}
	stranger.refusesFile("203.0.113.200", apps, byToken("203.0.113.200"), http.StatusServiceUnavailable)
	for i := 48; i < 64; i++ {
		all = append(all, b.begin(from(i+16)))
	}
	for _, address := range []string{uploadPage, "http://" + storeHost + "/register/more"} {
		b.refusesFile("203.0.113.200", address, b.token(sender), http.StatusServiceUnavailable)
	}
	wantStatus(t, all[0].end(), http.StatusOK)
	all = append(all[1:], b.begin("203.0.113.200"))
	for _, o := range all {
		_ = o.CloseWithError(io.ErrUnexpectedEOF)
		wantStatus(t, <-o.answer, http.StatusBadRequest)
	}
	last := b.begin("2001:db8::9")
	wantStatus(t, last.end(), http.StatusOK)
}

func TestFewFormsWithAFileOfANetworkAreOnTheirWayAtOnce(t *testing.T) {
	temporary(t)
	for name, c := range map[string]struct {
		places  int
		address string
	}{"a /64": {8, "2001:db8:7:1::%x"}, "a /48": {16, "2001:db8:7:%x::1"}, "a /32": {32, "2001:db8:%x::1"}} {
		s := newSite(t, options{limits: true})
		b, _ := s.applicant(sender)
		var all []*onItsWay
		for i := range c.places {
			all = append(all, b.begin(fmt.Sprintf(c.address, i)))
		}
		b.refusesFile(fmt.Sprintf(c.address, c.places), uploadPage, b.token(sender), http.StatusTooManyRequests)
		other := b.begin("203.0.113.200")
		if r := other.end(); r.StatusCode != http.StatusOK {
			t.Errorf("%s: another network: %d", name, r.StatusCode)
		}
		for _, o := range all {
			_ = o.CloseWithError(io.ErrUnexpectedEOF)
			<-o.answer
		}
	}
}

// idle opens a connection to a server and sends the beginning of a form with a file.
func (s *site) idle(server *httptest.Server, path, cookie, form string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nSec-Fetch-Site: same-origin\r\nCookie: %s\r\n"+
		"Content-Type: %s\r\nContent-Length: 100000\r\n\r\n%s",
		path, storeHost, cookie, boundaryB, form)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func TestIdleSocketsKeepNobodyFromSendingAFile(t *testing.T) {
	temporary(t)
	for _, sockets := range []int{64, 640} {
		s := newSite(t, options{limits: true})
		b, _ := s.applicant(sender)
		server := httptest.NewServer(s.doors) // all of one address: the worst case
		for i := range sockets {
			path, form := "/upload", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx"
			switch i % 4 {
			case 1:
				path = "/register/more"
			case 2:
				form = ""
			case 3: // a file that nobody admitted
				path = "/register/more"
				form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\nx"
			}
			s.idle(server, path, "", form)
		}
		time.Sleep(200 * time.Millisecond)
		kind, form := multipartOf(s.token(sender), "x.jpg", picturetest.JPEG(60, 40))
		for _, address := range []string{uploadPage, "http://" + storeHost + "/register/more"} {
			r := b.sendFrom("127.0.0.1", address, kind, bytes.NewReader(form), int64(len(form)))
			if r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusServiceUnavailable {
				t.Errorf("%d sockets, %s: %d", sockets, address, r.StatusCode)
			}
		}
		server.CloseClientConnections()
		server.Close()
	}
}

func TestAFileThatComesTooSlowlyLosesItsPlace(t *testing.T) {
	temporary(t)
	s := newSite(t, options{limits: true})
	b, _ := s.applicant(sender)
	server := httptest.NewServer(s.doors)
	defer server.Close()
	defer server.CloseClientConnections()
	cookie := b.jar[storeHost]["portico_applicant"]
	form := tokenPart(s.token(sender)) +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\n"
	began := time.Now()
	var all sync.WaitGroup
	for range 8 {
		c := s.idle(server, "/upload", cookie.Name+"="+cookie.Value, form)
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
	// The server's callers have no address here. A file is turned away as soon as all eight have reached it.
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		time.Sleep(300 * time.Millisecond)
		kind, form := multipartOf(b.token(sender), "x.jpg", []byte("x"))
		r := b.sendFrom("", uploadPage, kind, bytes.NewReader(form), int64(len(form)))
		if r.StatusCode == http.StatusTooManyRequests {
			break
		}
	}
	b.refusesFile("", uploadPage, b.token(sender), http.StatusTooManyRequests)
	all.Wait()
	if took := time.Since(began); took < 10*time.Second || took > 25*time.Second {
		t.Errorf("a place is lost after %v", took)
	}
	kind, whole := multipartOf(s.token(sender), "x.jpg", picturetest.JPEG(60, 40))
	wantStatus(t, b.sendFrom("", uploadPage, kind, bytes.NewReader(whole), int64(len(whole))), http.StatusOK)
}
