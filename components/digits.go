package components

import (
	"encoding/json"
	"strings"
)

// cardGroup is how many digits of a card's number are printed in a group.
const cardGroup = 4

// GroupCard formats a card's number as it is printed on the card: 6222 0000 0000 0001. Text that is no number stays as
// it is.
func GroupCard(card string) string {
	if card == "" || strings.Trim(card, "0123456789") != "" {
		return card
	}
	var b strings.Builder
	for i, digit := range card {
		if i > 0 && i%cardGroup == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// displayedValue returns the field's value as it is displayed.
func (f Field) displayedValue() string {
	if f.Kind == KindCard {
		return GroupCard(f.Value)
	}
	return f.Value
}

// digitsProps returns the props of islands/page/digits.ts as JSON. Max counts characters, including the spaces between
// groups.
func (f Field) digitsProps() string {
	group, most := 0, f.Max
	if f.Kind == KindCard {
		group, most = cardGroup, f.Max-f.Max/(cardGroup+1)
	}
	props, _ := json.Marshal(map[string]int{"group": group, "max": most})
	return string(props)
}
