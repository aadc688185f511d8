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

// Money formats an amount in cents, in the same way in all three languages, because Spanish is that of Latin America:
// ¥1,234.50.
func Money(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	fraction := strconv.FormatInt(100+cents%100, 10)[1:]
	return sign + "¥" + Count(cents/100) + "." + fraction
}

// Count formats a whole number with separators between thousands.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// zone is the time zone of all companies.
var zone = time.FixedZone("UTC+8", 8*60*60)

// When prints a date and time as an HTML time element.
func When(t time.Time) templ.Component {
	return timeElement(t, func(l locale.Lang) string { return Moment(l, t) })
}

// AtClock prints a time of day, under a heading with its date, as an HTML time element.
func AtClock(t time.Time) templ.Component {
	return timeElement(t, func(locale.Lang) string { return Clock(t) })
}

func timeElement(t time.Time, text func(locale.Lang) string) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		_, err := io.WriteString(w, `<time class="num" datetime="`+t.In(zone).Format(time.RFC3339)+
			`">`+html.EscapeString(text(locale.Of(ctx)))+`</time>`)
		return err
	})
}

// Moment formats a date with its time by the rules of a language, short enough for a list.
func Moment(l locale.Lang, t time.Time) string {
	separator := ", "
	if l == locale.Chinese {
		separator = " "
	}
	return Day(l, t) + separator + t.In(zone).Format("15:04")
}

// Clock formats the time of day, the same in every language: 16:05.
func Clock(t time.Time) string { return t.In(zone).Format("15:04") }

// Second formats the time of day with its seconds, the same in every language: 16:05:09.
func Second(t time.Time) string { return t.In(zone).Format(time.TimeOnly) }

// Stamp formats a time for spreadsheets, the same in every language: 2026-10-01 16:00:05.
func Stamp(t time.Time) string { return t.In(zone).Format(time.DateTime) }

// Day formats a date by the rules of a language, with the month abbreviated.
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

// ShortDay formats a date like Day, without its year.
func ShortDay(l locale.Lang, t time.Time) string {
	if l == locale.Chinese {
		return t.In(zone).Format("1月2日")
	}
	day := Day(l, t)
	return day[:strings.LastIndex(day, " ")]
}
