package deploytest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Front is where requests to the platform enter: an instance or a proxy.
type Front struct {
	Address string         // HOST:PORT that every host of the platform is reached at
	Roots   *x509.CertPool // trusted for TLS; nil when the front speaks plain HTTP
	Apart   bool           // each person comes from an address of their own, else all come from 127.0.0.1
}

// At returns the front of a port of 127.0.0.1 that speaks plain HTTP.
func At(port int) Front { return Front{Address: fmt.Sprintf("127.0.0.1:%d", port)} }

// requestTime is how long one request may take.
const requestTime = 10 * time.Second

// Client returns an HTTP client with cookies that follows no redirects. It reaches every host at the front. Cookies of
// a platform at https:// are sent over plain HTTP too, as behind a proxy that terminates TLS.
func (f Front) Client() *http.Client { return f.clientFrom("") }

// clientFrom is Client for a person who comes from an address of this machine, "" for 127.0.0.1.
func (f Front) clientFrom(from string) *http.Client {
	jar, _ := cookiejar.New(nil)
	dialer := &net.Dialer{}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, f.Address)
		},
		TLSClientConfig: &tls.Config{RootCAs: f.Roots}, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4,
	}
	var sends http.RoundTripper = transport
	if f.Roots == nil {
		sends = withoutTLS{transport}
	}
	return &http.Client{
		Jar: jar, Timeout: requestTime, Transport: sends,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// withoutTLS sends requests for https:// over plain HTTP, as a proxy that terminates TLS does.
type withoutTLS struct{ *http.Transport }

// RoundTrip sends one request.
func (s withoutTLS) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := r.Clone(r.Context())
	sent.URL.Scheme = "http"
	return s.Transport.RoundTrip(sent)
}

// Person is somebody with a browser.
type Person struct {
	Phone, Password, Name, Company string
	Address                        string // that the person's requests come from
	Client                         *http.Client
}

// Password is the password of the people of these tests.
const Password = "Blauwal77"

var people atomic.Int64

const (
	peopleApart = 250     // people in a network of 256 addresses
	phoneStep   = 7654321 // between the phones of two people; it has no factor in common with 10⁸
)

// NewPerson returns a person whom no platform knows yet.
func (f Front) NewPerson() *Person {
	n := people.Add(1)
	address := ""
	if f.Apart {
		address = fmt.Sprintf("127.0.%d.%d", 1+n/peopleApart, 2+n%peopleApart)
	}
	return &Person{
		// Neighbouring numbers look like somebody who tries them one after the other.
		Address:  address,
		Phone:    fmt.Sprintf("137%08d", n*phoneStep%1e8),
		Password: Password,
		Name:     fmt.Sprintf("Person %d", n),
		Company:  fmt.Sprintf("Company %d", n),
		Client:   f.clientFrom(address),
	}
}

// Answer is an answer with its body read.
type Answer struct {
	Status   int
	Location string
	Header   http.Header
	Body     string
}

// Forget removes the person's cookies.
func (p *Person) Forget() { p.Client.Jar, _ = cookiejar.New(nil) }

// Get requests a page. host is its first label, such as "account".
func (p *Person) Get(ctx context.Context, host, path string) (Answer, error) {
	return p.GetURL(ctx, "https://"+host+"."+Host+path)
}

// GetURL requests a page by its whole address.
func (p *Person) GetURL(ctx context.Context, address string) (Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Answer{}, err
	}
	return p.do(r)
}

// Post sends a form as its own page would. pairs are names and values.
func (p *Person) Post(ctx context.Context, host, path string, pairs ...string) (Answer, error) {
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequestWithContext(
		ctx, http.MethodPost, "https://"+host+"."+Host+path, strings.NewReader(form.Encode()),
	)
	if err != nil {
		return Answer{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return p.do(r)
}

func (p *Person) do(r *http.Request) (Answer, error) {
	answer, err := p.Client.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	var body bytes.Buffer
	if _, err := io.Copy(&body, answer.Body); err != nil {
		return Answer{}, err
	}
	return Answer{answer.StatusCode, answer.Header.Get("Location"), answer.Header, body.String()}, nil
}

// want returns an error that names the step unless the answer has a status.
func (a Answer) want(step string, status int) error {
	if a.Status == status {
		return nil
	}
	return fmt.Errorf("%s: status %d, want %d\n%s", step, a.Status, status, a.Body)
}

// Register registers the person's company with a verification code.
func (p *Person) Register(ctx context.Context, messages *Messages) error {
	answer, err := p.Post(ctx, "account", "/register", "action", "send_code", "phone", p.Phone)
	if err == nil {
		err = answer.want("asking for a code", http.StatusOK)
	}
	if err != nil {
		return err
	}
	answer, err = p.Post(ctx, "account", "/register", "phone", p.Phone, "code", messages.Code(p.Phone),
		"password", p.Password, "name", p.Name, "company_name", p.Company, "agree", "1")
	if err != nil {
		return err
	}
	return answer.want("registering", http.StatusSeeOther)
}

// SignIn signs in with the password and follows the way to the back office. It returns the address of the first page
// there.
func (p *Person) SignIn(ctx context.Context) (arrived string, err error) {
	answer, err := p.Post(ctx, "account", "/login", "phone", p.Phone, "password", p.Password)
	if err == nil {
		err = answer.want("signing in", http.StatusSeeOther)
	}
	if err != nil {
		return "", err
	}
	return p.follow(ctx, answer.Location)
}

// maxRedirects is how many redirects lead to a page at most.
const maxRedirects = 6

func (p *Person) follow(ctx context.Context, location string) (arrived string, err error) {
	at := &url.URL{Scheme: "https", Host: "account." + Host}
	for range maxRedirects {
		if at, err = at.Parse(location); err != nil {
			return "", err
		}
		answer, err := p.GetURL(ctx, at.String())
		if err != nil {
			return "", err
		}
		if answer.Status == http.StatusOK {
			return at.String(), nil
		}
		if err := answer.want("following "+at.Path, http.StatusSeeOther); err != nil {
			return "", err
		}
		location = answer.Location
	}
	return "", fmt.Errorf("more than %d redirects, the last to %s", maxRedirects, location)
}
