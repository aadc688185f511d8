package server

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
)

// allowHTTP2 lets a proxy send its requests by HTTP/2 without TLS, and still by HTTP/1. The server's timeouts apply
// to each request of a connection. trustedHTTP2 allows it to nobody else.
func allowHTTP2(s *http.Server) {
	s.Protocols = new(http.Protocols)
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	s.HTTP2 = &http.HTTP2Config{
		MaxConcurrentStreams: maxStreams,
		WriteByteTimeout:     writeTimeout, // closes a connection that reads no bytes
		SendPingTimeout:      idleTimeout,  // pings a silent connection, and closes it without a reply
		PingTimeout:          headerTimeout,
	}
}

// trustedHTTP2 is a listener whose connections speak HTTP/1 only, unless they come from a trusted proxy.
type trustedHTTP2 struct {
	net.Listener
	trusted []netip.Prefix
}

// Accept waits for the next connection.
func (l trustedHTTP2) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if at, ok := conn.RemoteAddr().(*net.TCPAddr); ok && isTrusted(at.AddrPort().Addr().Unmap(), l.trusted) {
		return conn, nil
	}
	return &http1Conn{Conn: conn}, nil
}

// http2Begins is how every connection of HTTP/2 begins, and no request of HTTP/1.
const http2Begins = "PRI * HTTP/2.0\r\n"

var errNoHTTP2 = errors.New("server: HTTP/2 from an address that is no trusted proxy")

// http1Conn is a connection that ends when it begins as HTTP/2.
type http1Conn struct {
	net.Conn
	matched int // bytes of http2Begins that came first; -1 after another byte
}

// Read reads from the connection, and fails when it has begun as HTTP/2.
func (c *http1Conn) Read(to []byte) (int, error) {
	n, err := c.Conn.Read(to)
	for _, b := range to[:n] {
		if c.matched < 0 {
			break
		}
		if b != http2Begins[c.matched] {
			c.matched = -1
		} else if c.matched++; c.matched == len(http2Begins) {
			return 0, errNoHTTP2
		}
	}
	return n, err
}
