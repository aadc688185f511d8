package signin

import (
	"context"
	"errors"

	"portico/portal/access"
)

// LoginWithHook signs in as Login does. It calls afterCompare between the comparison of the password and the
// transaction that signs in.
func (s *Signin) LoginWithHook(ctx context.Context, in LoginInput, afterCompare func()) (LoginResult, error) {
	g, err := s.Prove(ctx, in)
	if err != nil {
		return LoginResult{}, err
	}
	afterCompare()
	return s.loginProven(ctx, in, g)
}

// LoginByPhoneWithHook signs in to a phone with a right or a wrong password. It calls afterCompare when the password
// was compared, before a failure is counted.
func (s *Signin) LoginByPhoneWithHook(ctx context.Context, in LoginInput, afterCompare func()) error {
	person, err := s.core.DB.Persons.ByNumber(ctx, in.Phone)
	if err != nil {
		return err
	}
	g, err := s.guard(ctx, in.passwordTry(), access.PersonSubject(person))
	if err != nil {
		return err
	}
	right, err := g.Compare(ctx, nil)
	if err != nil {
		return err
	}
	afterCompare()
	if !right {
		refusal, err := countTried(ctx, []refusedTry{{g, nil}})
		return s.neutral(ctx, errors.Join(refusal, err), in.Password)
	}
	_, err = s.loginProven(ctx, in, g)
	return err
}

// ProvePasswordWithHook proves the password of a phone, like operations that ask for it. It calls afterCompare when the
// password was compared, before the result is counted.
func (s *Signin) ProvePasswordWithHook(ctx context.Context, number, password string, afterCompare func()) error {
	person, err := s.core.DB.Persons.ByNumber(ctx, number)
	if err != nil {
		return err
	}
	g, err := s.guard(ctx, access.PasswordTry{Password: password}, access.PersonSubject(person))
	if err != nil {
		return err
	}
	right, err := g.Compare(ctx, nil)
	if err != nil {
		return err
	}
	afterCompare()
	if !right {
		return g.Wrong(ctx)
	}
	return g.Settle(ctx)
}
