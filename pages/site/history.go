package site

import (
	"cmp"
	"net/http"
	"time"

	"portico/locale"
	"portico/portal/access"
)

// HistoryLine is something that was done with an order, an application or a customer.
type HistoryLine struct {
	What, Who string // Who is "" when nobody of the company did it
	At        time.Time
}

// History returns the lines of a record's events.
func History(r *http.Request, events []access.AuditEvent) (lines []HistoryLine) {
	for _, e := range events {
		line := HistoryLine{What: EventText(r, e), At: e.At.Time(), Who: cmp.Or(e.Name, e.Login)}
		if e.Operator {
			line.Who = locale.T(r.Context(), "audit.operator")
		}
		lines = append(lines, line)
	}
	return lines
}

// EventText returns what happened, in the language of the page. An event of a kind without text is shown by its kind.
func EventText(r *http.Request, e access.AuditEvent) string {
	key := "audit." + e.Kind
	if !locale.Has(key) {
		return e.Kind
	}
	what := locale.T(r.Context(), key)
	if object := cmp.Or(e.Host, e.Card); object != "" {
		what += ": " + object
	}
	return what
}

// EventSentence returns an event as a sentence with who did it and what it is about, like "陈静 approved River Lane
// Bistro". It returns false, and what EventText does, for an event without such a sentence.
func EventSentence(r *http.Request, e access.AuditEvent) (sentence string, names bool) {
	actor, key := cmp.Or(e.Name, e.Login), "audit.did."+e.Kind
	if locale.Has(key) && e.Object != "" && (actor != "" || e.Kind == "application_sent") {
		return locale.T(r.Context(), key, "name", actor, "object", e.Object), true
	}
	return EventText(r, e), false
}
