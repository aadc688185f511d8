package server

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"portico/server/tracing"
)

// callerAddress returns the address that sent a request. It is the peer, unless the peer is a trusted proxy. Then it is
// the right-most address in X-Forwarded-For that is not a trusted proxy. If all are trusted, the caller is inside the
// operator's network, and it is the left-most one. It is "" if the header is missing or invalid.
func callerAddress(r *http.Request, trusted []netip.Prefix) string {
	if len(trusted) == 0 {
		return peer(r)
	}
	at, err := netip.ParseAddr(peer(r))
	if err != nil {
		return ""
	}
	if at = at.Unmap(); !isTrusted(at, trusted) {
		return at.String()
	}
	leftmost := ""
	for _, line := range slices.Backward(r.Header["X-Forwarded-For"]) {
		for _, hop := range slices.Backward(strings.Split(line, ",")) {
			if hop = strings.TrimSpace(hop); hop == "" {
				continue
			}
			at, ok := hopAddress(hop)
			if !ok {
				return ""
			}
			if !isTrusted(at, trusted) {
				return at.String()
			}
			leftmost = at.String()
		}
	}
	return leftmost
}

// hopAddress reads an entry of X-Forwarded-For: an address, which some gateways write with a port, in brackets or in
// quotes.
func hopAddress(hop string) (netip.Addr, bool) {
	hop = strings.Trim(hop, `"`)
	at, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(hop, "["), "]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(hop)
		if err != nil {
			return netip.Addr{}, false
		}
		at = withPort.Addr()
	}
	return at.Unmap().WithZone(""), true
}

// proxyTraceparent returns the traceparent of a request that a trusted proxy sent, "" for none.
func proxyTraceparent(r *http.Request, trusted []netip.Prefix) string {
	values := r.Header[tracing.Header]
	if len(values) != 1 {
		return ""
	}
	at, err := netip.ParseAddr(peer(r))
	if err != nil || !isTrusted(at.Unmap(), trusted) {
		return ""
	}
	return values[0]
}

// maxRequestID is the longest request id that is taken from a proxy.
const maxRequestID = 64

// proxyRequestID returns the X-Request-Id of a request that a trusted proxy sent, "" for none. The id must consist of
// letters, digits, dots, dashes and underscores, so that it cannot break a log line.
func proxyRequestID(r *http.Request, trusted []netip.Prefix) string {
	values := r.Header["X-Request-Id"]
	if len(values) != 1 || values[0] == "" || len(values[0]) > maxRequestID {
		return ""
	}
	if strings.ContainsFunc(values[0], isInvalidRequestIDChar) {
		return ""
	}
	at, err := netip.ParseAddr(peer(r))
	if err != nil || !isTrusted(at.Unmap(), trusted) {
		return ""
	}
	return values[0]
}

func isInvalidRequestIDChar(c rune) bool {
	allowed := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
	return !allowed
}

// peer returns the address of the connection without its port. net/http writes "192.0.2.1:1234" or
// "[2001:db8::1]:1234".
func peer(r *http.Request) string {
	address := r.RemoteAddr
	if colon := strings.LastIndexByte(address, ':'); colon >= 0 {
		address = address[:colon]
	}
	return strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
}

// isTrusted reports whether an address is a trusted proxy. It ignores the zone, because no prefix contains an address
// with a zone.
func isTrusted(at netip.Addr, trusted []netip.Prefix) bool {
	at = at.WithZone("")
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(at) })
}
