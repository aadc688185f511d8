// Package deploytest runs Portico as an operator does, with the programs around it: proxies, poolers, databases. Its
// instances are the built program in production mode; everything listens on 127.0.0.1.
package deploytest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portico/e2e/testscope"
)

// Patience is how long a test waits for what has to happen.
const Patience = 30 * time.Second

var built struct {
	once sync.Once
	path string
	err  error
}

// Program builds Portico once for all tests of a package and returns the path of the program. With TEST_PROGRAM, the
// path of a program that was built before, it returns that one.
func Program(t testing.TB) string {
	t.Helper()
	if built := os.Getenv("TEST_PROGRAM"); built != "" {
		return built
	}
	folder := testscope.Root()
	built.once.Do(func() {
		dir, err := os.MkdirTemp("", "portico-deploy-")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "portico")
		built.err = Build(folder, built.path)
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// Clean removes what Program built. A package that uses Program calls it at the end of its TestMain.
func Clean() {
	if built.path != "" {
		_ = os.RemoveAll(filepath.Dir(built.path))
	}
}

// Build builds the Portico of a checkout into a file.
func Build(checkout, file string) error {
	if out, err := testscope.Go(checkout, "build", "-o", file, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// Tool returns the path of a program. If none of the names is installed it skips the test, or fails it under CI. Tests
// that need a tool run in make test-all only.
func Tool(t testing.TB, names ...string) string {
	t.Helper()
	testscope.OnlyInAll(t, "it needs "+names[0])
	for _, name := range names {
		for _, folder := range []string{"", "/usr/sbin/"} {
			if path, err := exec.LookPath(folder + name); err == nil {
				return path
			}
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is needed under CI", names[0])
	}
	t.Skipf("%s is not installed", names[0])
	return ""
}

// Process is a running program. It ends with its test.
type Process struct {
	Name    string
	Command *exec.Cmd
	ended   chan struct{}
	err     error // of Command, once ended is closed

	mu     sync.Mutex
	output bytes.Buffer
}

// Write appends to the output of the process.
func (p *Process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.Write(text)
}

// Output returns what the process has written so far to its standard output and its standard error.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// Start starts a program in a process group of its own. When the test has failed, it prints the end of what the program
// wrote.
func Start(t testing.TB, command *exec.Cmd) *Process {
	t.Helper()
	p := &Process{Name: filepath.Base(command.Path), Command: command, ended: make(chan struct{})}
	command.Stdout, command.Stderr = p, p
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setpgid = true
	command.WaitDelay = time.Second
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = command.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s wrote:\n%s", p.Name, lastLines(p.Output()))
		}
	})
	return p
}

// linesShown is how many lines of a program's output a failed test prints.
const linesShown = 60

// lastLines returns the last lines of a program's output, without what Portico logs about every migration and request.
func lastLines(text string) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(text), "\n"), func(line string) bool {
		return strings.Contains(line, `"level":"INFO"`)
	})
	return strings.Join(lines[max(0, len(lines)-linesShown):], "\n")
}

// Signal sends a signal to the process.
func (p *Process) Signal(s syscall.Signal) { _ = p.Command.Process.Signal(s) }

// Kill ends the process and its children at once and waits until it has ended.
func (p *Process) Kill() {
	select {
	case <-p.ended:
		return
	default:
	}
	_ = syscall.Kill(-p.Command.Process.Pid, syscall.SIGKILL)
	<-p.ended
}

// Stop sends SIGTERM and waits until the process has ended. It returns an error if the exit status is not 0.
func (p *Process) Stop() error {
	p.Signal(syscall.SIGTERM)
	return p.Wait()
}

// Wait waits until the process has ended, and at most for Patience. It returns an error if the exit status is not 0.
func (p *Process) Wait() error {
	select {
	case <-p.ended:
		return p.err
	case <-time.After(Patience):
		return fmt.Errorf("%s has not ended after %s", p.Name, Patience)
	}
}

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Run runs a program to its end and returns its output. It fails the test if the exit status is not 0.
func Run(t testing.TB, command *exec.Cmd) string {
	t.Helper()
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command.Args, " "), err, out)
	}
	return string(out)
}

// errNotYet is what WaitFor reports when a condition gives no reason.
var errNotYet = errors.New("it has not happened")

// WaitFor calls a condition every 20 ms until it returns nil. It fails the test after Patience, with the condition's
// last error, or at once when the process that it depends on has ended. process may be nil.
func WaitFor(t testing.TB, what string, process *Process, condition func() error) {
	t.Helper()
	last := errNotYet
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if last = condition(); last == nil {
			return
		}
		if process != nil && process.Ended() {
			t.Fatalf("waiting for %s: %s has ended: %v", what, process.Name, process.err)
		}
	}
	t.Fatalf("waiting for %s: %v after %s", what, last, Patience)
}

// Listens waits until a process accepts connections at a port of 127.0.0.1.
func (p *Process) Listens(t testing.TB, port int) {
	t.Helper()
	WaitFor(t, fmt.Sprintf("%s to listen at port %d", p.Name, port), p, func() error {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = conn.Close()
		}
		return err
	})
}

// WriteFile writes a configuration file for a program, readable by everybody, and returns its path.
func WriteFile(t testing.TB, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Sample returns the text of a sample file of the repository with pieces replaced: old, new, old, new… Each old piece
// has to be in the file, so that a sample and its test do not drift apart.
func Sample(t testing.TB, name string, pairs ...string) string {
	t.Helper()
	data, err := os.ReadFile(testscope.File(name))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s does not contain %q", name, pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}
