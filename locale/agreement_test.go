package locale

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// agreementVersion is the text of a version of the agreement, as the SHA-256 of what a reader sees in each language.
// editorial says how the wording was corrected without changing the meaning; it is "" for the text with which the
// version was published.
type agreementVersion struct {
	version, editorial string
	hashes             map[Lang]string
}

// agreementVersions are all texts that the agreement ever had, the oldest first. A version that people have accepted
// must keep its meaning. A text with another meaning is a new version with a later date (docs/operating.md) and a new
// line here. A text with a better wording is a new line of the same version. No line is ever changed or removed.
var agreementVersions = []agreementVersion{
	{"2026-11-01", "", map[Lang]string{
		Chinese: "7b5aa7997e2f3e2dd98ef4f8cb4ce625613f929efc8abb7e3bb00e069b4d7155",
		Spanish: "b73f3e3ecdecd8c32507c120dc5e045d14e38fdb40ee56649126b3b706739d30",
		English: "968a836e18ea2bb46c2070b8a554b4e13911211e80d980701c1a61f877808ac6",
	}},
	{"2026-11-01", "names two pages and the demo as the pages call them now; the meaning is the same", map[Lang]string{
		Chinese: "0005a9732a21e50f975d07fd6bcbf4703450ebff11a31405a2f5fec83dbe8106",
		Spanish: "e96244449ca2335c00ab725071752dde93681f68435dc5ad6ea43faa77d3babc",
		English: "9961588b02794b02859b780f79db23c1cb326e6b531d679dcd9486e66c02b565",
	}},
}

// readText returns the texts of a version in the order in which a reader sees them, without the layout of the file.
func readText(a AgreementText) string {
	lines := []string{a.Title, a.Updated, a.Changes, a.Intro}
	for _, s := range a.Sections {
		lines = append(append(lines, s.Title), s.Paragraphs...)
	}
	return strings.Join(lines, "\n")
}

func TestPublishedAgreementsDoNotChange(t *testing.T) {
	present := map[string]agreementVersion{}
	for _, e := range agreementVersions {
		before, again := present[e.version]
		switch {
		case again && len(e.editorial) < 20:
			t.Errorf("%s: its text may be mended, if the line says how, and that it means the same", e.version)
		case !again && e.editorial != "":
			t.Errorf("%s: the first text of a version mends nothing", e.version)
		case again && before.hashes[Chinese] == e.hashes[Chinese] && before.hashes[Spanish] == e.hashes[Spanish] &&
			before.hashes[English] == e.hashes[English]:
			t.Errorf("%s: the same text twice", e.version)
		}
		present[e.version] = e
	}
	for _, l := range Langs {
		for _, a := range l.Agreements() {
			sum := sha256.Sum256([]byte(readText(a)))
			if got := hex.EncodeToString(sum[:]); got != present[a.Version].hashes[l] {
				t.Errorf("the %s text of %s is another one, %s: publish a new version, or say in editions what was "+
					"mended", l, a.Version, got)
			}
		}
	}
	for version := range present {
		if !slices.ContainsFunc(Chinese.Agreements(), func(a AgreementText) bool { return a.Version == version }) {
			t.Errorf("%s was published, and cannot be read any more", version)
		}
	}
}
