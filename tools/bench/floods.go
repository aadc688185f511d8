package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math/bits"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
	"portico/tools/bench/figures"
)

const (
	signInFloodTime        = 12 * time.Second
	signInFloodConnections = 200
	honestPatience         = 5 * time.Second
	honestEvery            = 300 * time.Millisecond
	perNetwork             = 25 // requests of a flood before it takes the next network

	lookUps     = 20_000
	expiredRows = 200_000

	trustsLoopback = "PORTICO_TRUSTED_PROXIES=127.0.0.1/32,::1/128"
)

// floods measures how the program serves other people during a flood of sign-ins, a flood of look-ups, many idle
// sockets, and a sweep. The load runs on the same machine, so the figures are worse than with an attacker elsewhere.
func (b *bench) floods(ctx context.Context) error {
	same := func(int64) string { return "203.0.113.66" }
	next := func(i int64) string { return fmt.Sprintf("2001:db8:7:%x::1", i/perNetwork%0x10000) }
	for _, part := range []func() error{
		func() error { return b.signInFlood(ctx, "strict, one address", same, "PORTICO_PRIVACY=strict") },
		func() error { return b.signInFlood(ctx, "one /48", next, "PORTICO_PRIVACY=spec") },
		func() error { return b.idleSockets(ctx) },
		func() error { return b.refusedLookUps(ctx) },
		func() error { return b.signInDuringSweep(ctx) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// signInFlood lets 200 connections sign in with made-up phones. Meanwhile honest people sign in: some in a browser that
// signed in before, some in a new one at a new address.
func (b *bench) signInFlood(ctx context.Context, name string, address func(i int64) string, setting string) error {
	program, err := b.porticoWith(ctx, trustsLoopback, setting)
	if err != nil {
		return err
	}
	defer program.stop()
	device, err := deviceOf(ctx, program.url, demoPhones[0])
	if err != nil {
		return err
	}
	flooding, stop := context.WithTimeout(ctx, signInFloodTime)
	defer stop()
	var all sync.WaitGroup
	var sent atomic.Int64
	var mu sync.Mutex
	var refusals []float64 // milliseconds
	for range signInFloodConnections {
		all.Go(func() {
			client := newClient()
			defer client.CloseIdleConnections()
			for flooding.Err() == nil {
				i := sent.Add(1)
				form := url.Values{"phone": {fmt.Sprintf("139%08d", i)}, "password": {"Wrong2026"}}.Encode()
				began := time.Now()
				from := map[string]string{"X-Forwarded-For": address(i)}
				status, _, err := client.do(flooding, "POST", program.url+"/login", form, "", from)
				if err == nil && isBusy(status) {
					mu.Lock()
					refusals = append(refusals, time.Since(began).Seconds()*1000)
					mu.Unlock()
				}
			}
		})
	}
	time.Sleep(time.Second) // wait until the flood has begun
	var known, unknown signInCounts
	for i := 0; flooding.Err() == nil; i++ {
		all.Go(func() { known.add(signInHonestPerson(ctx, program.url, demoPhones[0], "198.51.100.7", device)) })
		all.Go(func() {
			unknown.add(signInHonestPerson(ctx, program.url, demoPhones[1+i%3], fmt.Sprintf("10.%d.%d.9", i%250, i/250),
				""))
		})
		time.Sleep(honestEvery)
	}
	all.Wait()
	b.table.Add("flood, "+name+": known devices sign in", known.share(), "%", figures.AtLeast, 100,
		"%d of %d, median %.0f ms; %d requests of the flood",
		known.done, known.all, figures.Median(known.times), sent.Load())
	b.table.Add("flood, "+name+": new browsers sign in within 5 s", unknown.share(), "%", figures.AtLeast, 80,
		"%d of %d, median %.0f ms",
		unknown.done, unknown.all, figures.Median(unknown.times))
	b.table.Add(
		"flood, "+name+": median of refusals", figures.Median(refusals), "ms", figures.AtMost, 100,
		"95 %% in %.0f ms, of %d", figures.Percentile(refusals, 95), len(refusals),
	)
	return nil
}

func isBusy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// signInCounts counts honest sign-ins. times has the durations of those that succeeded, in milliseconds.
type signInCounts struct {
	mu        sync.Mutex
	done, all int
	times     []float64
}

func (t *signInCounts) add(took time.Duration, signedIn bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all++; signedIn {
		t.done++
		t.times = append(t.times, took.Seconds()*1000)
	}
}

func (t *signInCounts) share() float64 { return 100 * float64(t.done) / float64(max(1, t.all)) }

var (
	workSet   = regexp.MustCompile(`data-island="prove"[^>]*data-props="([^"]*)"`)
	deviceSet = regexp.MustCompile(`portico_device=[^;]+`)
)

// signInHonestPerson signs a person in as a browser does. For five seconds it tries again: at once after doing the
// required work, otherwise after 200 ms.
func signInHonestPerson(ctx context.Context, address, phone, from, device string) (took time.Duration, signedIn bool) {
	began := time.Now()
	ctx, stop := context.WithDeadline(ctx, began.Add(honestPatience))
	defer stop()
	form := url.Values{"phone": {phone}, "password": {onboarding.DemoPassword}}
	for ctx.Err() == nil {
		status, page, err := postPage(ctx, address+"/login", form, from, device)
		if err == nil && status == http.StatusSeeOther {
			return time.Since(began), true
		}
		form.Del("proof")
		if set := workSet.FindStringSubmatch(page); set != nil {
			proof := struct {
				Token string
				Bits  int
			}{}
			if json.Unmarshal([]byte(html.UnescapeString(set[1])), &proof) == nil {
				form.Set("proof", proof.Token)
				form.Set("work", prove(proof.Token, proof.Bits))
				continue
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	return time.Since(began), false
}

// prove finds the smallest number that proves the work.
func prove(token string, zeros int) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(token + ":" + strconv.Itoa(n)))
		found := bits.LeadingZeros32(uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3]))
		if found >= zeros {
			return strconv.Itoa(n)
		}
	}
}

func postPage(ctx context.Context, address string, form url.Values, from, cookie string) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", from)
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	body, err := readAll(answer)
	return answer.StatusCode, string(body), err
}

