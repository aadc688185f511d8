package portal

import (
	"context"

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
func (p *Portal) People(ctx context.Context, here Landing, side store.Side, after int64) (PeopleList, error) {
	if err := may(here, RightPeople); err != nil {
		return PeopleList{}, err
	}
	if side != store.Mgr && side != store.Shop {
		side = ""
	}
	all, err := p.db.People(ctx, here.Member.CompanyID, side, after, PeopleShown+1)
	if len(all) > PeopleShown {
		all = all[:PeopleShown]
		return PeopleList{all, all[PeopleShown-1].ID}, err
	}
	return PeopleList{People: all}, err
}

// PersonHere is one of them; Forbidden, NotFound for another company's.
func (p *Portal) PersonHere(ctx context.Context, here Landing, id int64) (store.Member, error) {
	if err := may(here, RightPeople); err != nil {
		return store.Member{}, err
	}
	m, err := p.db.MemberByID(ctx, here.Member.CompanyID, id)
	return m, p.missing(ctx, here, "person", err)
}

// InvitingLink is the address at which the holder of an invited account sets it up, good until InvitationLife after
// it was made; "" from then on. Forbidden; NotFound where there is nothing to set up.
func (p *Portal) InvitingLink(
	ctx context.Context, here Landing, id int64,
) (link string, until store.Instant, err error) {
	if err := may(here, RightManagePeople); err != nil {
		return "", 0, err
	}
	m, err := p.PersonHere(ctx, here, id)
	if err != nil {
		return "", 0, err
	}
	token, err := p.Invite(ctx, m.CompanyID, id)
	if until = invitationOf(m).until(); err != nil || until < store.At(p.now()) {
		return "", until, err
	}
	return p.origin("store"+decimal(m.CompanyID)) + "/register/complete?invite=" + token, until, nil
}

// InviteAgain makes a new inviting link for an invited account: those before work no more. Forbidden, NotFound;
// WrongParameters for an account that is set up, or cannot be entered.
func (p *Portal) InviteAgain(ctx context.Context, here Landing, id int64) error {
	return p.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if PersonStateOf(m) != PersonInvited {
			return &Refused{Refusal: WrongParameters}
		}
		if err := tx.InviteAccount(ctx, m.CompanyID, m.ID, max(m.InvitedAt+1, store.At(p.now()))); err != nil {
			return err
		}
		return p.event(ctx, tx, "account_invited", by, decimal(m.ID))
	})
}

// EnablePerson lets an account that was disabled in again, and one that is under review in at all. Refused:
// Forbidden, also for one's own application, and NotFound.
func (p *Portal) EnablePerson(ctx context.Context, here Landing, id int64) error {
	return p.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if m.State == store.AccountActive {
			return nil
		}
		if m.State == store.AccountUnderReview && m.PhoneID != 0 && m.PhoneID == by.PhoneID {
			return Forbidden
		}
		if err := tx.SetAccountState(ctx, m.CompanyID, m.ID, store.AccountActive); err != nil {
			return err
		}
		return p.event(ctx, tx, "account_enabled", by, decimal(m.ID))
	})
}

// DisablePerson keeps an account from being entered; what is signed in to it ends with it. Refused:
// Forbidden, NotFound, and under "action" one's own account: LastAdministrator where the company would have none left.
func (p *Portal) DisablePerson(ctx context.Context, here Landing, id int64) error {
	return p.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if m.ID == by.ID {
			others, err := tx.HasAdministrator(ctx, m.CompanyID, m.ID, store.At(p.now()))
			if err == nil && !others {
				err = invalid(Fields{"action": LastAdministrator})
			} else if err == nil {
				err = invalid(Fields{"action": OwnAccount})
			}
			return err
		}
		if m.State == store.AccountDisabled {
			return nil
		}
		if err := tx.SetAccountState(ctx, m.CompanyID, m.ID, store.AccountDisabled); err != nil {
			return err
		}
		if err := p.endMember(ctx, tx, m); err != nil {
			return err
		}
		return p.event(ctx, tx, "account_disabled", by, decimal(m.ID))
	})
}

// changePerson does something to an account of one's company, one administrator after the other.
func (p *Portal) changePerson(
	ctx context.Context, here Landing, id int64, change func(tx *store.DB, by, m store.Member) error,
) error {
	if err := may(here, RightManagePeople); err != nil {
		return err
	}
	return p.db.Tx(ctx, func(tx *store.DB) error {
		by, err := p.acting(ctx, tx, here, RightManagePeople)
		if err != nil {
			return err
		}
		m, err := tx.MemberByID(ctx, by.CompanyID, id)
		if err != nil {
			return p.missing(ctx, here, "person", err)
		}
		return change(tx, by, m)
	})
}
