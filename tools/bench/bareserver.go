package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/andybalholm/brotli"
	"golang.org/x/crypto/argon2"

	"portico/portal/core"
	"portico/portal/onboarding"
)

// bareForm is a sign-in page that contains only the form. It shows how soon any page can appear.
//
//go:embed bare.html
var bareForm []byte

// answer is the answer of a bare server. Signed is its answer to a form that was sent, after a password hash at the
// cost that the program uses; nil for the same answer to everything. Home is the body of the page after that, at /me.
type answer struct {
	Status int // 0: 200
	Header http.Header
	Body   []byte
	Signed *answer
	Home   []byte
}

// bareLogin is bareForm with the headers that a careful server sends.
func bareLogin() answer {
	var packed bytes.Buffer
	w := brotli.NewWriterLevel(&packed, brotli.BestCompression)
	_, _ = w.Write(bareForm) // a bytes.Buffer takes everything
	_ = w.Close()
	return answer{Body: packed.Bytes(), Header: http.Header{
		"Content-Type": {
			"text/html; charset=utf-8",
		},
		"Content-Encoding": {"br"},
		"Content-Length":   {strconv.Itoa(packed.Len())},
		"Cache-Control": {
			"no-cache",
		},
		"Vary":                   {"Accept-Encoding"},
		"Etag":                   {`"bare"`},
		"X-Content-Type-Options": {"nosniff"},
		"Content-Security-Policy": {
			"default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; " +
				"base-uri 'none'; frame-ancestors 'none'",
		},
	}}
}

// bareSignIn is bareLogin with what follows the form: a redirect to a page that says that somebody is signed in.
func bareSignIn() answer {
	a := bareLogin()
	a.Signed = &answer{Status: http.StatusSeeOther, Header: http.Header{"Location": {"/me"}}}
	a.Home = []byte("<!doctype html><meta name=viewport content='width=device-width'><title>Me</title><p>¥")
	return a
}

// startBareServer starts a process that sends the same answer to every request.
func (b *bench) startBareServer(a answer) (*process, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	p, out, err := b.startPeer("bare", text)
	if err != nil {
		return nil, err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	p.url = "http://" + strings.TrimSpace(address)
	return p, err
}

// serveBare is the role "bare": it reads its answer from the standard input, prints its address, and serves until the
// input ends.
func serveBare() error {
	in := json.NewDecoder(os.Stdin)
	var a answer
	if err := in.Decode(&a); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	waitForInputEnd()
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && a.Signed != nil:
			hashOnce()
			a.Signed.write(w)
		case r.URL.Path == "/me" && a.Signed != nil:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(a.Home)
		default:
			a.write(w)
		}
	})
	// It has the timeouts that any public server needs, so that only the handlers differ.
	s := &http.Server{
		Handler: bare, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
	}
	return s.Serve(listener)
}

// write writes the answer itself.
func (a answer) write(w http.ResponseWriter) {
	h := w.Header()
	for name, value := range a.Header {
		h[name] = value
	}
	w.WriteHeader(max(a.Status, http.StatusOK))
	_, _ = w.Write(a.Body)
}

// hashOnce hashes a password with argon2id at the cost that the program uses.
func hashOnce() {
	cost := core.DefaultHashCost
	argon2.IDKey([]byte(onboarding.DemoPassword), make([]byte, 16), cost.Passes, cost.Memory, cost.Threads, 32)
}

// waitForInputEnd waits until the program that started this process ends.
func waitForInputEnd() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}

// hashes runs only the password hash for a while, in a process of its own. It returns the rate a second and the
// processor time of one hash in milliseconds.
func (b *bench) hashes(wait time.Duration) (rate, cost float64, err error) {
	p, out, err := b.startPeer("hash", []byte(wait.String()))
	if err != nil {
		return 0, 0, err
	}
	defer p.stop()
	var done int
	if _, err := fmt.Fscan(out, &done, &rate); err != nil {
		return 0, 0, err
	}
	used, err := p.cpu()
	return rate, used.Seconds() * 1000 / float64(done), err
}

// hashOnly is the role "hash": argon2id at the cost that the program uses, one goroutine for each core.
func hashOnly() error {
	var text string
	if _, err := fmt.Scanln(&text); err != nil {
		return err
	}
	wait, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	waitForInputEnd()
	var done atomic.Int64
	start := time.Now()
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for {
				hashOnce()
				done.Add(1)
			}
		}()
	}
	time.Sleep(wait)
	n := done.Load()
	fmt.Println(n, float64(n)/time.Since(start).Seconds())
	select {} // until it is stopped: the starting process reads its processor time
}
