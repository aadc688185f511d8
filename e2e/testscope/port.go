package testscope

import (
	"fmt"
	"net"
	"os"
	"sync"
)

// Ports of tests lie below those that Linux gives out by itself, to connections and to listeners on port 0, from 32768
// on. Each test program begins in a block of its own.
const (
	firstPort = 20_000
	blocks    = 800
	perBlock  = 15
)

var ports struct {
	mu   sync.Mutex
	next int
}

// FreePort returns a TCP port of 127.0.0.1 for a program that is started later. Nothing listens on it, and no other
// call of this process gets it. It panics when every port is in use.
func FreePort() int {
	ports.mu.Lock()
	defer ports.mu.Unlock()
	if ports.next == 0 {
		ports.next = os.Getpid() % blocks * perBlock
	}
	for range blocks * perBlock {
		port := firstPort + ports.next%(blocks*perBlock)
		ports.next++
		if listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = listener.Close()
			return port
		}
	}
	panic("testscope: no port is free")
}
