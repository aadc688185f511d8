package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

// A signIn is a subject that was proven, and the place that it signs in at.
type signIn struct {
	subject  Subject
	place    Place
	lighting bool    // the lighting edition is asked for
	how      string  // what proved the subject, for the audit log
	settle   settler // runs in the transaction, also when the sign-in is refused, because the proof was right
}

// A settler runs in the transaction of a sign-in and settles what proved the person, for example by using up a code. It
// adds statements whose results do not matter to the batch, which runs at the end of the transaction.
type settler func(tx *store.DB, b *store.Batch) error

// A signInResult is what a sign-in leads to: a session of a browser, or tokens of a program.
type signInResult interface {
	// prepare decides, before the transaction, what the accounts that the sign-in opens lead to. It returns a refusal
	// of its own, nil for none.
	prepare(ctx context.Context, members []store.Member) (refusal, err error)
	// add stores the result. It adds statements whose results do not matter to the batch.
	add(ctx context.Context, tx *store.DB, b *store.Batch) error
	// audited returns who signed in and how, for the audit log.
	audited() (who store.Member, how string)
}

// signIn signs a proven subject in where it has an account to enter or an offer to answer.
func (p *Portal) signIn(ctx context.Context, in signIn, result signInResult) error {
	members, err := p.provenMembers(ctx, in.subject)
	if err != nil {
		return err
	}
	refusal, err := p.refuseSignIn(ctx, in.subject, members, in.place, in.lighting)
	if err == nil && refusal == nil {
		refusal, err = result.prepare(ctx, p.inPlace(members, in.place.CompanyID()))
	}
	if err != nil {
		return err
	}
	who, how := result.audited()
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		b := new(store.Batch)
		if err := in.settle(tx, b); err != nil {
			return err
		}
		if refusal == nil {
			if err := result.add(ctx, tx, b); err != nil {
				return err
			}
			b.AddAuditEvent(p.auditEvent(ctx, "sign_in", who, how))
		}
		return tx.Run(ctx, b)
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return err
	}
	p.logAudit(ctx, "sign_in", who, how)
	return nil
}

// provenMembers are the accounts that a sign-in opens: all of a phone, or the one of a name. A sign-in by WeChat may
// link the identity in its transaction, so its accounts count as bound to WeChat already.
func (p *Portal) provenMembers(ctx context.Context, c Subject) ([]store.Member, error) {
	members := []store.Member{c.member}
	if c.member.ID == 0 {
		var err error
		if members, err = p.db.MembersByPhone(ctx, c.phone.ID); err != nil {
			return nil, err
		}
	}
	for i := range members {
		members[i].WeChatBound = members[i].WeChatBound || c.provider == WeChat
	}
	return p.enteredBy(string(c.provider), members...), nil
}

// refuseMembers refuses when there is no account, none in the host's company, or none that can be entered.
func (p *Portal) refuseMembers(members []store.Member, place Place, lighting bool) error {
	if len(members) == 0 {
		return &Refused{Refusal: PhoneNotBound, Contacts: p.Support(place)}
	}
	members = p.inPlace(members, place.CompanyID())
	if len(members) == 0 {
		return &Refused{Refusal: NotInCompany, Contacts: p.Support(place)}
	}
	best := -1
	var first store.Member
	for _, m := range members {
		rank := slices.Index(blockingOrder, BlockedBy(m, lighting, p.now()))
		if rank < 0 {
			return nil
		}
		if best < 0 || rank < best {
			best, first = rank, m
		}
	}
	return p.blocked(first, blockingOrder[best])
}

// refuseProven does what refuseMembers does, for a person whose password was right. It also refuses an expired first
// password.
func (p *Portal) refuseProven(c Subject, members []store.Member, place Place, lighting bool) error {
	if err := p.refuseMembers(members, place, lighting); err != nil {
		return err
	}
	return p.firstEnded(c)
}

// refuseSignIn does what refuseProven does, but lets a person in who has no account here and an offer to answer. A
// person who has applied instead hears where the application stands. err is set when the offers or the applications
// cannot be read.
func (p *Portal) refuseSignIn(
	ctx context.Context, c Subject, members []store.Member, place Place, lighting bool,
) (refusal, err error) {
	refusal = p.refuseProven(c, members, place, lighting)
	if !errors.Is(refusal, PhoneNotBound) && !errors.Is(refusal, NotInCompany) {
		return refusal, nil
	}
	waits, err := p.offerWaits(ctx, c.phone.ID, place.CompanyID())
	if err != nil || waits {
		return nil, err
	}
	return p.refuseApplicant(ctx, c.phone, place.CompanyID(), refusal)
}
