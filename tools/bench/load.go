package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// connections is how many are kept open under load.
const connections = 64

// request is a request that is repeated. Every answer must have the wanted status. A POST sends an empty
// form.
type request struct {
	method, url string
	want        int
	headers     map[string]string
}

// load is the result of hammer.
type load struct {
	answers, failed int
	rate            float64 // a second
}

// hammer makes requests over 64 connections that stay open, as fast as they are answered, for a while.
func hammer(ctx context.Context, r request, wait time.Duration) (load, error) {
	target := vegeta.Target{Method: r.method, URL: r.url, Header: http.Header{"Accept-Encoding": {"gzip, deflate, br"}}}
	if r.method == http.MethodPost {
		target.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range r.headers {
		target.Header.Set(name, value)
	}
	attacker := vegeta.NewAttacker(vegeta.Workers(connections), vegeta.MaxWorkers(connections),
		vegeta.Connections(connections), vegeta.HTTP2(false), vegeta.Redirects(vegeta.NoFollow), vegeta.MaxBody(0))
	defer context.AfterFunc(ctx, func() { attacker.Stop() })()
	var got load
	start := time.Now()
	for result := range attacker.Attack(vegeta.NewStaticTargeter(target), vegeta.Rate{}, wait, r.url) {
		got.answers++
		if int(result.Code) != r.want {
			got.failed++
		}
	}
	got.rate = float64(got.answers) / time.Since(start).Seconds()
	if err := ctx.Err(); err != nil {
		return got, err
	}
	if got.failed > 0 || got.answers == 0 {
		return got, fmt.Errorf("%s %s: %d of %d answers are not %d", r.method, r.url, got.failed, got.answers, r.want)
	}
	return got, nil
}

// client follows no redirects and keeps no cookies.
type client struct{ *http.Transport }

func newClient() client {
	return client{&http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
}

// do sends a form or requests a page, reads the whole answer, and returns its status and headers. A header "Host" names
// another host of the same server.
func (c client) do(
	ctx context.Context, method, url, form, cookie string, headers map[string]string,
) (int, http.Header, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(form))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Accept-Encoding", "gzip, deflate, br")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	r.Host = headers["Host"] // "" means the host of the address
	answer, err := c.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	_, err = readAll(answer)
	return answer.StatusCode, answer.Header, err
}

func readAll(r *http.Response) ([]byte, error) {
	defer func() { _ = r.Body.Close() }()
	return io.ReadAll(r.Body)
}
