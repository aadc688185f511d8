package web

import (
	"net/http"

	"portico/locale"
	"portico/store"
)

// applicationStates maps a state to the kind and locale key of its chip.
var applicationStates = map[store.ApplicationState]Chip{
	store.ApplicationPending:  {Kind: "warn", Text: "application.pending"},
	store.ApplicationApproved: {Kind: "ok", Text: "application.approved"},
	store.ApplicationRejected: {Kind: "bad", Text: "application.rejected"},
}

// ApplicationChip returns the chip of a state, with its text.
func ApplicationChip(r *http.Request, state store.ApplicationState) Chip {
	c := applicationStates[state]
	return Chip{Kind: c.Kind, Text: locale.T(r.Context(), c.Text)}
}
