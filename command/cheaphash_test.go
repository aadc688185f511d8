package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"portico/config"
	"portico/portal/core"
)

// serveCheaply is the variable that makes the test program of this package serve as the program does, with password
// hashes that cost nothing. Measurements of many instances on few cores use it.
const serveCheaply = "SERVE_WITH_CHEAP_HASHES"

// serveWithCheapHashes serves until SIGTERM and returns the exit status.
func serveWithCheapHashes() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	c, err := config.Read(os.Environ())
	if err == nil {
		err = serveWithHashes(ctx, c, os.Stdout, core.HashCost{Memory: 8, Passes: 1, Threads: 1})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
