// Package deploy tests the samples of this folder with the programs that they are for.
package deploy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/command/doctor"
	"portico/deploy/deploytest"
	"portico/portal/access"
	"portico/portal/core"
	"portico/server"
	"portico/store"
	"portico/store/storetest"
)

// mainTest removes the built program when the tests have run.
type mainTest struct{ *testing.M }

// Run runs the tests.
func (m mainTest) Run() int {
	defer deploytest.Clean()
	return m.M.Run()
}

func TestMain(m *testing.M) { storetest.Main(mainTest{m}) }

// eachProxy runs a test behind each proxy with two instances on Postgres.
func eachProxy(
	t *testing.T,
	test func(t *testing.T, p *deploytest.Platform, front deploytest.Proxy, instances [2]*deploytest.Instance),
) {
	t.Helper()
	for name, start := range deploytest.Proxies {
		t.Run(name, func(t *testing.T) {
			p := deploytest.NewPlatform(t, storetest.PostgresURL(t), "PORTICO_TRUSTED_PROXIES=127.0.0.1/32")
			program := deploytest.Program(t)
			instances := [2]*deploytest.Instance{p.StartInstance(t, program), p.StartInstance(t, program)}
			front := start(t, instances)
			test(t, p, front, instances)
		})
	}
}

func TestProxySamplesPassWhatPorticoNeeds(t *testing.T) {
	eachProxy(t, func(t *testing.T, p *deploytest.Platform, front deploytest.Proxy, instances [2]*deploytest.Instance) {
		person := front.NewPerson()
		deploytest.AwaitProxy(t, person)
		if err := person.Register(t.Context(), p.Messages); err != nil {
			t.Fatal(err)
		}
		arrived, err := person.SignIn(t.Context())
		if err != nil || !strings.HasPrefix(arrived, "https://") {
			t.Fatal(arrived, err)
		}
		t.Run("redirects to https", func(t *testing.T) {
			client := deploytest.At(front.HTTPPort).Client()
			answer, err := client.Get("http://account." + deploytest.Host + "/login?a=b")
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if to := answer.Header.Get("Location"); to != "https://account."+deploytest.Host+"/login?a=b" {
				t.Errorf("%d, %q", answer.StatusCode, to)
			}
		})
		t.Run("says who calls", func(t *testing.T) {
			r, err := http.NewRequest("GET", "https://account."+deploytest.Host+"/login?spoofed", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Forwarded-For", "203.0.113.9")
			answer, err := person.Client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			id := answer.Header.Get("X-Request-Id")
			line := ""
			deploytest.WaitFor(t, "the log line of "+id, nil, func() error {
				for _, i := range instances {
					for each := range strings.Lines(i.Output()) {
						if strings.Contains(each, id) {
							line = each
							return nil
						}
					}
				}
				return errors.New("there is none")
			})
			if id == "" || !strings.Contains(line, `"`+person.Address+`"`) || strings.Contains(line, "203.0.113.9") {
				t.Errorf("the line of %q is %s", id, line)
			}
		})
		t.Run("passes the checks of the doctor", func(t *testing.T) {
			db, err := store.OpenMigrated(t.Context(), p.Settings["PORTICO_DATABASE"])
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			shared, err := core.New(
				access.Platform{DB: db, Now: time.Now, Log: slog.New(slog.DiscardHandler)},
				core.Settings{Secret: []byte(p.Settings["PORTICO_SECRET"]), Hash: core.DefaultHashCost},
			)
			if err != nil {
				t.Fatal(err)
			}
			area := doctor.Proxy(&url.URL{Scheme: "https", Host: deploytest.Host}, byScheme{person.Client, front},
				func(context.Context, string) ([]string, error) { return []string{"192.0.2.1"}, nil },
				func(now time.Time) (string, error) { return server.DoctorQuestion(shared.Sealing, now) })
			for _, r := range area.Check(t.Context()) {
				if r.State == doctor.Failed || r.State == doctor.Warn && r.Name != "certificate" {
					t.Errorf("%+v", r)
				}
			}
		})
		t.Run("passes large forms", func(t *testing.T) {
			r, err := http.NewRequest("POST", "https://account."+deploytest.Host+"/register",
				io.LimitReader(endless{}, 6<<20))
			if err != nil {
				t.Fatal(err)
			}
			r.ContentLength = 6 << 20
			answer, err := person.Client.Do(r)
			if err == nil {
				_ = answer.Body.Close()
				if answer.Header.Get("X-Request-Id") == "" {
					t.Errorf("the proxy itself answered %d", answer.StatusCode)
				}
			}
		})
	})
}

func TestCaddyGetsCertificatesOnlyForHostsOfThePlatform(t *testing.T) {
	p := deploytest.NewPlatform(t, storetest.PostgresURL(t), "PORTICO_TRUSTED_PROXIES=127.0.0.1/32")
	program := deploytest.Program(t)
	i := p.StartInstance(t, program)
	deploytest.Run(t, p.Command(program, "company", "create", "--name", "Sur", "--language", "es"))
	list := deploytest.Run(t, p.Command(program, "company", "list"))
	id := strings.Fields(strings.Split(list, "\n")[1])[0]
	deploytest.Run(t, p.Command(program, "company", "set", id, "domain", "shop.sur-wholesale.com"))
	front := deploytest.StartCaddy(t, [2]*deploytest.Instance{i, i})
	for host, served := range map[string]bool{
		"account." + deploytest.Host: true, "store" + id + "." + deploytest.Host: true, "shop.sur-wholesale.com": true,
		"store999999." + deploytest.Host: false, "stranger.test": false, "shop.sur-wholesale.com.stranger.test": false,
	} {
		conn, err := tls.Dial("tcp", front.Address, &tls.Config{ServerName: host, RootCAs: front.Roots})
		if err == nil {
			_ = conn.Close()
		}
		if (err == nil) != served {
			t.Errorf("a certificate for %s: %v, want %t", host, err, served)
		}
	}
}

// byScheme sends requests for https through a client, and those for http to the port of the proxy that redirects.
type byScheme struct {
	secure *http.Client
	proxy  deploytest.Proxy
}

// Do sends a request.
func (s byScheme) Do(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "https" {
		return s.secure.Do(r)
	}
	return deploytest.At(s.proxy.HTTPPort).Client().Do(r)
}

// endless is a form that never ends.
type endless struct{}

// Read fills b.
func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'a'
	}
	return len(b), nil
}

func TestRestartingInstancesBehindAProxyFailsNoRequest(t *testing.T) {
	eachProxy(t, func(t *testing.T, p *deploytest.Platform, front deploytest.Proxy, instances [2]*deploytest.Instance) {
		deploytest.AwaitProxy(t, front.NewPerson())
		load, _ := deploytest.StartMixedLoad(t, p, front.Front)
		program := deploytest.Program(t)
		for _, i := range instances {
			deploytest.Restart(t, p, i, program)
		}
		result := load.Stop()
		t.Log(result)
		if len(result.Failed) > 0 || len(result.Times) < deploytest.MixedRate {
			t.Error(result)
		}
	})
}
