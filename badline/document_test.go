package badline_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

const documentPath = "../docs/bad-lines.md"

// The document is what the tables say. PORTICO_WRITE_DOCS=1 writes it anew.
func TestTheDocumentSaysWhatTheTablesSay(t *testing.T) {
	t.Parallel()
	want := document(t)
	if os.Getenv("PORTICO_WRITE_DOCS") != "" {
		if err := os.WriteFile(documentPath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(documentPath)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/bad-lines.md is stale: run PORTICO_WRITE_DOCS=1 go test ./badline -run TestTheDocument")
	}
}

func document(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Bad lines

What happens when an answer is lost, a form is sent twice, a tab is left open, or the line is cut. Every row of
the tables is a test: [badline](../badline) puts a proxy between clients and the built program, which loses,
doubles, delays and cuts what passes. This page is written from the tests' own tables; do not edit it by hand:

    PORTICO_WRITE_DOCS=1 go test ./badline -run TestTheDocument

## Forms

The person has no scripts. Each cell is tried with people of its own, and the database is read afterwards. After
each of them the person is still signed in, is on no error page, and no right code is called expired.

| | fault, and what the person does then |
|---|---|
`)
	for _, f := range faults {
		fmt.Fprintf(&b, "| **%s** | %s |\n", f.short, f.what)
	}
	b.WriteString(`
✓: it happened exactly once. asked: it happened once, and the person is asked before it happens again. –: does
not apply.

| form |`)
	for _, f := range faults {
		fmt.Fprintf(&b, " %s |", f.short)
	}
	b.WriteString(" what the page says or offers, or where the person is |\n|---|" + strings.Repeat("---|",
		len(faults)+1) + "\n")
	for _, row := range formRows {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, f := range faults {
			cell := "✓"
			switch {
			case strings.Contains(row.not, f.short):
				cell = "–"
			case strings.Contains(row.asks, f.short):
				cell = "asked"
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		fmt.Fprintf(&b, " %s |\n", row.want.told(t))
	}
	b.WriteString(`
In Chromium the landing is tried once more, on a phone and on a desktop: the browser asks again by itself.

## Signed calls

Each call is made with its answer lost and signed anew, twice at once, and cut after 2, 30 and 90 ms. Calls that
create take an Idempotency-Key: with the same key, and even with identical bytes, the answer is the one that was
lost.

| call | effects | a repetition answers |
|---|---|---|
`)
	for _, row := range callRows {
		answer := "ok"
		if row.or != "" {
			answer += " or " + row.or
		}
		if row.creates {
			answer += ", with a key the same answer"
		}
		fmt.Fprintf(&b, "| %s %s | ✓ | %s |\n", row.method, row.path, answer)
	}
	fmt.Fprintf(&b, `
Calls that take a chat app's own one-time answer are tried elsewhere, in the browser tests: the app gives that
answer once.

## Two people, two companies

The tests open every page that the demo's people and those in the middle of registering reach, on phones and
desktops, and collect every form. Each is sent after its person signed out and another one signed in, and on the
mobile sites after the person changed the company, in another tab. The answer is 409: nothing is written, the
page says whose form it is and who one is now, and both ways lead on. The way back shows the form with what was
typed; another person is shown none of it. A form without the hidden field that says whose it is fails the
tests.

## An hour of idling

Every form of the back office is filled in, left for an hour and sent. After signing in again as the same person
the form is there, filled in and not sent. Another person is not shown it.

## A soak

%d people register, sign in, order and apply, %d at a time, while %.0f %% of all answers are lost. Each sends
the same again until there is an answer. Nobody is thrown out, no right code is refused, and every company,
order and application is there once.
`+"`PORTICO_SOAK`"+`asks for another number of people.
`, soakPeople, soakAtOnce, 100*soakShare)
	return b.String()
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// placeNames are the pages that say by themselves that it worked.
var placeNames = map[string]string{
	"m /shop": "the shop", "mgr /home": "the back office", "store{id} /home": "the shop",
	"account /login":                     "the sign-in page",
	"store{id} /mgr/settings/appearance": "the appearance page, with the domain",
}

// told is what the document says of a page.
func (w want) told(t *testing.T) string {
	t.Helper()
	if w.text == "" {
		if placeNames[w.at] == "" {
			t.Errorf("the page %q has no name", w.at)
		}
		return placeNames[w.at]
	}
	text := texts(t)[w.text]
	if text == "" {
		t.Errorf("no text %q", w.text)
	}
	inner := strings.NewReplacer("“", "‘", "”", "’").Replace(placeholder.ReplaceAllString(text, "…"))
	return "“" + inner + "”"
}
