package lists

import (
	"context"
	"encoding/json"

	"portico/locale"
)

// toolKeys are the keys of the keyboard in a list, with the keys of the texts that say what they do.
var toolKeys = [][2]string{
	{"/", "list_keys.search"}, {"j", "list_keys.next"}, {"k", "list_keys.previous"}, {"x", "list_keys.choose"},
	{"Enter", "list_keys.open"}, {"?", "list_keys.help"}, {"Esc", "list_keys.close"},
}

// toolWords returns what islands/backoffice/list.tsx says, as JSON.
func toolWords(ctx context.Context) string {
	words := struct {
		Count   string      `json:"count"`
		All     string      `json:"all"`
		None    string      `json:"none"`
		Heading string      `json:"heading"`
		Close   string      `json:"close"`
		Keys    [][2]string `json:"keys"`
	}{
		Count: locale.T(ctx, "bulk.count"),
		All:   locale.T(ctx, "bulk.all"), None: locale.T(ctx, "bulk.none"),
		Heading: locale.T(ctx, "list_keys.heading"), Close: locale.T(ctx, "list_keys.close"),
	}
	for _, key := range toolKeys {
		words.Keys = append(words.Keys, [2]string{key[0], locale.T(ctx, key[1])})
	}
	text, _ := json.Marshal(words)
	return string(text)
}
