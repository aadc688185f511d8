package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"portico/server"
)

const (
	spoofedAddress = "203.0.113.7" // reserved for documentation: nobody has it
	uploadBytes    = 6 << 20       // more than the largest picture
	certificateDue = 14 * 24 * time.Hour
	maxDrift       = 30 * time.Second // calls with a signature of another minute are refused
	maxAnswer      = 64 << 10         // bytes
)

// Proxy checks the way from the public address of a platform to a running instance. ask makes the value of
// server.DoctorHeader.
func Proxy(
	base *url.URL, requests Requests, lookUp LookUp, ask func(now time.Time) (string, error),
) Area {
	return Area{"proxy", func(ctx context.Context) []Result {
		var l list
		p := proxyCheck{list: &l, base: base, requests: requests, ask: ask}
		answer, seen, ok := p.question(ctx, http.MethodGet, nil)
		if !ok {
			return l
		}
		p.tls(answer)
		p.host(seen)
		if leadsHere(ctx, lookUp, base.Hostname()) {
			p.warn("caller", "this machine calls itself, so whom the instance sees cannot be checked from here",
				"run portico doctor proxy on another machine too")
		} else {
			p.address(seen)
		}
		p.clock(answer)
		p.requestID(ctx)
		p.upload(ctx)
		p.redirect(ctx)
		return l
	}}
}

type proxyCheck struct {
	*list
	base     *url.URL
	requests Requests
	ask      func(now time.Time) (string, error)
}

// leadsHere reports whether the account site's name leads to this machine by its loopback.
func leadsHere(ctx context.Context, lookUp LookUp, host string) bool {
	found, err := lookUp(ctx, "account."+host)
	return err == nil && slices.ContainsFunc(found, func(text string) bool {
		address, err := netip.ParseAddr(text)
		return err == nil && address.IsLoopback()
	})
}

// site returns the address of the account site with another scheme.
func (p proxyCheck) site(scheme, path string) string {
	return scheme + "://account." + p.base.Host + path
}

// question asks a running instance how a request looks there.
func (p proxyCheck) question(ctx context.Context, method string, body io.Reader) (*http.Response, server.Seen, bool) {
	var seen server.Seen
	address := p.site(p.base.Scheme, "/livez")
	sealed, err := p.ask(time.Now())
	if err != nil {
		p.fail("reach", err.Error(), "look at PORTICO_SECRET")
		return nil, seen, false
	}
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		p.fail("reach", err.Error(), "look at PORTICO_BASE")
		return nil, seen, false
	}
	r.Header.Set(server.DoctorHeader, sealed)
	r.Header.Set("X-Forwarded-For", spoofedAddress)
	answer, err := p.requests.Do(r)
	if err != nil {
		p.fail("reach", fmt.Sprintf("%s does not answer: %v", address, err),
			"look at the name, the proxy, its certificate, and whether portico serve runs")
		return nil, seen, false
	}
	defer func() { _ = answer.Body.Close() }()
	if method != http.MethodGet {
		return answer, seen, true
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil || answer.StatusCode != http.StatusOK {
		p.fail("reach", fmt.Sprintf("%s answers %d", address, answer.StatusCode),
			"look at the proxy: it must pass every path of every host to Portico")
		return answer, seen, false
	}
	if json.Unmarshal(text, &seen) != nil || seen.Host == "" {
		p.fail("reach", address+" answers, and not as an instance with these settings",
			"the proxy leads elsewhere, the instance has another PORTICO_SECRET, its clock is wrong, or it is older")
		return answer, seen, false
	}
	p.ok("reach", "%s leads to a running instance", address)
	return answer, seen, true
}

func (p proxyCheck) tls(answer *http.Response) {
	if p.base.Scheme != "https" || answer.TLS == nil || len(answer.TLS.PeerCertificates) == 0 {
		return
	}
	left := time.Until(answer.TLS.PeerCertificates[0].NotAfter)
	if left < certificateDue {
		p.warn(
			"certificate",
			fmt.Sprintf("it ends in %d days", int(left.Hours()/24)),
			"renew it; see why that did not happen",
		)
		return
	}
	p.ok("certificate", "valid for %d days", int(left.Hours()/24))
}

func (p proxyCheck) host(seen server.Seen) {
	if want := "account." + p.base.Host; seen.Host != want {
		p.fail("host", fmt.Sprintf("the instance sees the host %q instead of %q", seen.Host, want),
			"let the proxy pass Host unchanged (nginx: proxy_set_header Host $http_host)")
		return
	}
	p.ok("host", "passed unchanged")
}

func (p proxyCheck) address(seen server.Seen) {
	address, err := netip.ParseAddr(seen.Address)
	switch {
	case seen.Address == spoofedAddress:
		p.fail("caller", "the instance believes the X-Forwarded-For that visitors send",
			"let the proxy append the caller (nginx: $proxy_add_x_forwarded_for) or replace the header")
	case err != nil:
		p.fail("caller", fmt.Sprintf("the instance does not know who calls (%q)", seen.Address),
			"let the proxy append the caller to X-Forwarded-For")
	case seen.Address == seen.Peer && !address.IsLoopback():
		p.fail("caller", "the instance takes the proxy "+seen.Peer+" for the caller: all people share its rate limit",
			"add its network to PORTICO_TRUSTED_PROXIES")
	default:
		p.ok("caller", "the instance sees this machine as %s", seen.Address)
	}
}

func (p proxyCheck) clock(answer *http.Response) {
	date, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return
	}
	if drift := time.Since(date).Abs(); drift > maxDrift {
		p.fail(
			"clock",
			fmt.Sprintf("the clocks of the proxy and of this machine differ by %s", drift.Round(time.Second)),
			"let both follow a time server (chrony, systemd-timesyncd)",
		)
		return
	}
	p.ok("clock", "as this machine's")
}

func (p proxyCheck) requestID(ctx context.Context) {
	answer, _, _ := p.question(ctx, http.MethodHead, nil)
	if answer == nil {
		return
	}
	if id := answer.Header.Get("X-Request-Id"); id == "" {
		p.warn("request id", "answers have no X-Request-Id", "let the proxy pass it on, so that people can name it")
		return
	}
	p.ok("request id", "answers carry it")
}

func (p proxyCheck) upload(ctx context.Context) {
	answer, _, _ := p.question(ctx, http.MethodPost, bytes.NewReader(make([]byte, uploadBytes)))
	if answer == nil {
		return
	}
	if answer.StatusCode == http.StatusRequestEntityTooLarge {
		p.fail(
			"uploads",
			fmt.Sprintf("the proxy refuses requests of %d MB: people cannot send pictures", uploadBytes>>20),
			"allow 16 MB (nginx: client_max_body_size 16m)",
		)
		return
	}
	p.ok("uploads", "requests of %d MB arrive", uploadBytes>>20)
}

func (p proxyCheck) redirect(ctx context.Context) {
	if p.base.Scheme != "https" {
		return
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.site("http", "/login"), nil)
	if err != nil {
		return
	}
	answer, err := p.requests.Do(r)
	if err != nil {
		p.warn(
			"http",
			fmt.Sprintf("port 80 does not answer: %v", err),
			"redirect it to https for people who type the name",
		)
		return
	}
	_ = answer.Body.Close()
	if to := answer.Header.Get("Location"); to != p.site("https", "/login") {
		p.warn("http", fmt.Sprintf("http answers %d and leads to %q", answer.StatusCode, to), "redirect it to https")
		return
	}
	p.ok("http", "redirects to https")
}
