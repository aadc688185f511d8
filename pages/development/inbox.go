package development

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	"portico/pages/request"
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

// DevRoutes are the pages of the developer's tools; without an inbox there are none.
func (p *Pages) DevRoutes(r chi.Router) {
	if p.Inbox == nil || p.production {
		return
	}
	p.web.Form(r, "/dev/inbox", p.showInbox, nil)
	r.Get("/dev/inbox.json", p.web.Serve(p.showInboxJSON))
}

func (p *Pages) showInbox(w http.ResponseWriter, r *http.Request) error {
	shell := p.web.Shell(r, locale.T(r.Context(), "inbox.heading"), true)
	shell.Wide = true
	return p.web.Render(w, r, http.StatusOK, shell, inboxPage(p.Inbox(r.URL.Query().Get("phone"))))
}

func (p *Pages) showInboxJSON(w http.ResponseWriter, r *http.Request) error {
	return request.WriteJSON(w, http.StatusOK, p.Inbox(r.URL.Query().Get("phone")))
}
