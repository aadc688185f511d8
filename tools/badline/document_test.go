package badline_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"portico/e2e/testscope"
)

var documentPath = testscope.File("docs/bad-lines.md")

// docs/bad-lines.md must match the tables. PORTICO_WRITE_DOCS=1 writes it.
func TestTheDocumentMatchesTheTables(t *testing.T) {
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
		t.Error("docs/bad-lines.md is stale: run PORTICO_WRITE_DOCS=1 go test ./badline -run TestTheDocument in tools")
	}
}

func document(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Bad lines

What happens when a response is lost, a form is sent twice, a tab is left open, or the connection breaks. Every row of
the tables is a test: the package badline puts a proxy between clients and the built program. The proxy loses,
doubles, delays and cuts requests and responses. The tests generate this page; do not edit it:

    cd tools && PORTICO_WRITE_DOCS=1 go test ./badline -run TestTheDocument

## Forms

The browser runs no scripts. Each cell is tested with new people, and the test reads the database afterwards. It also
checks that the person is still signed in, gets no error page, and that no valid code is refused as expired.

| | fault, and what the person does next |
|---|---|
`)
	for _, f := range faults {
		fmt.Fprintf(&b, "| **%s** | %s |\n", f.short, f.what)
	}
	b.WriteString(`
✓: it was done exactly once. asked: it was done once, and the page asks before it is done again. –: does not apply.

| form |`)
	for _, f := range faults {
		fmt.Fprintf(&b, " %s |", f.short)
	}
	b.WriteString(" the text on the last page, or its name |\n|---|" + strings.Repeat("---|", len(faults)+1) + "\n")
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
		fmt.Fprintf(&b, " %s |\n", row.want.describe(t))
	}
	b.WriteString(`
A browser test checks the landing in Chromium too, on a phone and on a desktop: there the browser retries by itself.

## Signed calls

Each call is tested in three ways: its response is lost and the call is signed again, it is made twice at once, and its
connection is cut after 2, 30 and 90 ms. Calls that create something accept an Idempotency-Key: with the same key, and
even with identical bytes, the answer is the one that was lost.

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
Calls that need a chat app's one-time code are not in this table: the app issues each code once. The browser tests
cover them.

## Two people, two companies

The tests open every page that the demo's people, and people in the middle of registering, can reach on phones and
desktops, and collect every form. Then they sign in as another person, or on the mobile sites enter another company, in
another tab, and send each form. The answer is 409: nothing is written, and the page names the form's owner and the
current person. One link leads back to the form, with the typed text; another person never sees that text. The other
link continues as the current person. A form without the hidden field that names its owner fails the tests.

## An hour of idling

Every form of the back office is filled in, left open for an hour, and sent. After signing in again as the same person,
the form is filled in and was not sent. Another person does not see it.

## A soak test

%d people register, sign in, order and apply, %d at a time, while %.0f %% of all responses are lost. Each person sends
the same request again until a response arrives. Nobody is signed out, no valid code is refused, and every company,
order and application exists once. `+"`PORTICO_SOAK`"+` sets another number of people.
`, soakPeople, soakAtOnce, 100*soakShare)
	return b.String()
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// placeNames names the pages that need no text to show that the form was accepted.
var placeNames = map[string]string{
	"account /company": "the list of destinations",
	"m /shop":          "the shop", "mgr /home": "the back office", "store{id} /home": "the shop",
	"account /login":                     "the sign-in page",
	"store{id} /mgr":                     "the back office",
	"account /profile":                   "the profile",
	"store{id} /mgr/settings/appearance": "the appearance page, with the domain",
}

// describe returns what the document says about a page.
func (w want) describe(t *testing.T) string {
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
