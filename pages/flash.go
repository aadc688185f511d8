package pages

import (
	"net/http"
	"strings"

	"portico/locale"
)

// setFlash keeps a flash message for the next page: what was done, and the number of an order or 0.
func (p *Pages) setFlash(w http.ResponseWriter, done string, number int64) {
	p.setCookie(w, doneCookie, done+"."+decimal(number), minuteSeconds)
}

// flash returns the text of key once when the flash message is done, and deletes the message. It returns "" otherwise.
func (p *Pages) flash(w http.ResponseWriter, r *http.Request, done, key string) string {
	was, number, _ := strings.Cut(p.cookie(r, doneCookie), ".")
	if was != done {
		return ""
	}
	p.dropCookie(w, doneCookie)
	return locale.T(r.Context(), key, "num", number)
}
