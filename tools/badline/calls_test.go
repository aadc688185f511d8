package badline_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/tools/badline"
)

// caller is a program that makes signed calls through a proxy of its own.
type caller struct {
	t      testing.TB
	proxy  *badline.Proxy
	client *http.Client
	base   string
}

// signed is a call with its signature. Sending it again sends the same bytes.
type signed struct {
	method, url, contentType string
	body                     []byte
	header                   http.Header
}

// envelope is the answer to every call.
type envelope struct {
	Status int             `json:"status"`
	Code   string          `json:"code"`
	Data   json.RawMessage `json:"data"`
	text   string
}

// newCaller returns a caller with a proxy of its own.
func newCaller(t testing.TB, s *site) *caller {
	t.Helper()
	proxy, err := badline.Start("127.0.0.1:" + s.port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	dialer := &net.Dialer{}
	return &caller{t: t, proxy: proxy, base: s.at("api", ""), client: &http.Client{
		Timeout: patience,
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true,
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, proxy.Address())
			}},
	}}
}

// sign signs a call as docs/api.md says. Parameters are pairs; asJSON sends them as a JSON object.
func (c *caller) sign(method, path, token, key string, asJSON bool, params []string) signed {
	now := time.Now().UnixMilli()
	stamp, nonce := strconv.FormatInt(now, 10), fmt.Sprintf("%d%d", now, numbers.Add(1))
	values := url.Values{}
	object := map[string]any{}
	for i := 0; i+1 < len(params); i += 2 {
		values.Add(params[i], params[i+1])
		object[params[i]] = params[i+1]
	}
	s := signed{method: method, url: c.base + path, header: http.Header{}}
	if asJSON {
		s.body, _ = json.Marshal(object)
		s.contentType = "application/json"
		sum := sha256.Sum256(s.body)
		values = url.Values{"body": {hex.EncodeToString(sum[:])}}
	}
	var parts []string
	for name, all := range values {
		for _, value := range all {
			parts = append(parts, name+"\x00"+value)
		}
	}
	slices.Sort(parts)
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "\x00")
		parts[i] = escaped(name) + "=" + escaped(value)
	}
	text := strings.Join(parts, "&")
	switch {
	case asJSON:
	case method == http.MethodGet:
		s.url += "?" + text
	default:
		s.contentType, s.body = "application/x-www-form-urlencoded", []byte(text)
	}
	mac := hmac.New(sha256.New, []byte(signSecret))
	mac.Write([]byte(strings.Join([]string{token, stamp, nonce, text}, "\n")))
	for name, value := range map[string]string{
		"X-Token": token, "X-Timestamp": stamp, "X-Nonce": nonce, "X-Token-Type": "APP", "X-App-Source": "IOS",
		"Accept-Language": "en",
		"X-Sign":          hex.EncodeToString(mac.Sum(nil)), "Content-Type": s.contentType, "Idempotency-Key": key,
	} {
		if value != "" {
			s.header.Set(name, value)
		}
	}
	return s
}

// escaped percent-encodes a text as in RFC 3986.
func escaped(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(s), "+", "%20"), "%7E", "~")
}

