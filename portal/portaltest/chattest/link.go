package chattest

import (
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

// LinkInput returns the input that links the identity of a ticket to a phone number or account name, with the demo
// password.
func (b *Browser) LinkInput(ticket, who string) signin.LinkInput {
	b.P.T.Helper()
	in := signin.LinkInput{
		Ticket:   ticket,
		Phone:    who,
		Password: onboarding.DemoPassword,
		Flow:     b.Flow,
		Browser:  b.Browser(),
	}
	if _, ok := access.NormalPhone(who); !ok {
		in.ByName = true
		in.Phone = ""
		in.Login = who
	}
	return in
}

// ProveLink proves the account of a link and returns the link that waits for confirmation, or the refusal.
func (b *Browser) ProveLink(in signin.LinkInput) (signin.Linking, error) {
	return b.P.Chatlogin.ProveForLink(b.Context(), in)
}

// ConfirmLink confirms a link and returns the sign-in, or the refusal.
func (b *Browser) ConfirmLink(l signin.Linking) (signin.LoginResult, error) {
	b.P.T.Helper()
	return b.P.Chatlogin.ConfirmLink(b.Context(), l.Sealed, b.Flow, "zh", b.Browser())
}

// PendingLink proves an account for a new identity and returns the link that waits for confirmation. It fails the test
// if a step is refused.
func (b *Browser) PendingLink(
	provider access.ProviderName,
	who signin.ProviderIdentity,
	account string,
) signin.Linking {
	b.P.T.Helper()
	l, err := b.ProveLink(b.LinkInput(b.UnknownTicket(provider, who), account))
	portaltest.NoError(b.P.T, err)
	return l
}

// Link links a new identity to a phone number or account name and returns the sign-in. It fails the test if a step is
// refused.
func (b *Browser) Link(
	provider access.ProviderName,
	who signin.ProviderIdentity,
	account string,
) signin.LoginResult {
	b.P.T.Helper()
	result, err := b.ConfirmLink(b.PendingLink(provider, who, account))
	portaltest.NoError(b.P.T, err)
	return result
}
