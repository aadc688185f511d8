package development

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	"portico/pages/web"
)

// Inbox returns the text messages to a phone, or all messages for "", newest first. It exists only in development.
type Inbox func(phone string) []InboxMessage

// InboxMessage is one text message.
type InboxMessage struct {
	Phone   string    `json:"phone"`
	Purpose string    `json:"purpose"`
	Code    string    `json:"code"`
	Text    string    `json:"text"`
	SentAt  time.Time `json:"sent_at"`
}

// InboxRoutes adds the routes of the inbox and of the pieces of the pages. It adds none in production and without an
// inbox.
func (p *Pages) InboxRoutes(r chi.Router) {
	if p.Inbox == nil || p.production {
		return
	}
	p.web.Form(r, "/dev/inbox", p.showInbox, nil)
	p.web.Form(r, "/dev/pieces", p.showPieces, nil)
	r.Get("/dev/inbox.json", p.web.Serve(p.showInboxJSON))
}

func (p *Pages) showInbox(w http.ResponseWriter, r *http.Request) error {
	shell := p.web.Shell(r, locale.T(r.Context(), "inbox.heading"), true)
	shell.Wide = true
	return p.web.Render(w, r, http.StatusOK, shell, inboxPage(p.Inbox(r.URL.Query().Get("phone"))))
}

func (p *Pages) showInboxJSON(w http.ResponseWriter, r *http.Request) error {
	return web.WriteJSON(w, http.StatusOK, p.Inbox(r.URL.Query().Get("phone")))
}
