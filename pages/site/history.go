package site

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"portico/locale"
	"portico/portal/access"
)

// HistoryLine is something that was done with an order, an application or a customer.
type HistoryLine struct {
	What, Who string // Who is "" when nobody of the company did it
	At        time.Time
}

// HistoryView is the history of a record. All is the address of the log with all of the record's events, "" for readers
// who may not see it.
type HistoryView struct {
	Lines []HistoryLine
	All   string
}

// HistoryOf returns the history of a record of a kind, like "orders".
func (l *Site) HistoryOf(
	r *http.Request, here access.Landing, kind string, id int64, events []access.AuditEvent,
) HistoryView {
	v := HistoryView{Lines: History(r, events)}
	if name := access.ObjectName(kind, id); name != "" && access.May(here.Member, access.RightAudit) {
		v.All = l.path + "/audit?object=" + name
	}
	return v
}

// EventPart is a part of an event's sentence: who did it, what it is about, or words between.
type EventPart struct {
	Text           string
	IsWho, IsAbout bool
}

// The marks stand for names in a sentence until it is cut at them. No text of the catalogue has them.
const (
	whoMark   = "\x01"
	aboutMark = "\x02"
)

// EventParts returns an event as a sentence in parts, nil for an event without such a sentence.
func EventParts(r *http.Request, e access.AuditEvent) (parts []EventPart) {
	actor, key := cmp.Or(e.Name, e.Login), "audit.did."+e.Kind
	if !locale.Has(key) || e.Object == "" || actor == "" && e.Kind != "application_sent" {
		return nil
	}
	rest := locale.T(r.Context(), key, "name", whoMark, "object", aboutMark)
	for rest != "" {
		at := strings.IndexAny(rest, whoMark+aboutMark)
		switch {
		case at < 0:
			return append(parts, EventPart{Text: rest})
		case at > 0:
			parts = append(parts, EventPart{Text: rest[:at]})
		}
		if rest[at:at+1] == whoMark {
			parts = append(parts, EventPart{Text: actor, IsWho: true})
		} else {
			parts = append(parts, EventPart{Text: e.Object, IsAbout: true})
		}
		rest = rest[at+1:]
	}
	return parts
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
