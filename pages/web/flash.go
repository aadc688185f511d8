package web

import (
	"net/http"
	"strings"

	"portico/locale"
)

// SetFlash keeps a flash message for the next page: what was done, and the number of an order or 0.
func (p *Requests) SetFlash(w http.ResponseWriter, done string, number int64) {
	p.SetCookie(w, DoneCookie, done+"."+Decimal(number), MinuteSeconds)
}

// Flash returns the text of key once when the flash message is done, and deletes the message. It returns "" otherwise.
func (p *Requests) Flash(w http.ResponseWriter, r *http.Request, done, key string) string {
	was, number, _ := strings.Cut(p.Cookie(r, DoneCookie), ".")
	if was != done {
		return ""
	}
	p.DropCookie(w, DoneCookie)
	return locale.T(r.Context(), key, "num", number)
}
