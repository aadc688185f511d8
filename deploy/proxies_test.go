// Package deploy tests the samples of this folder with the programs that they are for.
package deploy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/deploy/deploytest"
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

// proxy is a running proxy with TLS before two instances.
type proxy struct {
	*deploytest.Process
	deploytest.Front
	httpPort int
}

// proxies are the samples, with how to start each before instances at two ports.
var proxies = map[string]func(t *testing.T, ports [2]int) proxy{"nginx": startNginx, "haproxy": startHAProxy}

// proxyFolder returns a folder that unprivileged workers of a proxy may enter.
func proxyFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "portico-proxy-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func startNginx(t *testing.T, ports [2]int) proxy {
	t.Helper()
	program, dir := deploytest.Tool(t, "nginx"), proxyFolder(t)
	certificate := deploytest.NewCertificate(t, dir)
	plain, secure := deploytest.FreePort(t), deploytest.FreePort(t)
	sample := deploytest.Sample(t, "deploy/nginx/portico.conf",
		"listen [::]:80;", "", "listen [::]:443 ssl http2;", "",
		"listen 80;", fmt.Sprintf("listen 127.0.0.1:%d;", plain),
		"listen 443 ssl", fmt.Sprintf("listen 127.0.0.1:%d ssl", secure),
		"127.0.0.1:8081", fmt.Sprintf("127.0.0.1:%d", ports[0]), "127.0.0.1:8082", fmt.Sprintf("127.0.0.1:%d", ports[1]),
		"/etc/letsencrypt/live/example.com/fullchain.pem", certificate.CertificateFile,
		"/etc/letsencrypt/live/example.com/privkey.pem", certificate.KeyFile,
		"example.com", deploytest.Host)
	deploytest.WriteFile(t, dir, "portico.conf", sample)
	// As Debian's /etc/nginx/nginx.conf, which includes the sample.
	file := deploytest.WriteFile(t, dir, "nginx.conf", strings.NewReplacer("DIR", dir).Replace(`
daemon off;
worker_processes 2;
pid DIR/nginx.pid;
error_log stderr warn;
events { worker_connections 768; }
http {
    access_log DIR/access.log;
    client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi;
    uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
    include DIR/portico.conf;
}
`))
	process := deploytest.Start(t, exec.Command(program, "-p", dir, "-e", "stderr", "-c", file))
	process.Listens(t, secure)
	front := deploytest.Front{Address: fmt.Sprintf("127.0.0.1:%d", secure), Roots: certificate.Roots}
	return proxy{process, front, plain}
}

func startHAProxy(t *testing.T, ports [2]int) proxy {
	t.Helper()
	program, dir := deploytest.Tool(t, "haproxy"), proxyFolder(t)
	certificate := deploytest.NewCertificate(t, dir)
	plain, secure := deploytest.FreePort(t), deploytest.FreePort(t)
	file := deploytest.WriteFile(t, dir, "haproxy.cfg", deploytest.Sample(t, "deploy/haproxy/haproxy.cfg",
		"log /dev/log local0", "log stderr format raw local0", "maxconn 20000", "maxconn 1000",
		"bind :80\n", fmt.Sprintf("bind 127.0.0.1:%d\n", plain),
		"bind :443", fmt.Sprintf("bind 127.0.0.1:%d", secure),
		"/etc/haproxy/certs/example.com.pem", certificate.BothFile,
		"127.0.0.1:8081", fmt.Sprintf("127.0.0.1:%d", ports[0]), "127.0.0.1:8082", fmt.Sprintf("127.0.0.1:%d", ports[1])))
	process := deploytest.Start(t, exec.Command(program, "-f", file))
	process.Listens(t, secure)
	front := deploytest.Front{Address: fmt.Sprintf("127.0.0.1:%d", secure), Roots: certificate.Roots}
	return proxy{process, front, plain}
}

// eachProxy runs a test behind each proxy with two instances on Postgres.
func eachProxy(t *testing.T, test func(t *testing.T, p *deploytest.Platform, front proxy, instances [2]*deploytest.Instance)) {
	t.Helper()
	for name, start := range proxies {
		t.Run(name, func(t *testing.T) {
			p := deploytest.NewPlatform(t, storetest.PostgresURL(t))
			program := deploytest.Program(t)
			instances := [2]*deploytest.Instance{p.StartInstance(t, program), p.StartInstance(t, program)}
			front := start(t, [2]int{instances[0].Port, instances[1].Port})
			test(t, p, front, instances)
		})
	}
}

