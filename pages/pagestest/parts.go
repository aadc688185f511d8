package pagestest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"

	"portico/portal/picturetest"
)

const BoundaryB = "multipart/form-data; boundary=b"

// OnItsWay is a form with a file that has begun to be read, and goes on when it is ended.
type OnItsWay struct {
	*io.PipeWriter
	Rest   []byte
	Answer chan *http.Response
}

// Begin sends a form with an admitted file up to the first bytes of the file.
func (b *Browser) Begin(from string) *OnItsWay {
	b.T.Helper()
	return b.BeginAt(from, UploadPage, b.Token(Sender))
}

func (b *Browser) BeginAt(from, address, token string) *OnItsWay {
	b.T.Helper()
	kind, body := MultipartOf(token, "x.jpg", picturetest.JPEG(60, 40))
	out, in := io.Pipe()
	file := bytes.Index(body, []byte("filename=")) + 200
	o := &OnItsWay{in, body[file+1:], make(chan *http.Response, 1)}
	go func() { o.Answer <- b.SendFrom(from, address, kind, out, int64(len(body))) }()
	for _, part := range [][]byte{body[:file], body[file : file+1]} { // the second is read once there is a place
		if _, err := in.Write(part); err != nil {
			return o
		}
	}
	return o
}

func (o *OnItsWay) End() *http.Response {
	_, _ = o.Write(o.Rest)
	_ = o.Close()
	return <-o.Answer
}

// RefusesFile demands that a form with a file is refused before its file is read.
func (b *Browser) RefusesFile(from, address, token string, status int) {
	b.T.Helper()
	kind, form := MultipartOf(token, "x.jpg", bytes.Repeat([]byte("x"), 1<<20))
	body := &Counted{Reader: bytes.NewReader(form)}
	r := b.SendFrom(from, address, kind, body, int64(len(form)))
	if r.StatusCode != status || r.Header.Get("Retry-After") == "" || body.N > 8<<10 {
		b.T.Errorf("%s: %d after %d bytes", from, r.StatusCode, body.N)
	}
}

// Idle opens a connection to a server and sends the beginning of a form with a file.
func (s *Site) Idle(server *httptest.Server, path, cookie, form string) net.Conn {
	s.T.Helper()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { _ = c.Close() })
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nSec-Fetch-Site: same-origin\r\nCookie: %s\r\n"+
		"Content-Type: %s\r\nContent-Length: 100000\r\n\r\n%s",
		path, StoreHost, cookie, BoundaryB, form)
	if err != nil {
		s.T.Fatal(err)
	}
	return c
}