// send makes a call; an error means that the connection failed.
func (c *caller) send(s signed) (envelope, error) {
	r, err := http.NewRequestWithContext(c.t.Context(), s.method, s.url, bytes.NewReader(s.body))
	if err != nil {
		return envelope{}, err
	}
	r.Header = s.header.Clone()
	answer, err := c.client.Do(r)
	if err != nil {
		return envelope{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return envelope{}, err
	}
	e := envelope{text: fmt.Sprintf("HTTP %d %s", answer.StatusCode, body)}
	return e, json.Unmarshal(body, &e)
}

// do makes a call without a fault; it ends the test unless the answer is ok.
func (c *caller) do(method, path, token string, params ...string) envelope {
	c.t.Helper()
	e, err := c.send(c.sign(method, path, token, "", false, params))
	if err != nil || e.Code != "ok" {
		c.t.Fatalf("%s: %v %s", path, err, e.text)
	}
	return e
}

// read returns a value of an answer, by the names that lead to it.
func (e envelope) read(names ...string) string {
	var at any
	_ = json.Unmarshal(e.Data, &at)
	for _, name := range names {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	if n, ok := at.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	text, _ := at.(string)
	return text
}

// callScene is one test of a call: its people and the call's parameters.
type callScene struct {
	t       *testing.T
	s       *site
	api     *caller
	company testCompany
	token   string
	params  []string
	asJSON  bool
	effect  func() int // how often the operation was done
	last    envelope   // the answer of the last attempt
}

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// sentAlready is the answer to a second request for a code within a minute: the first code was sent and is valid.
const sentAlready = "code_already_sent"

// Each call is made with each fault. The operation is done exactly once, and the answer is a success. `make test` tries
// a lost response, and two calls at once.
func TestEveryCallTakesEffectOnceOverABadLine(t *testing.T) {
	t.Parallel()
	for _, row := range callRows {
		t.Run(row.path[strings.LastIndex(strings.TrimSuffix(row.path, "/{id}"), "/")+1:], func(t *testing.T) {
			t.Parallel()
			row.run(t, "response lost, signed again", func(x *callScene, sign func() signed) envelope {
				x.lose(sign())
				return x.must(x.api.send(sign()))
			})
			row.run(t, "twice at once", func(x *callScene, sign func() signed) envelope {
				var both sync.WaitGroup
				answers := make([]envelope, 2)
				for i, s := range []signed{sign(), sign()} {
					both.Go(func() { answers[i], _ = x.api.send(s) })
				}
				both.Wait()
				for _, e := range answers {
					row.wantOK(x, e)
				}
				return answers[1]
			})
			if row.creates {
				row.run(t, "answer lost, same key", func(x *callScene, _ func() signed) envelope {
					key := fmt.Sprint("key", numbers.Add(1))
					x.lose(x.sign(row, key))
					return x.must(x.api.send(x.sign(row, key)))
				})
			}
			if !testscope.All() {
				return
			}
			row.run(t, "no fault",
				func(x *callScene, sign func() signed) envelope { return x.must(x.api.send(sign())) })
			for _, ms := range []int{2, 30, 90} {
				row.run(t, fmt.Sprint("cut after ", ms, " ms"), func(x *callScene, sign func() signed) envelope {
					x.api.proxy.Add(badline.Rule{Fault: badline.CutAfter, After: time.Duration(ms) * time.Millisecond})
					_, _ = x.api.send(sign())
					return x.must(x.api.send(sign()))
				})
			}
			if !row.creates {
				return
			}
			row.run(t, "answer lost, same bytes with a key", func(x *callScene, _ func() signed) envelope {
				s := x.sign(row, fmt.Sprint("key", numbers.Add(1)))
				x.lose(s)
				return x.must(x.api.send(s))
			})
		})
	}
}

// run makes a call with a fault, in a new scene.
func (row callRow) run(t *testing.T, name string, play func(x *callScene, sign func() signed) envelope) {
	t.Run(name, func(t *testing.T) {
		x := &callScene{t: t, s: forms, api: newCaller(t, forms)}
		row.make(x)
		x.last = play(x, func() signed { return x.sign(row, "") })
		row.wantOK(x, x.last)
		if n := x.effect(); n != 1 {
			t.Errorf("%d effects, want 1", n)
		}
	})
}

// wantOK checks that an answer is a success.
func (row callRow) wantOK(x *callScene, e envelope) {
	x.t.Helper()
	if e.Code != "ok" && (row.or == "" || e.Code != row.or) {
		x.t.Errorf("the answer is %q: %s", e.Code, e.text)
	}
}

// must ends the test if the connection failed.
func (x *callScene) must(e envelope, err error) envelope {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err, e.text)
	}
	return e
}

// lose makes a call whose response is lost.
func (x *callScene) lose(s signed) {
	x.t.Helper()
	x.api.proxy.Add(badline.Rule{Fault: badline.LoseAnswer})
	if e, err := x.api.send(s); err == nil {
		x.t.Fatal("the connection did not fail: " + e.text)
	}
}

// sign signs the call of a row with the parameters of the scene.
func (x *callScene) sign(row callRow, key string) signed {
	params, path := x.params, row.path
	if strings.HasSuffix(path, "/{id}") {
		path = strings.TrimSuffix(path, "{id}") + params[1]
	}
	return x.api.sign(row.method, path, x.token, key, x.asJSON, params)
}

// newCompany adds the company of the scene.
func (x *callScene) newCompany() testCompany {
	x.t.Helper()
	x.company = x.s.newCompany(x.t)
	return x.company
}

// Two different new passwords are sent at once. One is set, and the sender of the other gets a refusal.
func TestOnlyOneOfTwoSimultaneousNewPasswordsIsSet(t *testing.T) {
	t.Parallel()
	for range 3 {
		x := &callScene{t: t, s: forms, api: newCaller(t, forms)}
		who := x.newCompany().buyer
		tokens := []string{x.login(who).read("user_", "token_"), x.login(who).read("user_", "token_")}
		news := []string{"Blauwal77", "Rotfuchs88"}
		codes := make([]string, 2)
		var both sync.WaitGroup
		for i := range 2 {
			both.Go(func() {
				e, err := x.api.send(x.api.sign(post, "/v1/account/modifyPwd", tokens[i], "", false,
					[]string{"old_password_", password, "password_", news[i], "confirm_password_", news[i]}))
				if codes[i] = e.Code; err != nil {
					t.Error(errors.Join(err, errors.New(e.text)))
				}
			})
		}
		both.Wait()
		for i, code := range codes {
			e, err := x.api.send(x.api.sign(post, "/v1/account/mixedLogin", "", "", false,
				[]string{"login_", who.phone, "password_", news[i]}))
			if works := err == nil && e.Code == "ok"; works != (code == "ok") {
				t.Errorf("a change answered %q, and its password signs in: %v", code, works)
			}
		}
	}
}
