package pages

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/locale"
)

// Inbox gives the messages sent to a phone, or all for "", newest first. It exists in dev alone.
type Inbox func(phone string) []InboxMessage

// InboxMessage is one message.
type InboxMessage struct {
	Phone   string    `json:"phone"`
	Purpose string    `json:"purpose"`
	Code    string    `json:"code"`
	Text    string    `json:"text"`
	SentAt  time.Time `json:"sent_at"`
}

// devRoutes are the pages of the developer's tools; without an inbox there are none.
func (p *Pages) devRoutes(r chi.Router) {
	if p.inbox == nil || p.production {
		return
	}
	p.form(r, "/dev/inbox", p.showInbox, nil)
	r.Get("/dev/inbox.json", p.serve(p.showInboxJSON))
}

func (p *Pages) showInbox(w http.ResponseWriter, r *http.Request) error {
	shell := p.shell(r, locale.T(r.Context(), "inbox.heading"), true)
	shell.Wide = true
	return p.render(w, r, http.StatusOK, shell, inboxPage(p.inbox(r.URL.Query().Get("phone"))))
}

func (p *Pages) showInboxJSON(w http.ResponseWriter, r *http.Request) error {
	return writeJSON(w, http.StatusOK, p.inbox(r.URL.Query().Get("phone")))
}
