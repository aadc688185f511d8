package portal

import "strings"

// Top-level names that nobody can own (RFC 2606, 6761, 6762, 7686, 8375 and ICANN's .internal). In dev those that
// one's own machine or network may answer for can be tried.
var (
	neverOwned = []string{"alt", "arpa", "corp", "example", "home", "invalid", "lan", "mail", "onion"}
	ownedInDev = []string{"internal", "local", "localhost", "test"}
)

// ownHost is a host that a company may claim, in its one spelling: the host alone, nothing around it.
func (p *Portal) ownHost(typed string) (string, Problem) {
	if len(typed) > maxClaimed {
		return "", DomainMalformed
	}
	host := strings.Trim(typed, " ")
	if host == "" {
		return "", DomainRequired
	}
	for i := range len(host) { // before lowering: a Kelvin sign would become a k
		if host[i] >= 0x80 {
			return "", DomainMalformed
		}
	}
	host = strings.ToLower(host)
	labels := strings.Split(host, ".")
	if len(host) > MaxHost || len(labels) < 2 {
		return "", DomainMalformed
	}
	for _, label := range labels {
		// Of names with hyphens in third and fourth place only punycode is in use, whose letters are looked alike.
		if !goodLabel(label) || strings.Contains(label, "_") || len(label) > 3 && label[2:4] == "--" {
			return "", DomainMalformed
		}
	}
	top := labels[len(labels)-1]
	if len(top) < 2 || strings.Trim(top, "abcdefghijklmnopqrstuvwxyz") != "" { // an address, however it is written, ends in digits
		return "", DomainMalformed
	}
	// The platform's own name anywhere in it would be taken for the platform.
	if strings.Contains("."+host+".", "."+p.baseHost+".") {
		return "", DomainOurs
	}
	for _, name := range neverOwned {
		if top == name {
			return "", DomainReserved
		}
	}
	for _, name := range ownedInDev {
		if top == name && !p.dev {
			return "", DomainReserved
		}
	}
	return host, ""
}
