package signin

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

// SignIn is a subject that was proven, and how.
type SignIn struct {
	Subject  access.Subject // who signs in
	place    access.Place   // where it signs in
	lighting bool           // the lighting edition is asked for
	How      string         // what proved the subject: one of core.SignInWays
	Settle   Settler        // runs in the transaction, also when the sign-in is refused, because the proof was right
}

// Settler runs in the transaction of a sign-in and settles what proved the person, for example by using up a code. It
// adds statements whose results do not matter to the batch, which runs at the end of the transaction.
type Settler func(tx *store.DB, b *store.Batch) error

// signInResult is what a sign-in makes: a session of a browser, or tokens of a program.
type signInResult interface {
	// prepare decides, before the transaction, what the accounts that the sign-in opens lead to. It returns a refusal
	// of its own, nil for none.
	prepare(ctx context.Context, members []store.Member) (refusal, err error)
	// add stores the result. It adds statements whose results do not matter to the batch.
	add(ctx context.Context, tx *store.DB, b *store.Batch) error
	// audited returns who signed in and how, for the audit log.
	audited() (who store.Member, how string)
}

// signIn signs in a subject that has an account to enter or an offer to answer, and refuses any other. It makes result
// in one transaction with Settle, which also runs when result refuses.
func (s *Signin) signIn(ctx context.Context, in SignIn, result signInResult) error {
	members, err := s.ProvenMembers(ctx, in.Subject)
	if err != nil {
		return err
	}
	refusal, err := s.accounts.RefuseSignIn(ctx, in.Subject, members, in.place, in.lighting)
	if err != nil {
		return err
	}
	if refusal == nil {
		refusal, err = result.prepare(ctx, s.core.Access.InPlace(members, in.place.CompanyID()))
		if err != nil {
			return err
		}
	}
	who, how := result.audited()
	err = s.core.DB.Tx(ctx, func(tx *store.DB) error {
		b := new(store.Batch)
		if err := in.Settle(tx, b); err != nil {
			return err
		}
		if refusal == nil {
			if err := result.add(ctx, tx, b); err != nil {
				return err
			}
			b.AddAuditEvent(s.core.Access.AuditEvent(ctx, "sign_in", who, how))
		}
		return tx.Run(ctx, b)
	})
	if err != nil {
		return err
	}
	here := s.core.Access.InPlace(members, in.place.CompanyID())
	if refusal != nil {
		s.core.Statistics.CountFailedSignIn(refusal, companiesOfRefusal(in.place, here))
		return refusal
	}
	s.core.Statistics.CountSignIn(in.How, enterable(here, in.lighting, s.core.Now()))
	s.core.Access.LogAudit(ctx, "sign_in", who, how)
	return nil
}

// ProvenMembers returns the accounts that a sign-in opens: all of a phone, or the one of a name. A sign-in by WeChat
// may link the identity in its transaction, so its accounts count as bound to WeChat already.
func (s *Signin) ProvenMembers(ctx context.Context, c access.Subject) ([]store.Member, error) {
	members := []store.Member{c.Member}
	if c.Member.ID == 0 {
		var err error
		if members, err = s.core.DB.Accounts.ByPerson(ctx, c.Person.ID); err != nil {
			return nil, err
		}
	}
	for i := range members {
		members[i].WeChatBound = members[i].WeChatBound || c.Provider == access.WeChat
		s.accounts.MarkEntry(&members[i], string(c.Provider))
	}
	return members, nil
}
