package entry

import (
	"errors"
	"net/http"

	"portico/pages/web"
	"portico/portal/access"
)

// NoteReceived answers the report of a page that the browser received it (see components.ReceivedPath). The report
// carries the session's new cookie, like any later request.
func (p *Pages) NoteReceived(w http.ResponseWriter, r *http.Request) error {
	_, err := p.core.Sessions.Session(r.Context(), web.PlaceOf(r.Context()))
	if err != nil && !errors.Is(err, access.LoginRequired) {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
