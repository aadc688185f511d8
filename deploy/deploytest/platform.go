package deploytest

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"portico/e2e/testscope"
)

// Host is the host of the platforms of these tests.
const Host = "portico.test"

// Platform is what several instances share: the settings with the database, the secrets and the SMS provider.
type Platform struct {
	Settings map[string]string // by name, without secrets of other tests
	Messages *Messages
	Folder   string // of the test; everybody may enter it
}

// NewPlatform returns a production platform on a database. pairs are further settings, each "NAME=value".
func NewPlatform(t testing.TB, database string, pairs ...string) *Platform {
	t.Helper()
	folder := t.TempDir()
	p := &Platform{Folder: folder, Messages: newMessages(t), Settings: map[string]string{
		"PORTICO_ENV": "production", "PORTICO_BASE": "https://" + Host, "PORTICO_DATABASE": database,
		"PORTICO_SECRET": NewSecret(), "PORTICO_SIGN_SECRET": NewSecret(),
		"PORTICO_SMS": "webhook", "PORTICO_SMS_WEBHOOK_SECRET": NewSecret(),
		"PORTICO_TRUSTED_PROXIES": "127.0.0.0/8", "PORTICO_UPLOADS": "dir:" + filepath.Join(folder, "uploads"),
	}}
	p.Settings["PORTICO_SMS_WEBHOOK"] = p.Messages.address
	p.Set(pairs...)
	return p
}

// NewSecret returns 32 random bytes in hex.
func NewSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Set changes settings for the instances and commands that start later. Each pair is "NAME=value".
func (p *Platform) Set(pairs ...string) {
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		p.Settings[name] = value
	}
}

// Environ returns the environment of a program with the platform's settings.
func (p *Platform) Environ() []string {
	var environ []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PORTICO_") {
			environ = append(environ, pair)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		environ = append(environ, name+"="+p.Settings[name])
	}
	return environ
}

// Command returns a subcommand of the program with the platform's settings.
func (p *Platform) Command(program string, args ...string) *exec.Cmd {
	command := exec.Command(program, args...)
	command.Env = p.Environ()
	return command
}

// Instance is a running portico serve.
type Instance struct {
	*Process
	Port, MetricsPort int
}

// StartInstance starts an instance of a program and waits until it is ready. wrap is the command that runs it, such as
// {"cpulimit", "-l", "25", "--"}; nil for none.
func (p *Platform) StartInstance(t testing.TB, program string, wrap ...string) *Instance {
	t.Helper()
	i := p.StartInstanceAt(t, program, testscope.FreePort(), wrap...)
	i.AwaitReady(t)
	return i
}

// StartInstanceAt starts an instance at a port, without waiting for it.
func (p *Platform) StartInstanceAt(t testing.TB, program string, port int, wrap ...string) *Instance {
	t.Helper()
	i := &Instance{Port: port, MetricsPort: testscope.FreePort()}
	args := append(slices.Clone(wrap), program, "serve")
	command := p.Command(args[0], args[1:]...)
	command.Env = append(
		command.Env,
		fmt.Sprintf("PORTICO_ADDR=127.0.0.1:%d", i.Port), fmt.Sprintf("PORTICO_METRICS=127.0.0.1:%d", i.MetricsPort),
	)
	i.Process = Start(t, command)
	i.Name = fmt.Sprintf("portico at port %d", port)
	return i
}

// AwaitReady waits until the instance's /readyz answers 200.
func (i *Instance) AwaitReady(t testing.TB) {
	t.Helper()
	WaitFor(t, i.Name+" to be ready", i.Process, i.Ready)
}

// Ready returns nil when the instance's /readyz answers 200.
func (i *Instance) Ready() error {
	answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/readyz", i.Port))
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("/readyz answers %d", answer.StatusCode)
	}
	return nil
}

// Messages is an SMS provider by webhook. It keeps the messages that it gets.
type Messages struct {
	address string
	mu      sync.Mutex
	codes   map[string]string // the last code, by phone
}

func newMessages(t testing.TB) *Messages {
	m := &Messages{codes: map[string]string{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.address = server.URL + "/send"
	return m
}

// ServeHTTP takes one message.
func (m *Messages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var message struct{ Phone, Code string }
	if err != nil || json.Unmarshal(body, &message) != nil || message.Phone == "" {
		http.Error(w, "not a message", http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.codes[message.Phone] = message.Code
	w.WriteHeader(http.StatusOK)
}

// Code returns the last verification code that was sent to a phone, "" for none.
func (m *Messages) Code(phone string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.codes[phone]
}
