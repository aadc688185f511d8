package signin

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// Members returns the accounts that a session may enter and its phone, zero if an account name opened it. On a
// company's host they are the accounts of that company. It refuses with PasswordNotSet a session that a first password
// opened, until the password is replaced, and what CoveredMembers refuses.
func (a *Accounts) Members(ctx context.Context, s store.Session) ([]store.Member, store.Person, error) {
	members, person, err := a.CoveredMembers(ctx, s)
	if err != nil {
		return nil, person, err
	}
	if ByFirstPassword(s, members) {
		return nil, person, a.refuseFirstPassword(ctx, members[0])
	}
	return members, person, nil
}

// CoveredMembers does what Members does, also for a session that a first password opened. It refuses with LoginRequired
// a session whose phone or account is gone, and with the reason a session of an account that was closed since the
// sign-in: such a session may change nothing.
func (a *Accounts) CoveredMembers(ctx context.Context, s store.Session) ([]store.Member, store.Person, error) {
	if s.PersonID == 0 {
		m, err := a.core.DB.Accounts.OfAnyCompany(ctx, s.AccountID)
		if errors.Is(err, store.ErrNotFound) {
			return nil, store.Person{}, access.LoginRequired
		}
		if err != nil {
			return nil, store.Person{}, err
		}
		members := a.markEntries(s.Provider, m)
		if reason := access.BlockedBy(members[0], false, a.core.Now()); slices.Contains(sessionEndingRefusals, reason) {
			err = a.core.Access.Blocked(ctx, a.core.DB, m, reason)
		}
		return members, store.Person{}, err
	}
	person, err := a.core.DB.Persons.ByID(ctx, s.PersonID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, person, access.LoginRequired
	}
	if err != nil {
		return nil, person, err
	}
	members, err := a.core.DB.Accounts.ByPerson(ctx, s.PersonID)
	return a.markEntries(s.Provider, a.core.Access.InPlace(members, s.CompanyID)...), person, err
}

// sessionEndingRefusals are the reasons for which a session that an account name opened may do nothing. With the other
// reasons nobody can enter the account, but its holder may still change its password and phone.
var sessionEndingRefusals = []access.Refusal{access.CompanyDisabled, access.CompanyExpired, access.TrialEnded,
	access.AccountDisabled, access.ChatClosed}

// markEntries does what MarkEntry does for several accounts, and returns them.
func (a *Accounts) markEntries(provider string, members ...store.Member) []store.Member {
	for i := range members {
		a.MarkEntry(&members[i], provider)
	}
	return members
}

// MarkEntry marks an account with how the sign-in that would enter it began. provider is the chat app whose identity
// began it, "" for a sign-in by password or code. BlockedBy then refuses the account where its company has turned chat
// apps off, and a back office that is closed to WeChat.
func (a *Accounts) MarkEntry(m *store.Member, provider string) {
	m.ByChat = provider != ""
	m.ManagerClosed = a.chatapps.ManagerClosedTo(access.ProviderName(provider))
}

// ByFirstPassword says whether a first password that is not replaced yet opened a session. That is not so for a session
// of a phone, nor for one that redeemed an auth code. covered are the accounts of the session, from CoveredMembers.
func ByFirstPassword(s access.Session, covered []store.Member) bool {
	return s.PersonID == 0 && s.Purpose != store.PurposeCode && covered[0].FirstPasswordUntil != 0
}

// refuseFirstPassword returns the refusal of every operation but replacing the password, for a session that a first
// password opened.
func (a *Accounts) refuseFirstPassword(ctx context.Context, m store.Member) error {
	if err := a.RefuseExpiredFirstPassword(ctx, access.Subject{Member: m}); err != nil {
		return err
	}
	return &access.Refused{Refusal: access.PasswordNotSet, FirstPassword: true}
}

// RefuseExpiredFirstPassword refuses an expired first password with PasswordNotSet, and names the people who can give
// another one.
func (a *Accounts) RefuseExpiredFirstPassword(ctx context.Context, c access.Subject) error {
	if until := c.Member.FirstPasswordUntil; until == 0 || until > store.At(a.core.Now()) {
		return nil
	}
	contacts, err := access.ContactsForOwn(ctx, a.core.Access, a.core.DB, c.Member, access.PasswordNotSet)
	return cmp.Or[error](err, &access.Refused{
		Refusal: access.PasswordNotSet, FirstPassword: true, Company: &c.Member.Company, Contacts: contacts,
	})
}

// SandboxMembers returns the two accounts of the person's open sandbox: of the one that the session has chosen, else of
// the last one opened. industry limits it to sandboxes of one industry, 0 does not. It returns none when there is no
// open sandbox.
func (a *Accounts) SandboxMembers(ctx context.Context, s access.Session, industry int64) ([]store.Member, error) {
	members, _, err := a.Members(ctx, s)
	if err != nil {
		return nil, err
	}
	members = slices.DeleteFunc(members, func(m store.Member) bool {
		return !m.Company.Sandbox || m.Company.EndsAt <= store.At(a.core.Now()) ||
			industry != 0 && m.Company.IndustryID != industry
	})
	var sandboxID int64
	for _, m := range members {
		if sandboxID = m.CompanyID; sandboxID == s.ChosenCompanyID {
			break
		}
	}
	return slices.DeleteFunc(members, func(m store.Member) bool { return m.CompanyID != sandboxID }), nil
}
