package server

import (
	"fmt"
	"net"
	"os"
)

// States of a service that NotifySystemd reports.
const (
	SystemdReady    = "READY=1"    // it serves
	SystemdStopping = "STOPPING=1" // it has begun to stop
)

// NotifySystemd tells systemd the state of this service, for units of Type=notify. It does nothing when systemd did not
// start the program: without NOTIFY_SOCKET.
func NotifySystemd(state string) error {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("tell systemd %s: %w", state, err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("tell systemd %s: %w", state, err)
	}
	return nil
}
