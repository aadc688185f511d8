package site

import (
	"strings"
	"testing"
	"time"

	"portico/components"
	"portico/locale"
)

func TestShortTimesHaveTheYearOnlyWhenItIsNotTheCurrentOne(t *testing.T) {
	now := time.Now()
	old := time.Date(2019, 3, 4, 1, 30, 0, 0, time.UTC)
	for l, want := range map[locale.Lang]string{
		locale.Chinese: `2019年3月4日<span class="clock"> 09:30</span>`,
		locale.Spanish: `4 mar 2019<span class="clock">, 09:30</span>`,
		locale.English: `4 Mar 2019<span class="clock">, 09:30</span>`,
	} {
		for at, want := range map[time.Time]string{old: want, now: `>` + components.ShortDay(l, now) + `<`} {
			var b strings.Builder
			if err := ShortWhen(at).Render(locale.With(t.Context(), l), &b); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %s, want %s", l, b.String(), want)
			}
		}
		short := components.ShortDay(l, old)
		if strings.Contains(short, "2019") || !strings.Contains(components.Day(l, old), short) {
			t.Errorf("%s: %s", l, short)
		}
	}
}
