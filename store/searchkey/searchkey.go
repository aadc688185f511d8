// Package searchkey makes the texts by which lists find and sort names.
package searchkey

import (
	"cmp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Of returns the spelling of a name by which it is found and sorted: composed, with full-width letters as ordinary
// ones, in lower case, with single spaces. Two spellings that people read as the same have the same key.
func Of(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(name)), " "))
}

// OfRow returns the key of a row that must have one: Of, or a key that nothing begins with for a name without letters.
func OfRow(name string) string { return cmp.Or(Of(name), "\uFFFD") }

// End returns a text that is greater than every key that begins with a prefix, and not greater than any other key
// above the prefix.
func End(prefix string) string { return prefix + "\U0010FFFF" }
