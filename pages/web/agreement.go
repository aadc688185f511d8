package web

import (
	"net/http"

	"portico/components"
	"portico/locale"
)

// AgreeField returns the check box that accepts the agreement. It is ticked when agreed is true.
func AgreeField(r *http.Request, agreed bool) components.Field {
	f := components.Field{Kind: components.KindAgree, ID: "agree", Label: locale.T(r.Context(), "register.agree")}
	if agreed {
		f.Value = "1"
	}
	return f
}
