package deploytest

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
)

// Proxy is a running proxy with TLS before two instances.
type Proxy struct {
	*Process
	Front        // of TLS
	HTTPPort int // that redirects to TLS
}

// Proxies are the samples, with how to start each before two instances.
var Proxies = map[string]func(t testing.TB, instances [2]*Instance) Proxy{
	"nginx": StartNginx, "haproxy": StartHAProxy, "caddy": StartCaddy,
}

// proxyFolder returns a folder that unprivileged workers of a proxy may enter.
func proxyFolder(t testing.TB) string {
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

// StartNginx starts nginx with the sample of deploy/nginx before two instances.
func StartNginx(t testing.TB, instances [2]*Instance) Proxy {
	t.Helper()
	program, dir := Tool(t, "nginx"), proxyFolder(t)
	certificate := NewCertificate(t, dir)
	plain, secure := testscope.FreePort(), testscope.FreePort()
	sample := Sample(
		t,
		"deploy/nginx/portico.conf",
		"listen [::]:80;",
		"",
		"listen [::]:443 ssl http2;",
		"",
		"listen 80;",
		fmt.Sprintf("listen 127.0.0.1:%d;", plain),
		"listen 443 ssl",
		fmt.Sprintf("listen 127.0.0.1:%d ssl", secure),
		"127.0.0.1:8081",
		fmt.Sprintf("127.0.0.1:%d", instances[0].Port),
		"127.0.0.1:8082",
		fmt.Sprintf("127.0.0.1:%d", instances[1].Port),
		"/etc/letsencrypt/live/example.com/fullchain.pem",
		certificate.CertificateFile,
		"/etc/letsencrypt/live/example.com/privkey.pem",
		certificate.KeyFile,
		"example.com",
		Host,
	)
	WriteFile(t, dir, "portico.conf", sample)
	// As Debian's /etc/nginx/nginx.conf, which includes the sample.
	file := WriteFile(t, dir, "nginx.conf", strings.NewReplacer("DIR", dir).Replace(`
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
	process := Start(t, exec.Command(program, "-p", dir, "-e", "stderr", "-c", file))
	process.Listens(t, secure)
	return Proxy{process, frontAt(secure, certificate), plain}
}

// frontAt returns the front of a proxy. People come from addresses that are not those of a trusted proxy.
func frontAt(port int, certificate Certificate) Front {
	return Front{Address: fmt.Sprintf("127.0.0.1:%d", port), Roots: certificate.Roots, Apart: true}
}

// StartHAProxy starts HAProxy with the sample of deploy/haproxy before two instances.
func StartHAProxy(t testing.TB, instances [2]*Instance) Proxy {
	t.Helper()
	program, dir := Tool(t, "haproxy"), proxyFolder(t)
	certificate := NewCertificate(t, dir)
	plain, secure := testscope.FreePort(), testscope.FreePort()
	file := WriteFile(t, dir, "haproxy.cfg", Sample(
		t,
		"deploy/haproxy/haproxy.cfg",
		"log /dev/log local0",
		"log stderr format raw local0",
		"maxconn 20000",
		"maxconn 1000",
		"bind :80\n",
		fmt.Sprintf("bind 127.0.0.1:%d\n", plain),
		"bind :443",
		fmt.Sprintf("bind 127.0.0.1:%d", secure),
		"/etc/haproxy/certs/example.com.pem",
		certificate.BothFile,
		"127.0.0.1:8081",
		fmt.Sprintf("127.0.0.1:%d", instances[0].Port),
		"127.0.0.1:8082",
		fmt.Sprintf("127.0.0.1:%d", instances[1].Port),
	))
	process := Start(t, exec.Command(program, "-f", file))
	process.Listens(t, secure)
	return Proxy{process, frontAt(secure, certificate), plain}
}

// StartCaddy starts Caddy with the sample of deploy/caddy before two instances. It signs the certificates itself.
func StartCaddy(t testing.TB, instances [2]*Instance) Proxy {
	t.Helper()
	program, dir := Tool(t, "caddy"), proxyFolder(t)
	plain, secure := testscope.FreePort(), testscope.FreePort()
	file := WriteFile(t, dir, "Caddyfile", Sample(t, "deploy/caddy/Caddyfile",
		"\temail admin@example.com\n", fmt.Sprintf(
			"\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tstorage file_system %s\n\thttp_port %d\n"+
				"\thttps_port %d\n\tdefault_bind 127.0.0.1\n",
			dir, plain, secure,
		),
		"127.0.0.1:9090", fmt.Sprintf("127.0.0.1:%d", instances[0].MetricsPort),
		"127.0.0.1:8081", fmt.Sprintf("127.0.0.1:%d", instances[0].Port),
		"127.0.0.1:8082", fmt.Sprintf("127.0.0.1:%d", instances[1].Port)))
	command := exec.Command(program, "run", "--adapter", "caddyfile", "--config", file)
	command.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	process := Start(t, command)
	process.Listens(t, secure)
	var authority []byte
	WaitFor(t, "Caddy's own authority", process, func() (err error) {
		authority, err = os.ReadFile(filepath.Join(dir, "pki", "authorities", "local", "root.crt"))
		return err
	})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	return Proxy{process, frontAt(secure, Certificate{Roots: roots}), plain}
}

// AwaitProxy waits until a proxy passes a request on.
func AwaitProxy(t testing.TB, person *Person) {
	t.Helper()
	WaitFor(t, "the proxy to pass requests on", nil, func() error {
		answer, err := person.Get(t.Context(), "account", "/login")
		if err == nil && answer.Status != http.StatusOK {
			err = fmt.Errorf("status %d", answer.Status)
		}
		return err
	})
}

// MixedRate is how many requests a second run during a roll-out.
const MixedRate = 50

// Restart stops an instance as systemd does and starts a program in its place. It then waits as an operator does, until
// every proxy uses the instance again.
func Restart(t testing.TB, p *Platform, i *Instance, program string) {
	t.Helper()
	if err := i.Stop(); err != nil {
		t.Errorf("%s: %v", i.Name, err)
	}
	*i = *p.StartInstanceAt(t, program, i.Port)
	i.AwaitReady(t)
	time.Sleep(2 * time.Second)
}

// StartMixedLoad sends MixedRate requests a second to a platform: pages, sign-ins, and pages of people who are signed
// in. It returns the people who signed in before the load began.
func StartMixedLoad(t testing.TB, p *Platform, front Front) (*Load, []*Person) {
	t.Helper()
	var signedIn []*Person
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
	return StartLoad(MixedRate, func(ctx context.Context, number int) error {
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
			return WantPage(answer, err)
		}
		answer, err := visitor.Get(ctx, "account", "/login?n="+strconv.Itoa(number))
		return WantPage(answer, err)
	}), signedIn
}

// WantPage returns an error unless a request was answered with a page.
func WantPage(answer Answer, err error) error {
	if err == nil && answer.Status != http.StatusOK {
		err = fmt.Errorf("status %d, to %q", answer.Status, answer.Location)
	}
	return err
}
