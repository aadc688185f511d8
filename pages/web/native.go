package web

import (
	"errors"
	"net/http"

	"portico/locale"
	"portico/pages/request"
	"portico/portal/access"
)

// RefuseApp writes a refusal as JSON with a message for the app's bridge. An ended session is answered with 401. It
// returns any other error, for the adapter that handles the errors of all pages.
func RefuseApp(w http.ResponseWriter, r *http.Request, err error) error {
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case errors.Is(err, access.LoginRequired):
		return request.WriteJSON(w, http.StatusUnauthorized,
			map[string]string{"message": locale.T(r.Context(), "native.ended")})
	case ok:
		return request.WriteJSON(w, RefusedStatus(w, refused), map[string]string{"message": RefusalText(r, refused)})
	}
	return err
}