// deviceOf signs a phone in and returns the device cookie of the browser, which is known from then on.
func deviceOf(ctx context.Context, address, phone string) (string, error) {
	status, header, err := newClient().do(ctx, "POST", address+"/login", loginForm("phone", phone), "", nil)
	if err != nil {
		return "", err
	}
	device := deviceSet.FindString(strings.Join(header.Values("Set-Cookie"), "\n"))
	if status != http.StatusSeeOther || device == "" {
		return "", fmt.Errorf("signing in answers %d, with the device %q", status, device)
	}
	return device, nil
}

// idleSockets opens sockets that send only the beginning of a multipart form to /upload, and sends complete forms
// meanwhile.
func (b *bench) idleSockets(ctx context.Context) error {
	for _, sockets := range []int{64, 640} {
		program, err := b.porticoWith(ctx, trustsLoopback)
		if err != nil {
			return err
		}
		host := strings.Replace(strings.TrimPrefix(program.url, "http://"), "localhost", "store1001.localhost", 1)
		const part = "--b\r\nContent-Disposition: form-data; name=\"phone\"\r\n\r\n"
		post := func(path, from, body string, length int) (net.Conn, error) {
			c, err := net.Dial("tcp", strings.TrimPrefix(program.url, "http://"))
			if err == nil {
				_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: %s\r\n"+
					"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n%s",
					path, host, from, length, body)
			}
			return c, err
		}
		var open []net.Conn
		for i := range sockets {
			c, err := post("/upload", fmt.Sprintf("2001:db8:7:%x::1", i%8), part+"x", 100_000)
			if err != nil {
				return err
			}
			open = append(open, c)
		}
		time.Sleep(200 * time.Millisecond)
		failed, sent := 0, 0
		for range 50 {
			for _, path := range []string{"/upload", "/register/more"} {
				body := part + "13900000999\r\n--b--\r\n"
				c, err := post(path, "198.51.100.9", body, len(body))
				if err != nil {
					return err
				}
				_ = c.SetDeadline(time.Now().Add(honestPatience))
				answer, err := http.ReadResponse(bufio.NewReader(c), nil)
				_ = c.Close()
				sent++
				if err != nil || isBusy(answer.StatusCode) {
					failed++
				}
			}
		}
		for _, c := range open {
			_ = c.Close()
		}
		program.stop()
		name := fmt.Sprintf("%d idle sockets: honest forms refused", sockets)
		b.table.Add(name, float64(failed), "", figures.Exactly, 0, "of %d", sent)
	}
	return nil
}

