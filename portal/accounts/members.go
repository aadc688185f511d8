package accounts

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// Members are the accounts a session's proof covers, those of the host's company where it has one. A session that a
// first password began has none until the password is replaced: PasswordNotSet.
func (a *Accounts) Members(ctx context.Context, s store.Session) ([]store.Member, store.Phone, error) {
	members, phone, err := a.CoveredMembers(ctx, s)
	if err == nil && ByFirstPassword(s, members) {
		err = a.refuseFirstPassword(members[0])
	}
	if err != nil {
		return nil, phone, err
	}
	return members, phone, nil
}

// CoveredMembers does what members does, also for a session that must first replace a first password. It refuses a
// session of an account that was closed since the sign-in: such a session may change nothing.
func (a *Accounts) CoveredMembers(ctx context.Context, s store.Session) ([]store.Member, store.Phone, error) {
	if s.PhoneID == 0 {
		m, err := a.db.MemberOfAccount(ctx, s.AccountID)
		if errors.Is(err, store.ErrNotFound) {
			return nil, store.Phone{}, access.LoginRequired
		}
		if err != nil {
			return nil, store.Phone{}, err
		}
		members := a.MarkEntries(s.Provider, m)
		if reason := access.BlockedBy(members[0], false, a.now()); slices.Contains(sessionEndingRefusals, reason) {
			err = a.access.Blocked(m, reason)
		}
		return members, store.Phone{}, err
	}
	phone, err := a.db.PhoneByID(ctx, s.PhoneID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, phone, access.LoginRequired
	}
	if err != nil {
		return nil, phone, err
	}
	members, err := a.db.MembersByPhone(ctx, s.PhoneID)
	return a.MarkEntries(s.Provider, a.access.InPlace(members, s.CompanyID)...), phone, err
}

// sessionEndingRefusals are the reasons that end the use of a session that signed in by an account name. With the other
// reasons nobody can enter the account, but its holder may still change its password and phone.
var sessionEndingRefusals = []access.Refusal{access.CompanyDisabled, access.CompanyExpired, access.TrialEnded,
	access.AccountDisabled, access.ChatClosed}

// MarkEntries marks the accounts that a sign-in enters with how the sign-in began, see MarkEntry.
func (a *Accounts) MarkEntries(provider string, members ...store.Member) []store.Member {
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

// ByFirstPassword says whether a session signed in with a first password that is not replaced yet. A session that a
// phone proved did not, nor did one that redeemed an auth code.
func ByFirstPassword(s access.Session, covered []store.Member) bool {
	return s.PhoneID == 0 && s.Purpose != store.PurposeCode && covered[0].FirstPasswordUntil != 0
}

// refuseFirstPassword returns the refusal of every operation that a session with a first password may not do: all but
// replacing the password.
func (a *Accounts) refuseFirstPassword(m store.Member) error {
	if err := a.RefuseExpiredFirstPassword(access.Subject{Member: m}); err != nil {
		return err
	}
	return &access.Refused{Refusal: access.PasswordNotSet, FirstPassword: true}
}

// RefuseExpiredFirstPassword refuses an expired first password with PasswordNotSet and the people who can give a new
// one.
func (a *Accounts) RefuseExpiredFirstPassword(c access.Subject) error {
	if until := c.Member.FirstPasswordUntil; until == 0 || until > store.At(a.now()) {
		return nil
	}
	return &access.Refused{Refusal: access.PasswordNotSet, FirstPassword: true, Company: &c.Member.Company,
		Contacts: a.access.ContactsFor(access.PasswordNotSet, c.Member.Company)}
}

// SandboxMembers are the two accounts of that sandbox.
func (a *Accounts) SandboxMembers(ctx context.Context, s access.Session, industry int64) ([]store.Member, error) {
	members, _, err := a.Members(ctx, s)
	if err != nil {
		return nil, err
	}
	members = slices.DeleteFunc(members, func(m store.Member) bool {
		return !m.Company.Sandbox || m.Company.EndsAt <= store.At(a.now()) ||
			industry != 0 && m.Company.IndustryID != industry
	})
	var one int64
	for _, m := range members { // the last one opened, unless one was chosen
		if one = m.CompanyID; one == s.ChosenCompanyID {
			break
		}
	}
	return slices.DeleteFunc(members, func(m store.Member) bool { return m.CompanyID != one }), nil
}
