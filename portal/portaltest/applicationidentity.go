package portaltest

import "portico/store"

// AppliesBy sends an application with a phone and the ticket of a chat identity.
func (p *Chatter) AppliesBy(b *Browser, ticket string, company int64, phone string) store.Application {
	p.T.Helper()
	in := p.Applies(company, phone)
	NoError(p.T, p.Chatlogin.NoteApplicant(b.Ctx(), ticket, b.Flow, company, phone))
	a, err := p.Apply(in)
	NoError(p.T, err)
	return a
}
