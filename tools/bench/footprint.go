package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"portico/tools/bench/figures"
)

const (
	starts    = 5
	idleAfter = 3 * time.Second
)

// footprint measures what the program needs of an operator: memory, disk, time to start, and modules of other authors.
func (b *bench) footprint(ctx context.Context) error {
	portico, err := b.portico(ctx)
	if err != nil {
		return err
	}
	defer func() { portico.stop() }()
	var times []float64
	for range starts {
		portico.stop()
		start := time.Now()
		if err := portico.restart(ctx, nil); err != nil {
			return err
		}
		times = append(times, time.Since(start).Seconds()*1000)
	}
	time.Sleep(idleAfter)
	memory, err := portico.memory("VmRSS")
	if err != nil {
		return err
	}
	file, err := os.Stat(b.program)
	if err != nil {
		return err
	}
	build, err := exec.CommandContext(ctx, "go", "version", "-m", b.program).Output()
	if err != nil {
		return fmt.Errorf("go version -m: %w", err)
	}
	b.table.Add(
		"start to first page, existing database", figures.Median(times), "ms", figures.AtMost, 60, "median of %d",
		starts,
	)
	b.table.Add("memory when idle", memory, "MB", figures.AtMost, 45, "after %s", idleAfter)
	b.table.Add("program on disk", float64(file.Size())/1e6, "MB", figures.AtMost, 45, "")
	b.table.Add("modules linked", float64(strings.Count(string(build), "\n\tdep\t")), "", figures.AtMost, 55, "")
	return nil
}
