package components

import (
	"strings"
	"testing"

	"portico/locale"
)

func TestCardNumberIsShownInGroupsOfFour(t *testing.T) {
	for card, want := range map[string]string{
		"": "", "6222": "6222", "62220": "6222 0", "6222000000000001": "6222 0000 0000 0001",
		"6222000000000000123": "6222 0000 0000 0000 123", "6222 x": "6222 x",
	} {
		if got := GroupCard(card); got != want {
			t.Errorf("%q: %q, want %q", card, got, want)
		}
	}
}

func TestDigitsFieldPropsHaveMaximumLength(t *testing.T) {
	ctx := locale.With(t.Context(), locale.English)
	for want, field := range map[string]Field{
		`&#34;group&#34;:4,&#34;max&#34;:19`: {Kind: KindCard, ID: "card", Max: 23, Value: "6222000000000001"},
		`&#34;group&#34;:0,&#34;max&#34;:4`:  {Kind: KindNumber, ID: "number", Max: 4, Value: "6222"},
	} {
		var b strings.Builder
		if err := AnyField(field, CodeSending{}).Render(ctx, &b); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{want, `inputmode="numeric"`, `type="text"`, `data-island="digits"`,
			`value="6222`} {
			if !strings.Contains(b.String(), part) {
				t.Errorf("%s: no %s in %s", field.ID, part, b.String())
			}
		}
	}
}
