package access

import "net/netip"

// The widths at which limits count a caller, in bits of the prefix, from narrow to wide. A household usually has an
// IPv6 /64, a rented server a /48 and a provider a /32. The holder of a /48 can send from 65,536 networks of size
// /64, so a limit of the narrow width alone would not stop them.
var (
	ipv4Widths = [...]int{32, 24, 16}
	ipv6Widths = [...]int{64, 48, 32}
)

// The index of each width in the result of Networks. NetworkWidths is their number.
const (
	NarrowNetwork = iota // an IPv4 address, an IPv6 /64
	MiddleNetwork        // an IPv4 /24, an IPv6 /48
	WideNetwork          // an IPv4 /16, an IPv6 /32
	NetworkWidths
)

// Networks returns the three networks that an address belongs to, from narrow to wide. It returns a text that is not an
// address unchanged, at every width.
func Networks(address string) [NetworkWidths]string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return [NetworkWidths]string{address, address, address}
	}
	a = a.Unmap()
	widths := ipv6Widths
	if a.Is4() {
		widths = ipv4Widths
	}
	var found [NetworkWidths]string
	for i, width := range widths {
		found[i] = netip.PrefixFrom(a, width).Masked().String()
	}
	return found
}

// Network returns the narrowest network that an address belongs to: an IPv4 address, an IPv6 /64.
func Network(address string) string { return Networks(address)[NarrowNetwork] }
