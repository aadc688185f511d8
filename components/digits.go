package components

import (
	"encoding/json"
	"strings"
)

// cardGroup is how many digits of a card's number stand together (specification section 5: fours).
const cardGroup = 4

// GroupCard writes a card's number the way it stands on the card: 6222 0000 0000 0001. What is no number stays as it is.
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

// shown is the field's value as one reads it.
func (f Field) shown() string {
	if f.Kind == KindCard {
		return GroupCard(f.Value)
	}
	return f.Value
}

// digitsProps are what islands/page/digits.ts is told: Max is in characters, those between the groups included.
func (f Field) digitsProps() string {
	group, most := 0, f.Max
	if f.Kind == KindCard {
		group, most = cardGroup, f.Max-f.Max/(cardGroup+1)
	}
	props, _ := json.Marshal(map[string]int{"group": group, "max": most})
	return string(props)
}
