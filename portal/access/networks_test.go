package access

import "testing"

func TestAnAddressBelongsToThreeNetworks(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][NetworkWidths]string{
		"203.0.113.9":         {"203.0.113.9/32", "203.0.113.0/24", "203.0.0.0/16"},
		"::ffff:203.0.113.9":  {"203.0.113.9/32", "203.0.113.0/24", "203.0.0.0/16"},
		"2001:db8:7:1::9":     {"2001:db8:7:1::/64", "2001:db8:7::/48", "2001:db8::/32"},
		"2001:db8:7:2::9":     {"2001:db8:7:2::/64", "2001:db8:7::/48", "2001:db8::/32"},
		"fe80::1:2:3:4%lan":   {"fe80::/64", "fe80::/48", "fe80::/32"},
		"":                    {"", "", ""},
		"a name, no address.": {"a name, no address.", "a name, no address.", "a name, no address."},
	} {
		if got := Networks(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