func TestProxySamplesPassWhatPorticoNeeds(t *testing.T) {
	eachProxy(t, func(t *testing.T, p *deploytest.Platform, front proxy, instances [2]*deploytest.Instance) {
		person := front.NewPerson()
		awaitProxy(t, person)
		if err := person.Register(t.Context(), p.Messages); err != nil {
			t.Fatal(err)
		}
		arrived, err := person.SignIn(t.Context())
		if err != nil || !strings.HasPrefix(arrived, "https://") {
			t.Fatal(arrived, err)
		}
		t.Run("redirects to https", func(t *testing.T) {
			client := deploytest.At(front.httpPort).Client()
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
			if id == "" || !strings.Contains(line, `"203.0.113.9"`) {
				// All addresses of this machine are trusted proxies here, so the caller is the one that was named.
				t.Errorf("the line of %q is %s", id, line)
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

// endless is a form that never ends.
type endless struct{}

// Read fills b.
func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'a'
	}
	return len(b), nil
}

// awaitProxy waits until a proxy passes a request on.
func awaitProxy(t *testing.T, person *deploytest.Person) {
	t.Helper()
	deploytest.WaitFor(t, "the proxy to pass requests on", nil, func() error {
		answer, err := person.Get(t.Context(), "account", "/login")
		if err == nil && answer.Status != http.StatusOK {
			err = fmt.Errorf("status %d", answer.Status)
		}
		return err
	})
}

// rollOutRate is how many requests a second run during a roll-out.
const rollOutRate = 50

func TestRestartingInstancesBehindAProxyFailsNoRequest(t *testing.T) {
	eachProxy(t, func(t *testing.T, p *deploytest.Platform, front proxy, instances [2]*deploytest.Instance) {
		awaitProxy(t, front.NewPerson())
		load, _ := startMixedLoad(t, p, front.Front)
		program := deploytest.Program(t)
		for _, i := range instances {
			restart(t, p, i, program)
		}
		result := load.Stop()
		t.Log(result)
		if len(result.Failed) > 0 || len(result.Times) < rollOutRate {
			t.Error(result)
		}
	})
}

// restart stops an instance as systemd does and starts a program in its place. It then waits as an operator does, until
// every proxy uses the instance again.
func restart(t *testing.T, p *deploytest.Platform, i *deploytest.Instance, program string) {
	t.Helper()
	if err := i.Stop(); err != nil {
		t.Errorf("%s: %v", i.Name, err)
	}
	*i = *p.StartInstanceAt(t, program, i.Port)
	i.AwaitReady(t)
	time.Sleep(2 * time.Second)
}

// startMixedLoad sends rollOutRate requests a second to a platform: pages, sign-ins, and pages of people who are signed
// in. It returns the people who signed in before the load began.
func startMixedLoad(t *testing.T, p *deploytest.Platform, front deploytest.Front) (*deploytest.Load, []*deploytest.Person) {
	t.Helper()
	var signedIn []*deploytest.Person
	var arrived []string
	for range 3 {
		person := front.NewPerson()
		if err := person.Register(t.Context(), p.Messages); err != nil {
			t.Fatal(err)
		}
		at, err := person.SignIn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		signedIn, arrived = append(signedIn, person), append(arrived, at)
	}
	visitor := front.NewPerson()
	return deploytest.StartLoad(rollOutRate, func(ctx context.Context, number int) error {
		i := number % len(signedIn)
		switch {
		case number%10 == 0: // a sign-in takes several requests and a hash
			again := front.NewPerson()
			again.Phone = signedIn[i].Phone
			defer again.Client.CloseIdleConnections()
			_, err := again.SignIn(ctx)
			return err
		case number%2 == 0:
			answer, err := signedIn[i].GetURL(ctx, arrived[i])
			return wantPage(answer, err)
		}
		answer, err := visitor.Get(ctx, "account", "/login?n="+strconv.Itoa(number))
		return wantPage(answer, err)
	}), signedIn
}

func wantPage(answer deploytest.Answer, err error) error {
	if err == nil && answer.Status != http.StatusOK {
		err = fmt.Errorf("status %d, to %q", answer.Status, answer.Location)
	}
	return err
}
