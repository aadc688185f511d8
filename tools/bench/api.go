package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"portico/e2e/testscope"
	"portico/portal/onboarding"
	"portico/tools/bench/figures"
)

const (
	signSecret = "portico-dev-sign-secret"
	accounts   = "/v1/account/getAccountList"
	regions    = "/v1/common/helper/buildRegionTree"
)

// api measures signed calls: one with a token against a handler that sends the same answer, the region tree that a
// client has cached against a handler that answers 304, and the signature check by itself.
func (b *bench) api(ctx context.Context) error {
	portico, err := b.portico(ctx)
	if err != nil {
		return err
	}
	defer portico.stop()
	token, err := apiToken(ctx, portico.url)
	if err != nil {
		return err
	}
	list := request{"GET", portico.url + accounts, http.StatusOK, signedHeaders(token, "")}
	tree := request{"GET", portico.url + regions, http.StatusOK, signedHeaders("", "")}
	first, err := requestOnce(ctx, tree)
	if err != nil {
		return err
	}
	tree.want = http.StatusNotModified
	tree.headers["If-None-Match"] = first.Header.Get("Etag")
	var legs []repeatedRequest
	for _, r := range []request{list, tree} {
		same, err := requestOnce(ctx, r)
		if err != nil {
			return err
		}
		bare, err := b.startBareServer(same)
		if err != nil {
			return err
		}
		defer bare.stop()
		legs = append(legs, repeatedRequest{portico, r},
			repeatedRequest{bare, request{"GET", bare.url + "/", r.want, r.headers}})
	}
	_, rate, err := measureInTurns(ctx, legs)
	if err != nil {
		return err
	}
	check, err := signatureCheck(ctx)
	if err != nil {
		return err
	}
	b.table.Add(
		"signed call with a token: rate at 64 connections", figures.Ratio(rate[0], rate[1]), "", figures.AtLeast, 0.25,
		"%.0f against %.0f a second of a bare handler", figures.Median(rate[0]), figures.Median(rate[1]),
	)
	b.table.Add(
		"region tree, 304: rate at 64 connections", figures.Ratio(rate[2], rate[3]), "", figures.AtLeast, 0.8,
		"%.0f against %.0f a second of a bare handler", figures.Median(rate[2]), figures.Median(rate[3]),
	)
	b.table.Add("signature check", check, "µs", figures.AtMost, 20, "")
	return nil
}

// signedHeaders returns the headers of a signed call, which are valid for five minutes.
func signedHeaders(token, params string) map[string]string {
	now := time.Now().UnixMilli()
	timestamp, nonce := strconv.FormatInt(now, 10), strconv.FormatInt(now+4217, 10)
	mac := hmac.New(sha256.New, []byte(signSecret))
	fmt.Fprintf(mac, "%s\n%s\n%s\n%s", token, timestamp, nonce, params)
	return map[string]string{
		"X-Token": token, "X-Timestamp": timestamp, "X-Nonce": nonce, "X-Token-Type": "APP", "X-App-Source": "IOS",
		"X-Sign": hex.EncodeToString(mac.Sum(nil)),
	}
}

// apiToken signs in as a customer.
func apiToken(ctx context.Context, address string) (string, error) {
	form := url.Values{"login_": {demoPhones[0]}, "password_": {onboarding.DemoPassword}}.Encode()
	r, err := http.NewRequestWithContext(
		ctx, http.MethodPost, address+"/v1/account/mixedLogin", strings.NewReader(form),
	)
	if err != nil {
		return "", err
	}
	for name, value := range signedHeaders("", form) {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	body, err := readAll(got)
	if err != nil {
		return "", err
	}
	var in struct {
		Data struct {
			User struct {
				Token string `json:"token_"`
			} `json:"user_"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Data.User.Token == "" {
		return "", fmt.Errorf("mixedLogin answers %s: %w", body, errors.Join(err, errors.New("no token")))
	}
	return in.Data.User.Token, nil
}

// requestOnce makes a request and returns the answer, which a bare server repeats.
func requestOnce(ctx context.Context, r request) (answer, error) {
	call, err := http.NewRequestWithContext(ctx, r.method, r.url, nil)
	if err != nil {
		return answer{}, err
	}
	for name, value := range r.headers {
		call.Header.Set(name, value)
	}
	got, err := http.DefaultTransport.RoundTrip(call)
	if err != nil {
		return answer{}, err
	}
	body, err := readAll(got)
	if err == nil && got.StatusCode != r.want {
		err = fmt.Errorf("%s answers %d: %s", r.url, got.StatusCode, body)
	}
	got.Header.Del("Date") // the bare server's own
	return answer{Status: got.StatusCode, Header: got.Header, Body: body}, err
}

var benchmarkLine = regexp.MustCompile(`BenchmarkSignature\S*\s+\d+\s+(\S+) ns/op`)

// signatureCheck is what one check takes in microseconds, from the package's own benchmark.
func signatureCheck(ctx context.Context) (float64, error) {
	benchmark := exec.CommandContext(ctx, "go", "test", "./api", "-run", "^$", "-bench", "^BenchmarkSignature$")
	benchmark.Dir = testscope.Root()
	out, err := benchmark.CombinedOutput()
	found := benchmarkLine.FindSubmatch(out)
	if err != nil || found == nil {
		return 0, fmt.Errorf("go test -bench: %w\n%s", err, out)
	}
	ns, err := strconv.ParseFloat(string(found[1]), 64)
	return ns / 1000, err
}