// refusedLookUps looks up 20,000 names from one address, and compares the time of the first refusals with the last.
func (b *bench) refusedLookUps(ctx context.Context) error {
	program, err := b.porticoWith(ctx, trustsLoopback)
	if err != nil {
		return err
	}
	defer program.stop()
	var next atomic.Int64
	ask := func(client client) error {
		form := url.Values{"login": {fmt.Sprintf("zz%d", next.Add(1))}, "action": {"send_code"}}.Encode()
		from := map[string]string{"X-Forwarded-For": "203.0.113.66"}
		status, _, err := client.do(ctx, "POST", program.url+"/forget/account", form, "", from)
		if err == nil && status >= http.StatusInternalServerError {
			err = fmt.Errorf("a look-up answers %d", status)
		}
		return err
	}
	client := newClient()
	defer client.CloseIdleConnections()
	hundred := func() (float64, error) {
		var times []float64
		for range 100 {
			began := time.Now()
			if err := ask(client); err != nil {
				return 0, err
			}
			times = append(times, time.Since(began).Seconds()*1000)
		}
		return figures.Median(times), nil
	}
	for range 20 { // the limit is reached
		if err := ask(client); err != nil {
			return err
		}
	}
	first, err := hundred()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	var failed atomic.Int64
	for range 12 {
		all.Go(func() {
			for next.Load() < lookUps && ctx.Err() == nil {
				if ask(client) != nil {
					failed.Add(1)
				}
			}
		})
	}
	all.Wait()
	last, err := hundred()
	if err != nil {
		return err
	}
	if failed.Load() > 0 {
		return fmt.Errorf("%d look-ups failed", failed.Load())
	}
	rows, err := countRows(ctx, program.database(), "lookups")
	if err != nil {
		return err
	}
	b.table.Add("20,000 refused look-ups: last 100 against first 100", last/first, "", figures.AtMost, 1.5,
		"%.2f against %.2f ms", last, first)
	b.table.Add("20,000 refused look-ups: rows", float64(rows), "", figures.AtMost, 11, "")
	return nil
}

func countRows(ctx context.Context, path, table string) (n int, err error) {
	db, err := sqlx.ConnectContext(ctx, "sqlite3", "file:"+path+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		return 0, err
	}
	err = db.GetContext(ctx, &n, "SELECT COUNT(*) FROM "+table)
	return n, errors.Join(err, db.Close())
}

// signInDuringSweep signs people in while a sweep removes 200,000 expired signatures from the same database.
func (b *bench) signInDuringSweep(ctx context.Context) error {
	program, err := b.porticoWith(ctx)
	if err != nil {
		return err
	}
	path := program.database()
	program.stop()
	raw, err := sqlx.ConnectContext(ctx, "sqlite3", "file:"+path+"?_busy_timeout=5000")
	if err != nil {
		return err
	}
	_, err = raw.ExecContext(ctx, `INSERT INTO signatures (id, path, expires_at) WITH RECURSIVE n (i) AS
		(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT hex(randomblob(16)), '/', 1 FROM n`, expiredRows)
	if err := errors.Join(err, raw.Close()); err != nil {
		return err
	}
	db, err := store.Open(ctx, "sqlite:"+path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	p, err := portal.New(portal.Options{
		DB: db, Base: &url.URL{Scheme: "http", Host: "localhost"}, Secret: []byte(strings.Repeat("bench ", 6)),
		NoLimit: true,
	})
	if err != nil {
		return err
	}
	place, err := p.Access.Locate(ctx, access.LocateInput{Host: "account.localhost"})
	if err != nil {
		return err
	}
	swept := make(chan error, 1)
	began := time.Now()
	go func() { swept <- p.Sweep(ctx) }()
	var times []float64
	for {
		select {
		case err := <-swept:
			sweep := time.Since(began)
			b.table.Add(
				"sweep of 200,000 rows: slowest sign-in", figures.Percentile(times, 100), "ms", figures.AtMost, 500,
				"of %d, median %.0f ms; the sweep took %.1f s", len(times), figures.Median(times), sweep.Seconds(),
			)
			return err
		default:
		}
		start := time.Now()
		in := signin.LoginInput{
			Phone:    demoPhones[0],
			Password: onboarding.DemoPassword,
			Browser:  access.Browser{Place: place},
		}
		if _, err := p.Signin.Login(ctx, in); err != nil {
			return err
		}
		times = append(times, time.Since(start).Seconds()*1000)
	}
}
