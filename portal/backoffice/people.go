package backoffice

import (
	"context"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/store"
)

// PeopleShown is how many people a page of the list has. Each person's phone and customer are in other tables, so a
// longer page would read too many blocks.
const PeopleShown = 30

// PersonState is what an account's company sees of it.
type PersonState string

// The states. An account that has several is named by the first of them.
const (
	PersonDisabled      PersonState = "disabled"
	PersonUnderReview   PersonState = "under_review"
	PersonInvited       PersonState = "invited"        // an offer: its holder has not accepted it
	PersonDeclined      PersonState = "declined"       // an offer that the phone's holder declined
	PersonFirstPassword PersonState = "first_password" // its first password has not been replaced
	PersonActive        PersonState = "active"
)

// PersonStateOf is the state of an account.
func PersonStateOf(m store.Member) PersonState {
	switch {
	case m.State == store.AccountDisabled:
		return PersonDisabled
	case m.State == store.AccountUnderReview:
		return PersonUnderReview
	case m.DeclinedAt != 0:
		return PersonDeclined
	case m.Invited:
		return PersonInvited
	case m.FirstPasswordUntil != 0:
		return PersonFirstPassword
	}
	return PersonActive
}

// PeopleList is a page of a company's accounts; More is the id to go on after, 0 at the end.
type PeopleList struct {
	People []store.Member
	More   int64
}

// People are the accounts of a company with a larger id than after, of one side or, for "", of both. Forbidden.
func (b *Backoffice) People(
	ctx context.Context, here access.Landing, side store.Side, after int64,
) (PeopleList, error) {
	if err := access.RequireRight(here, access.RightPeople); err != nil {
		return PeopleList{}, err
	}
	if side != store.Mgr && side != store.Shop {
		side = ""
	}
	all, err := b.db.People(ctx, here.Member.CompanyID, side, after, PeopleShown+1)
	if len(all) > PeopleShown {
		all = all[:PeopleShown]
		return PeopleList{all, all[PeopleShown-1].ID}, err
	}
	return PeopleList{People: all}, err
}

// PersonHere is one of them; Forbidden, NotFound for another company's.
func (b *Backoffice) PersonHere(ctx context.Context, here access.Landing, id int64) (store.Member, error) {
	if err := access.RequireRight(here, access.RightPeople); err != nil {
		return store.Member{}, err
	}
	m, err := b.db.MemberByID(ctx, here.Member.CompanyID, id)
	return m, b.accounts.Missing(ctx, here, "person", err)
}

// InvitingLink is the address at which the holder of an invited account sets it up, good until InvitationLife after
// it was made; "" from then on. Forbidden; NotFound where there is nothing to set up.
func (b *Backoffice) InvitingLink(
	ctx context.Context, here access.Landing, id int64,
) (link string, until store.Instant, err error) {
	if err := access.RequireRight(here, access.RightManagePeople); err != nil {
		return "", 0, err
	}
	m, err := b.PersonHere(ctx, here, id)
	if err != nil {
		return "", 0, err
	}
	token, err := b.onboarding.Invite(ctx, m.CompanyID, id)
	if until = onboarding.InvitationOf(m).Until(); err != nil || until < store.At(b.now()) {
		return "", until, err
	}
	return b.access.Origin("store"+access.Decimal(m.CompanyID)) + "/register/complete?invite=" + token, until, nil
}

// InviteAgain makes a new inviting link for an invited account: those before work no more. Forbidden, NotFound;
// WrongParameters for an account that is set up, or cannot be entered.
func (b *Backoffice) InviteAgain(ctx context.Context, here access.Landing, id int64) error {
	return b.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if PersonStateOf(m) != PersonInvited {
			return &access.Refused{Refusal: access.WrongParameters}
		}
		if err := tx.InviteAccount(ctx, m.CompanyID, m.ID, max(m.InvitedAt+1, store.At(b.now()))); err != nil {
			return err
		}
		return b.access.Event(ctx, tx, "account_invited", by, access.Decimal(m.ID))
	})
}

// EnablePerson lets an account that was disabled in again, and one that is under review in at all. Refused:
// Forbidden, also for one's own application, and NotFound.
func (b *Backoffice) EnablePerson(ctx context.Context, here access.Landing, id int64) error {
	return b.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if m.State == store.AccountActive {
			return nil
		}
		if m.State == store.AccountUnderReview && m.PhoneID != 0 && m.PhoneID == by.PhoneID {
			return access.Forbidden
		}
		if err := tx.SetAccountState(ctx, m.CompanyID, m.ID, store.AccountActive); err != nil {
			return err
		}
		return b.access.Event(ctx, tx, "account_enabled", by, access.Decimal(m.ID))
	})
}

// DisablePerson keeps an account from being entered; what is signed in to it ends with it. Refused:
// Forbidden, NotFound, and under "action" one's own account: LastAdministrator where the company would have none left.
func (b *Backoffice) DisablePerson(ctx context.Context, here access.Landing, id int64) error {
	return b.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if m.ID == by.ID {
			others, err := tx.HasAdministrator(ctx, m.CompanyID, m.ID, store.At(b.now()))
			if err == nil && !others {
				err = access.Invalid(access.Fields{"action": access.LastAdministrator})
			} else if err == nil {
				err = access.Invalid(access.Fields{"action": access.OwnAccount})
			}
			return err
		}
		if m.State == store.AccountDisabled {
			return nil
		}
		if err := tx.SetAccountState(ctx, m.CompanyID, m.ID, store.AccountDisabled); err != nil {
			return err
		}
		if err := b.revocation.EndMember(ctx, tx, m); err != nil {
			return err
		}
		return b.access.Event(ctx, tx, "account_disabled", by, access.Decimal(m.ID))
	})
}

// changePerson does something to an account of one's company, one administrator after the other.
func (b *Backoffice) changePerson(
	ctx context.Context, here access.Landing, id int64, change func(tx *store.DB, by, m store.Member) error,
) error {
	if err := access.RequireRight(here, access.RightManagePeople); err != nil {
		return err
	}
	return b.db.Tx(ctx, func(tx *store.DB) error {
		by, err := b.access.Acting(ctx, tx, here, access.RightManagePeople)
		if err != nil {
			return err
		}
		m, err := tx.MemberByID(ctx, by.CompanyID, id)
		if err != nil {
			return b.accounts.Missing(ctx, here, "person", err)
		}
		return change(tx, by, m)
	})
}
