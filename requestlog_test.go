package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRequestLinesArriveWholeInOrderAndSoon(t *testing.T) {
	out := new(lines)
	b := newBatches(out)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 500 {
				fmt.Fprintf(b, "%d %03d %s\n", i, n, strings.Repeat("x", 60))
			}
		})
	}
	group.Wait()
	for deadline := time.Now().Add(10 * time.Second); strings.Count(out.String(), "\n") < 4000; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d lines of 4000", strings.Count(out.String(), "\n"))
		}
	}
	last := map[string]string{}
	for line := range strings.Lines(out.String()) {
		fields := strings.Fields(line)
		if len(fields) != 3 || len(fields[2]) != 60 || fields[1] < last[fields[0]] {
			t.Fatalf("broken or out of order: %q after %q", line, last[fields[0]])
		}
		last[fields[0]] = fields[1]
	}
}

func TestClosingWritesWhatIsLeft(t *testing.T) {
	out := new(lines)
	b := newBatches(out)
	fmt.Fprintln(b, "one")
	_ = b.Close()
	fmt.Fprintln(b, "two")
	if out.String() != "one\ntwo\n" {
		t.Errorf("%q", out.String())
	}
}
