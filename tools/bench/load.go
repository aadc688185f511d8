package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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

// hammer makes requests over 64 connections that stay open, for a while. It uses wrk where that is installed, because
// wrk leaves more of the processor to the server.
func (b *bench) hammer(ctx context.Context, r request, wait time.Duration) (load, error) {
	with := hammerSelf
	if _, err := exec.LookPath("wrk"); err == nil {
		with = b.hammerWrk
	}
	got, err := with(ctx, r, wait)
	if err == nil && (got.failed > 0 || got.answers == 0) {
		err = fmt.Errorf("%s %s: %d of %d answers are not %d", r.method, r.url, got.failed, got.answers, r.want)
	}
	return got, err
}

// wrkScript prints answers, those of status 400 and above, broken connections and microseconds.
const wrkScript = `wrk.method = %q
wrk.headers["Accept-Encoding"] = "gzip, deflate, br"
%s
if wrk.method == "POST" then
	wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
	wrk.body = ""
end
function done(s)
	local broken = s.errors.connect + s.errors.read + s.errors.write + s.errors.timeout
	io.stderr:write(s.requests, " ", s.errors.status, " ", broken, " ", s.duration)
end
`

func (b *bench) hammerWrk(ctx context.Context, r request, wait time.Duration) (load, error) {
	script := filepath.Join(b.dir, "wrk-"+r.method+".lua")
	var headers strings.Builder
	for name, value := range r.headers {
		fmt.Fprintf(&headers, "wrk.headers[%q] = %q\n", name, value)
	}
	if err := os.WriteFile(script, fmt.Appendf(nil, wrkScript, r.method, headers.String()), 0o600); err != nil {
		return load{}, err
	}
	var out strings.Builder
	wrk := exec.CommandContext(
		ctx, "wrk", "-t2", fmt.Sprintf("-c%d", connections), fmt.Sprintf("-d%.0fs", wait.Seconds()), "-s", script,
		r.url,
	)
	wrk.Stderr = &out
	if err := wrk.Run(); err != nil {
		return load{}, fmt.Errorf("wrk: %w\n%s", err, out.String())
	}
	var got load
	var refused, broken int
	var micros float64
	if _, err := fmt.Sscan(out.String(), &got.answers, &refused, &broken, &micros); err != nil {
		return load{}, fmt.Errorf("wrk: %w\n%s", err, out.String())
	}
	got.rate = float64(got.answers) / micros * 1e6
	got.failed = refused + broken
	if r.want >= http.StatusBadRequest {
		got.failed = got.answers - refused + broken
	}
	return got, nil
}

func hammerSelf(ctx context.Context, r request, wait time.Duration) (load, error) {
	client := newClient()
	defer client.CloseIdleConnections()
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	var answers, failed atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range connections {
		all.Go(func() {
			for ctx.Err() == nil {
				status, _, err := client.do(ctx, r.method, r.url, "", "", r.headers)
				if ctx.Err() != nil {
					return
				}
				answers.Add(1)
				if err != nil || status != r.want {
					failed.Add(1)
				}
			}
		})
	}
	all.Wait()
	return load{int(answers.Load()), int(failed.Load()), float64(answers.Load()) / time.Since(start).Seconds()}, nil
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
