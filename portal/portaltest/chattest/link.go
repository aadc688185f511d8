package chattest

import (
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

// LinkInput is the account of a phone, or of a name, with the demo password.
func (b *Browser) LinkInput(ticket, who string) chatlogin.LinkInput {
	b.P.T.Helper()
	in := chatlogin.LinkInput{
		Ticket:   ticket,
		Phone:    who,
		Password: onboarding.DemoPassword,
		Flow:     b.Flow,
		Browser:  b.Browser(),
	}
	if _, ok := access.NormalPhone(who); !ok {
		in.ByName, in.Phone, in.Login = true, "", who
	}
	return in
}

func (b *Browser) ProveLink(in chatlogin.LinkInput) (chatlogin.Linking, error) {
	return b.P.Chatlogin.ProveForLink(b.Context(), in)
}

func (b *Browser) ConfirmLink(l chatlogin.Linking) (signin.LoginResult, error) {
	b.P.T.Helper()
	return b.P.Chatlogin.ConfirmLink(b.Context(), l.Sealed, b.Flow, "zh", b.Browser())
}

// PendingLink is a link of an unknown identity that waits for the yes.
func (b *Browser) PendingLink(
	provider access.ProviderName,
	who chatapps.ProviderIdentity,
	account string,
) chatlogin.Linking {
	b.P.T.Helper()
	l, err := b.ProveLink(b.LinkInput(b.UnknownTicket(provider, who), account))
	portaltest.NoError(b.P.T, err)
	return l
}

// Link makes an identity sign an account in: that of a phone, or of a name, with the demo password.
func (b *Browser) Link(
	provider access.ProviderName,
	who chatapps.ProviderIdentity,
	account string,
) signin.LoginResult {
	b.P.T.Helper()
	result, err := b.ConfirmLink(b.PendingLink(provider, who, account))
	portaltest.NoError(b.P.T, err)
	return result
}
