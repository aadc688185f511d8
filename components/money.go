package components

import (
	"context"
	"html"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"portico/locale"
)

// Money writes an amount in cents the way the language does: ¥1,234.50, or 1.234,50 ¥ in Spanish.
func Money(l locale.Lang, cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	fraction := strconv.FormatInt(100+cents%100, 10)[1:]
	if l == locale.Spanish {
		return sign + grouped(cents/100, ".") + "," + fraction + " ¥"
	}
	return sign + "¥" + grouped(cents/100, ",") + "." + fraction
}

// Count writes a whole number with the language's thousands.
func Count(l locale.Lang, n int64) string {
	if l == locale.Spanish {
		return grouped(n, ".")
	}
	return grouped(n, ",")
}

func grouped(n int64, separator string) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

// zone is where the companies keep their days and hours.
var zone = time.FixedZone("UTC+8", 8*60*60)

// When prints a moment for people and for machines.
func When(t time.Time) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		_, err := io.WriteString(w, `<time class="num" datetime="`+t.In(zone).Format(time.RFC3339)+`">`+html.EscapeString(Moment(locale.Of(ctx), t))+`</time>`)
		return err
	})
}

// Moment writes a day and its time the way the language does, short enough for a list.
func Moment(l locale.Lang, t time.Time) string {
	separator := ", "
	if l == locale.Chinese {
		separator = " "
	}
	return Day(l, t) + separator + t.In(zone).Format("15:04")
}

// Clock writes the time of day, the same in every language: 16:05.
func Clock(t time.Time) string { return t.In(zone).Format("15:04") }

// Stamp writes a moment for spreadsheets, in every language the same: 2026-10-01 16:00:05.
func Stamp(t time.Time) string { return t.In(zone).Format(time.DateTime) }

// Day writes a day the way the language does, with its month cut short.
func Day(l locale.Lang, t time.Time) string {
	t = t.In(zone)
	switch l {
	case locale.Spanish:
		day := strings.Fields(l.Date(t)) // 1 de octubre de 2026
		return day[0] + " " + day[2][:3] + " " + day[4]
	case locale.English:
		return t.Format("2 Jan 2006")
	}
	return l.Date(t)
}
