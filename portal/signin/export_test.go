package signin

import (
	"context"
	"errors"

	"portico/portal/access"
)

// LoginSlowly signs in as Login does, and runs meanwhile after the password was compared.
func (s *Signin) LoginSlowly(ctx context.Context, in LoginInput, meanwhile func()) (LoginResult, error) {
	g, err := s.Prove(ctx, in)
	if err != nil {
		return LoginResult{}, err
	}
	meanwhile()
	return s.loginProven(ctx, in, g)
}

// GuessSlowly signs in by the password of a phone, right or wrong, and runs meanwhile after it was compared.
func (s *Signin) GuessSlowly(ctx context.Context, in LoginInput, meanwhile func()) error {
	phone, err := s.db.Phones.ByNumber(ctx, in.Phone)
	if err != nil {
		return err
	}
	g, err := s.guard(ctx, in.passwordTry(), access.PersonSubject(phone))
	if err != nil {
		return err
	}
	right, err := g.Compare(ctx, true)
	if err != nil {
		return err
	}
	meanwhile()
	if !right {
		refusal, err := countTried(ctx, []refusedTry{{g, nil}})
		return s.neutral(ctx, errors.Join(refusal, err))
	}
	_, err = s.loginProven(ctx, in, g)
	return err
}

// TryPasswordSlowly asks for the password of a phone as operations do, and runs meanwhile after it was compared.
func (s *Signin) TryPasswordSlowly(ctx context.Context, number, password string, meanwhile func()) error {
	phone, err := s.db.Phones.ByNumber(ctx, number)
	if err != nil {
		return err
	}
	g, err := s.guard(ctx, access.PasswordTry{Password: password}, access.PersonSubject(phone))
	if err != nil {
		return err
	}
	right, err := g.Compare(ctx, true)
	if err != nil {
		return err
	}
	meanwhile()
	if !right {
		return g.Wrong(ctx)
	}
	return g.Settle(ctx)
}
