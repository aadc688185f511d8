package site

import (
	"context"
	"html"
	"io"
	"strings"
	"time"

	"github.com/a-h/templ"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
)

// ShortWhen prints a date and time as an HTML time element, without the year when it is the current one. The time of
// day is an element of its own, so that narrow screens can leave it out.
func ShortWhen(t time.Time) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		l, at := locale.Of(ctx), t.In(access.CompanyDay)
		day := components.Day(l, at)
		clock := strings.TrimPrefix(components.Moment(l, at), day)
		if at.Year() == time.Now().In(access.CompanyDay).Year() {
			day = components.ShortDay(l, at)
		}
		_, err := io.WriteString(w, `<time class="num" datetime="`+at.Format(time.RFC3339)+`">`+
			html.EscapeString(day)+`<span class="clock">`+html.EscapeString(clock)+`</span></time>`)
		return err
	})
}
