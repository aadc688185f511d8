package signin

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

// CardSignature is what WeChat's JS-SDK needs to run on a page. Timestamp is in Unix seconds.
type CardSignature struct {
	AppID            string
	Timestamp        int64
	Nonce, Signature string
}

// SignCard signs a page of a company's back office for WeChat, where the page then says how WeChat shows a link that is
// passed on. It refuses with ValidationFailed a page outside the platform or of another company, with WeChatFailed a
// company without an official account, and what WeChat refuses; with TooManyAttempts more than Signatures.
func (cl *Chatlogin) SignCard(ctx context.Context, here access.Landing, page string) (CardSignature, error) {
	company := here.Member.Company
	page, err := cl.ownPage(ctx, page, &company)
	if err != nil {
		return CardSignature{}, err
	}
	app, err := cl.chatapps.AppFor(ctx, &company, store.WeChatAccount)
	if err != nil {
		return CardSignature{}, err
	}
	if err := cl.countSignature(ctx); err != nil {
		return CardSignature{}, err
	}
	with := AppParams{Timestamp: cl.core.Now().Unix(), Nonce: access.RequestString()}
	signature, err := cl.signPage(ctx, access.WeChat, app, PageTicket, with, page)
	return CardSignature{app.ID, with.Timestamp, with.Nonce, signature}, err
}

// countSignature refuses with TooManyAttempts when the caller's address has had Signatures pages signed.
func (cl *Chatlogin) countSignature(ctx context.Context) error {
	return cl.core.Limits.CountUpTo(
		ctx, cl.core.DB, "signatures:"+access.Network(access.CallerOf(ctx).Address), Signatures, AuthorisationLife,
	)
}
