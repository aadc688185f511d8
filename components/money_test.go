package components

import (
	"strings"
	"testing"
	"time"

	"portico/locale"
)

func TestMoneyIsFormattedInTheSameWayInEveryLanguage(t *testing.T) {
	for cents, want := range map[int64]string{
		0: "¥0.00", 5: "¥0.05", 3280: "¥32.80", 99999: "¥999.99", 100000: "¥1,000.00", 123456789: "¥1,234,567.89",
		-3280: "-¥32.80",
	} {
		if got := Money(cents); got != want {
			t.Errorf("%d: %q, want %q", cents, got, want)
		}
	}
}

func TestCountsHaveThousandsSeparators(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestTimesAreShownInTheCompaniesTimeZone(t *testing.T) {
	at := time.Date(2026, 12, 31, 17, 5, 0, 0, time.UTC) // the next day, in China
	for l, want := range map[locale.Lang]string{
		locale.Chinese: "2027年1月1日 01:05", locale.Spanish: "1 ene 2027, 01:05", locale.English: "1 Jan 2027, 01:05",
	} {
		var b strings.Builder
		if err := When(at).Render(locale.With(t.Context(), l), &b); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != `<time class="num" datetime="2027-01-01T01:05:00+08:00">`+want+`</time>` {
			t.Errorf("%s: %s", l, got)
		}
	}
	for month, want := range []string{"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov",
		"dic"} {
		if got := Day(locale.Spanish, time.Date(2026, time.Month(month+1), 9, 0, 0, 0, 0,
			time.UTC)); got != "9 "+want+" 2026" {
			t.Errorf("%q, want %s", got, want)
		}
	}
}
