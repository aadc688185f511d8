// Package negotiation reads the headers by which a client says which form of an answer it accepts and which version it
// has already.
package negotiation

import "strings"

// AcceptsGzip reports whether an Accept-Encoding allows gzip.
func AcceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if coding == "gzip" {
			return strings.Trim(weight, "q=.0") != "" || weight == ""
		}
	}
	return false
}

// MatchesTag reports whether an If-None-Match names this version, plain or compressed.
func MatchesTag(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		cached := strings.Trim(strings.TrimPrefix(strings.TrimSpace(part), "W/"), `"`)
		if version, _, _ := strings.Cut(cached, "-"); cached == "*" || version == tag {
			return true
		}
	}
	return false
}
