package locale

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// edition is the text of a version of the agreement, as the SHA-256 of what a reader gets in each language. editorial says what was
// mended in the wording, and that the meaning stayed: "" for the text the version was published with.
type edition struct {
	version, editorial string
	hashes             map[Lang]string
}

// editions are all texts the agreement ever had, the first first. What people accepted must not change under them: a text that
// means something else is a new version, with a later day (docs/operating.md), and begins a new line here; one that is only worded
// better adds a line of the same version that says so. No line is ever changed or removed.
var editions = []edition{
	{"2026-11-01", "", map[Lang]string{
		Chinese: "7b5aa7997e2f3e2dd98ef4f8cb4ce625613f929efc8abb7e3bb00e069b4d7155",
		Spanish: "b73f3e3ecdecd8c32507c120dc5e045d14e38fdb40ee56649126b3b706739d30",
		English: "968a836e18ea2bb46c2070b8a554b4e13911211e80d980701c1a61f877808ac6",
	}},
}

// readText is a version as a reader gets it, a line each: nothing of how the file is laid out.
func readText(a AgreementText) string {
	lines := []string{a.Title, a.Updated, a.Changes, a.Intro}
	for _, s := range a.Sections {
		lines = append(append(lines, s.Title), s.Paragraphs...)
	}
	return strings.Join(lines, "\n")
}

func TestWhatPeopleAcceptedDoesNotChangeUnderThem(t *testing.T) {
	present := map[string]edition{}
	for _, e := range editions {
		before, again := present[e.version]
		switch {
		case again && len(e.editorial) < 20:
			t.Errorf("%s: its text may be mended, if the line says how, and that it means the same", e.version)
		case !again && e.editorial != "":
			t.Errorf("%s: the first text of a version mends nothing", e.version)
		case again && before.hashes[Chinese] == e.hashes[Chinese] && before.hashes[Spanish] == e.hashes[Spanish] && before.hashes[English] == e.hashes[English]:
			t.Errorf("%s: the same text twice", e.version)
		}
		present[e.version] = e
	}
	for _, l := range Langs {
		for _, a := range l.Agreements() {
			sum := sha256.Sum256([]byte(readText(a)))
			if got := hex.EncodeToString(sum[:]); got != present[a.Version].hashes[l] {
				t.Errorf("the %s text of %s is another one, %s: publish a new version, or say in editions what was mended", l, a.Version, got)
			}
		}
	}
	for version := range present {
		if !slices.ContainsFunc(Chinese.Agreements(), func(a AgreementText) bool { return a.Version == version }) {
			t.Errorf("%s was published, and cannot be read any more", version)
		}
	}
}
