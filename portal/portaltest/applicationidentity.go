package portaltest

import "portico/store"

// AppliesBy is an application of somebody who came by WeChat.
func (p *Chatter) AppliesBy(b *Browser, ticket string, company int64, phone string) store.Application {
	p.T.Helper()
	in := p.Applies(company, phone)
	NoError(p.T, p.Chatlogin.NoteApplicant(b.Ctx(), ticket, b.Flow, company, phone))
	a, err := p.Apply(in)
	NoError(p.T, err)
	return a
}
