package portal

import (
	"context"

	"portico/portal/access"
	"portico/portal/core"
)

// AskCode sends a code by the operation for in.Purpose, and refuses what that refuses. It is for doors that learn the
// purpose from a request. It refuses a purpose that has no such operation with WrongParameters.
func (p *Portal) AskCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	switch in.Purpose {
	case core.ForLogin:
		return p.Signin.AskCode(ctx, in)
	case core.ForReset:
		return p.Credentials.AskResetCode(ctx, in)
	case core.ForBind:
		return p.Binding.AskBindCode(ctx, in)
	case core.ForUnbind:
		return p.Binding.AskUnbindCode(ctx, in)
	case core.ForNewPhone:
		return p.Binding.AskNewPhoneCode(ctx, in)
	case core.ForOldPhone:
		return p.Binding.AskOldPhoneCode(ctx, in)
	case core.ForRegister:
		return p.Onboarding.AskRegisterCode(ctx, in)
	case core.ForExperience:
		return p.Onboarding.AskExperienceCode(ctx, in)
	case core.ForShopRegister:
		return p.Onboarding.AskCompleteCode(ctx, in)
	case core.ForApplication:
		return p.Application.AskCode(ctx, in)
	}
	return core.CodeSent{}, access.WrongParameters
}
