package credentials

import (
	"context"

	"portico/portal/core"
	"portico/store"
)

// AskBindCode sends the code that proves the phone to bind to the account of a session. It refuses a malformed number,
// with WrongParameters a session that cannot bind a phone, and what Send refuses.
func (b *Binding) AskBindCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForBind
	to, err := core.TypedRecipient(&in)
	if err != nil {
		return core.CodeSent{}, err
	}
	m, err := b.AccountToBind(ctx, in.Session)
	if err != nil {
		return core.CodeSent{}, err
	}
	to.Target = core.AccountTarget(m.ID)
	to.Login = m.Login
	to.Company = m.Company
	if m.Company.Standing == store.Formal { // anybody opens a company on trial, and as many accounts as they like
		to.Asker = core.RegisteredPhone
	}
	return b.core.Verification.Send(ctx, in, to)
}

// AskUnbindCode sends the code that unbinds a phone to that phone. It refuses as Unbindable and Send do.
func (b *Binding) AskUnbindCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForUnbind
	to, err := b.unbindRecipient(ctx, &in)
	if err != nil {
		return core.CodeSent{}, err
	}
	return b.core.Verification.Send(ctx, in, to)
}

// AskNewPhoneCode sends the code that proves the number that a session wants to change to. It refuses a malformed
// number, the present number with PhoneSame under "phone", and as PhoneToChange and Send do.
func (b *Binding) AskNewPhoneCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForNewPhone
	if _, err := core.TypedRecipient(&in); err != nil {
		return core.CodeSent{}, err
	}
	to, err := b.newPhoneRecipient(ctx, &in)
	if err != nil {
		return core.CodeSent{}, err
	}
	return b.core.Verification.Send(ctx, in, to)
}

// AskOldPhoneCode sends the code that proves the present number of a session that wants to change it. It refuses as
// PhoneToChange and Send do.
func (b *Binding) AskOldPhoneCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForOldPhone
	to, err := b.oldPhoneRecipient(ctx, &in)
	if err != nil {
		return core.CodeSent{}, err
	}
	return b.core.Verification.Send(ctx, in, to)
}
