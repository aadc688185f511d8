package office

import (
	"context"

	"portico/portal/access"
	"portico/portal/credentials"
	"portico/store"
)

// PeopleShown is how many people a page of the list has. Each person's phone and customer are in other tables, so a
// longer page would read too many blocks.
const PeopleShown = 30

// PersonState is the state of an account, as its company sees it. If several apply, it is the first of them.
type PersonState string

const (
	// PersonDisabled is an account that an administrator has disabled.
	PersonDisabled PersonState = "disabled"
	// PersonUnderReview is an account that an administrator has not enabled yet.
	PersonUnderReview PersonState = "under_review"
	// PersonDeclined is an offered account that the person has declined.
	PersonDeclined PersonState = "declined"
	// PersonInvited is an offered account that the person has not accepted yet.
	PersonInvited PersonState = "invited"
	// PersonFirstPassword is an account whose first password has not been replaced.
	PersonFirstPassword PersonState = "first_password"
	// PersonActive is an account that works.
	PersonActive PersonState = "active"
)

// PersonStateOf returns the state of an account.
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

// PeopleList is a page of a company's accounts. More is the id to continue after, 0 at the end.
type PeopleList struct {
	People []store.Member
	More   int64
}

// People reads the page of a company's accounts with larger ids than after, of one side, or of both for "". It refuses
// with Forbidden an account without RightPeople.
func (b *Backoffice) People(
	ctx context.Context, here access.Landing, side store.Side, after int64,
) (PeopleList, error) {
	if err := access.RequireRight(here, access.RightPeople); err != nil {
		return PeopleList{}, err
	}
	if side != store.Mgr && side != store.Shop {
		side = ""
	}
	all, err := b.core.DB.ForLists(ctx).Accounts.After(ctx, here.Member.CompanyID, side, after, PeopleShown+1)
	if len(all) > PeopleShown {
		all = all[:PeopleShown]
		return PeopleList{all, all[PeopleShown-1].ID}, err
	}
	return PeopleList{People: all}, err
}

// PersonHere reads an account of the company. It refuses with Forbidden an account without RightPeople, and with
// NotFound another company's account.
func (b *Backoffice) PersonHere(ctx context.Context, here access.Landing, id int64) (store.Member, error) {
	if err := access.RequireRight(here, access.RightPeople); err != nil {
		return store.Member{}, err
	}
	m, err := b.core.DB.Accounts.ByID(ctx, here.Member.CompanyID, id)
	return m, b.core.Access.RefuseMissing(ctx, here, "person", err)
}

// InvitingLink returns the invitation link of an offered account and when it expires, InvitationLife after the
// invitation. The link is "" once it has expired. It refuses with Forbidden an account without RightManagePeople, and
// with NotFound an account that is not offered.
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
	return b.invitationLink(ctx, m)
}

// invitationLink makes the invitation link of an offered account, "" once it has expired.
func (b *Backoffice) invitationLink(
	ctx context.Context, m store.Member,
) (link string, until store.Instant, err error) {
	token, err := b.credentials.Invite(ctx, m.CompanyID, m.ID)
	if until = credentials.InvitationOf(m).Until(); err != nil || until < store.At(b.core.Now()) {
		return "", until, err
	}
	return b.core.Access.Origin("store"+access.Decimal(m.CompanyID)) + "/register/complete?invite=" + token, until, nil
}

// InviteAgain makes a new invitation link for an offered account. Earlier links stop working. It refuses as
// changePerson does, and with WrongParameters an account that is not PersonInvited.
func (b *Backoffice) InviteAgain(ctx context.Context, here access.Landing, id int64) error {
	return b.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if PersonStateOf(m) != PersonInvited {
			return &access.Refused{Refusal: access.WrongParameters}
		}
		if err := tx.Accounts.Invite(ctx, m.CompanyID, m.ID, max(m.InvitedAt+1, store.At(b.core.Now()))); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "account_invited", by, access.Decimal(m.ID))
	})
}

// EnablePerson enables an account that is disabled or under review. It refuses as changePerson does, and with Forbidden
// a review of the administrator's own account.
func (b *Backoffice) EnablePerson(ctx context.Context, here access.Landing, id int64) error {
	_, err := b.EnableIfBlocked(ctx, here, id)
	return err
}

// EnableIfBlocked does what EnablePerson does and says whether it was this call that enabled the account.
func (b *Backoffice) EnableIfBlocked(
	ctx context.Context, here access.Landing, id int64,
) (enabled bool, err error) {
	err = b.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if enabled = m.State != store.AccountActive; !enabled {
			return nil
		}
		if m.State == store.AccountUnderReview && m.PersonID != 0 && m.PersonID == by.PersonID {
			return access.Forbidden
		}
		if err := tx.Accounts.SetState(ctx, m.CompanyID, m.ID, store.AccountActive); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "account_enabled", by, access.Decimal(m.ID))
	})
	return enabled && err == nil, err
}

// DisablePerson disables an account and revokes its sessions. It refuses as changePerson does, and under "action" the
// administrator's own account: with LastAdministrator when the company would have no administrator left, else with
// OwnAccount.
func (b *Backoffice) DisablePerson(ctx context.Context, here access.Landing, id int64) error {
	_, err := b.DisableIfEnabled(ctx, here, id)
	return err
}

// DisableIfEnabled does what DisablePerson does and says whether it was this call that disabled the account.
func (b *Backoffice) DisableIfEnabled(
	ctx context.Context, here access.Landing, id int64,
) (disabled bool, err error) {
	err = b.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if m.ID == by.ID {
			others, err := tx.Accounts.HasAdministrator(ctx, m.CompanyID, m.ID, store.At(b.core.Now()))
			if err != nil {
				return err
			}
			if !others {
				return access.Invalid(access.Fields{"action": access.LastAdministrator})
			}
			return access.Invalid(access.Fields{"action": access.OwnAccount})
		}
		if disabled = m.State != store.AccountDisabled; !disabled {
			return nil
		}
		if err := tx.Accounts.SetState(ctx, m.CompanyID, m.ID, store.AccountDisabled); err != nil {
			return err
		}
		if err := b.core.Revocation.EndMember(ctx, tx, m); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "account_disabled", by, access.Decimal(m.ID))
	})
	return disabled && err == nil, err
}

// changePerson changes an account of the administrator's company. The company is locked, so that administrators do it
// one after the other. It refuses with Forbidden an account without RightManagePeople, and with NotFound an account of
// another company.
func (b *Backoffice) changePerson(
	ctx context.Context, here access.Landing, id int64, change func(tx *store.DB, by, m store.Member) error,
) error {
	if err := access.RequireRight(here, access.RightManagePeople); err != nil {
		return err
	}
	return b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightManagePeople)
		if err != nil {
			return err
		}
		m, err := tx.Accounts.ByID(ctx, by.CompanyID, id)
		if err != nil {
			return b.core.Access.RefuseMissing(ctx, here, "person", err)
		}
		return change(tx, by, m)
	})
}
