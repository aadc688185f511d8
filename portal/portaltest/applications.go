package portaltest

import (
	"errors"
	"fmt"
	"strings"

	"portico/portal/pictures"
	"portico/portal/verification"
)

// Watches switches on the messages about new applications for the administrator of company 1001.
func (p *Carer) Watches() {
	p.T.Helper()
	NoError(p.T, p.Application.WatchApplications(p.From(HomeAddress), p.Boss(), true, "en"))
}

// ToldWaiting returns the messages about pending applications, each as "phone number-of-applications".
func (p *Carer) ToldWaiting() (all []string) {
	p.T.Helper()
	p.Settle()
	for _, m := range p.Sms.Messages() {
		if m.Notice == verification.NoticeApplications {
			all = append(all, fmt.Sprintf("%s %d", m.Phone, m.Waiting))
		}
	}
	return all
}

// WatchedBy stores whether an account wants messages, without a check of its rights.
func (p *Carer) WatchedBy(login string, on bool) {
	p.T.Helper()
	m := p.Account(login)
	if on {
		NoError(p.T, p.Db.Watchers.Add(p.T.Context(), m.CompanyID, m.ID, "zh"))
	} else {
		NoError(p.T, p.Db.Watchers.Remove(p.T.Context(), m.CompanyID, m.ID))
	}
}

// Spent returns how many messages are counted under a key.
func (p *Carer) Spent(key string) int {
	p.T.Helper()
	a, err := p.Db.Attempts.Of(p.T.Context(), key)
	NoError(p.T, err)
	return a.WindowFailures
}

// WantToldWaiting requires the messages about pending applications.
func (p *Carer) WantToldWaiting(what string, want ...string) {
	p.T.Helper()
	if got := p.ToldWaiting(); strings.Join(got, ", ") != strings.Join(want, ", ") {
		p.T.Errorf("%s: %q, want %q", what, got, want)
	}
}

// Kept reads a file from the file store.
func (p *Platform) Kept(name string) []byte {
	p.T.Helper()
	data, err := p.Options.Files.Get(p.T.Context(), name, 16<<20)
	NoError(p.T, err)
	return data
}

// Missing requires that the file store has no file of a name.
func (p *Platform) Missing(name string) {
	p.T.Helper()
	if _, err := p.Options.Files.Get(p.T.Context(), name, 16<<20); !errors.Is(err, pictures.ErrNoFile) {
		p.T.Errorf("%s: %v", name, err)
	}
}
