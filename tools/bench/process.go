package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	startLimit = 15 * time.Second
	stopLimit  = 5 * time.Second
	clockTick  = time.Second / 100 // of /proc/PID/stat
)

// process is a program under measurement. It ends with this one: bare servers end when their input ends, and the
// context kills portico.
type process struct {
	cmd *exec.Cmd
	url string // http://host:port
}

// portico makes a database with the demo data and serves it. Its log goes to a file, as an operator's does.
func (b *bench) portico(ctx context.Context) (*process, error) {
	return b.porticoWith(ctx, "PORTICO_LIMITS=off")
}

// porticoWith is portico with other settings, each NAME=value.
func (b *bench) porticoWith(ctx context.Context, settings ...string) (*process, error) {
	return b.porticoAt(ctx, "localhost", settings...)
}

// porticoAt is porticoWith for a platform whose sites are below a host, which is localhost or below it.
func (b *bench) porticoAt(ctx context.Context, host string, settings ...string) (*process, error) {
	dir, err := os.MkdirTemp(b.dir, "site-")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	p := &process{url: "http://localhost:" + port}
	environ := append(otherEnvironment(), "PORTICO_BASE=http://"+host+":"+port, "PORTICO_ADDR=127.0.0.1:"+port,
		"PORTICO_DATABASE=sqlite:"+filepath.Join(dir, "portico.db"))
	environ = append(environ, settings...)
	for _, name := range []string{"migrate", "demo"} {
		p.cmd = exec.CommandContext(ctx, b.program, name)
		p.cmd.Env = environ
		if out, err := p.cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("portico %s: %w\n%s", name, err, out)
		}
	}
	return p, p.restart(ctx, log)
}

// restart runs `portico serve` on the database of p until its first answer.
func (p *process) restart(ctx context.Context, log *os.File) error {
	environ, dir := p.cmd.Env, p.cmd.Path
	p.cmd = exec.CommandContext(ctx, dir, "serve")
	p.cmd.Env = environ
	if log != nil {
		p.cmd.Stderr = log
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	deadline := time.Now().Add(startLimit)
	for time.Now().Before(deadline) {
		answer, err := http.Get(p.url + "/login")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(time.Millisecond)
	}
	p.stop()
	return errors.New("portico serve does not answer")
}

// database is the file portico serves from.
func (p *process) database() string {
	for _, pair := range p.cmd.Env {
		if path, ok := strings.CutPrefix(pair, "PORTICO_DATABASE=sqlite:"); ok {
			return path
		}
	}
	return ""
}

// startPeer starts this program in a role, with a text on its standard input.
func (b *bench) startPeer(role string, input []byte) (p *process, out io.Reader, err error) {
	p = &process{cmd: exec.Command(b.self, role)}
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	if out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, nil, err
	}
	_, err = in.Write(append(input, '\n'))
	return p, out, err
}

// stop ends a process as an operator would, and kills it when that takes too long. It can be called more than once.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(stopLimit, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.cmd.Wait()
}

// cpu is the processor time used so far.
func (p *process) cpu() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(text, []byte(") ")) // the name before may hold spaces
	fields := strings.Fields(string(rest))
	if len(fields) < 13 {
		return 0, errors.New("/proc/PID/stat is too short")
	}
	user, err := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+system) * clockTick, errors.Join(err, err2)
}

// memory is a line of /proc/PID/status in MB: VmRSS now, VmHWM at its highest.
func (p *process) memory(line string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), line+":")
	var kib float64
	_, err = fmt.Sscan(rest, &kib)
	return kib * 1024 / 1e6, err
}

func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}

// otherEnvironment is the environment of this process without the settings of portico.
func otherEnvironment() []string {
	var kept []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PORTICO_") {
			kept = append(kept, pair)
		}
	}
	return kept
}
