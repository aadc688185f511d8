// Command bench compares the built program with bare servers, which only write a fixed answer, on the same machine in
// the same run, in turns. It prints one table: each figure, its target, whether it is met, and how busy the machine
// was.
//
//	cd tools && go run ./bench [-only PARTS] [-program FILE]
//
// PARTS is a comma-separated selection of page,server,api,signin,onboarding,footprint,rare,codeflood,floods. Without
// -only, bench measures all.
//
// It is not a test: the exit status is 0 whatever the figures are, and 1 when one could not be measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"portico/e2e/testscope"
	"portico/store/storetest"
	"portico/tools/bench/figures"
)

// bench is one run.
type bench struct {
	program string // the built portico
	self    string // the path of this program, which also runs as the bare servers
	dir     string // for databases, logs and browser profiles; removed at the end
	table   figures.Table
}

// sections are the parts of the table, in its order.
var sections = []struct {
	name    string
	measure func(b *bench, ctx context.Context) error
}{
	{"page", (*bench).page},
	{"server", (*bench).server},
	{"api", (*bench).api},
	{"signin", (*bench).signIn},
	{"onboarding", (*bench).onboarding},
	{"footprint", (*bench).footprint},
	{"rare", (*bench).uncachedPages},
	{"codeflood", (*bench).codeFlood},
	{"floods", (*bench).floods},
}

// roles are the functions that this program runs when it is started as a peer.
var roles = map[string]func() error{"bare": serveBare, "hash": hashOnly}

func main() {
	if len(os.Args) == 2 && roles[os.Args[1]] != nil { // before signals are caught: peers are ended by them
		if err := roles[os.Args[1]](); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	storetest.Main(benchRun{ctx})
}

// benchRun runs the benchmarks for storetest.Main, which then stops the Postgres server that they started.
type benchRun struct{ ctx context.Context }

// Run returns the exit status.
func (w benchRun) Run() int {
	if err := run(w.ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

func run(ctx context.Context) error {
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	program := flags.String("program", testscope.File("bin/portico"), "the program as it is delivered: make build")
	const all = "page,server,api,signin,onboarding,footprint,rare,codeflood,floods"
	only := flags.String("only", all, "the parts to measure")
	_ = flags.Parse(os.Args[1:]) // ExitOnError
	b, err := newBench(*program)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.dir) }()
	chosen := strings.Split(*only, ",")
	var missed []error
	for _, s := range sections {
		if !slices.Contains(chosen, s.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, "measures", s.name)
		if err := s.measure(b, ctx); err != nil {
			missed = append(missed, fmt.Errorf("%s could not be measured: %w", s.name, err))
		}
	}
	b.table.Print(os.Stdout)
	return errors.Join(missed...)
}

func newBench(program string) (*bench, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("build it first, with make build: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "portico-bench-")
	return &bench{program: program, self: self, dir: dir}, err
}
