package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

// members are the accounts a session's proof covers, those of the host's company where it has one. A session that a
// first password began has none until the password is replaced: PasswordNotSet.
func (p *Portal) members(ctx context.Context, s store.Session) ([]store.Member, store.Phone, error) {
	members, phone, err := p.covered(ctx, s)
	if err == nil && byFirstPassword(s, members) {
		err = p.changeFirst(members[0])
	}
	if err != nil {
		return nil, phone, err
	}
	return members, phone, nil
}

// covered does what members does, also for a session that must first replace a first password. It refuses a session of
// an account that was closed since the sign-in: such a session may change nothing.
func (p *Portal) covered(ctx context.Context, s store.Session) ([]store.Member, store.Phone, error) {
	if s.PhoneID == 0 {
		m, err := p.db.MemberOfAccount(ctx, s.AccountID)
		if errors.Is(err, store.ErrNotFound) {
			return nil, store.Phone{}, LoginRequired
		}
		if err != nil {
			return nil, store.Phone{}, err
		}
		members := p.enteredBy(s.Provider, m)
		if reason := BlockedBy(members[0], false, p.now()); slices.Contains(endsSessions, reason) {
			err = p.blocked(m, reason)
		}
		return members, store.Phone{}, err
	}
	phone, err := p.db.PhoneByID(ctx, s.PhoneID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, phone, LoginRequired
	}
	if err != nil {
		return nil, phone, err
	}
	members, err := p.db.MembersByPhone(ctx, s.PhoneID)
	return p.enteredBy(s.Provider, p.inPlace(members, s.CompanyID)...), phone, err
}

// endsSessions are the reasons that end the use of a session that signed in by an account name. With the other reasons
// nobody can enter the account, but its holder may still change its password and phone.
var endsSessions = []Refusal{CompanyDisabled, CompanyExpired, TrialEnded, AccountDisabled, ChatClosed}

// enteredBy marks the accounts that a sign-in enters with how the sign-in began, see markEntry.
func (p *Portal) enteredBy(provider string, members ...store.Member) []store.Member {
	for i := range members {
		p.markEntry(&members[i], provider)
	}
	return members
}

// markEntry marks an account with how the sign-in that would enter it began. provider is the chat app whose identity
// began it, "" for a sign-in by password or code. BlockedBy then refuses the account where its company has turned chat
// apps off, and a back office that is closed to WeChat.
func (p *Portal) markEntry(m *store.Member, provider string) {
	m.ByChat = provider != ""
	m.ManagerClosed = p.ManagerClosedTo(ProviderName(provider))
}

// ManagerClosedTo says whether sign-ins that an identity of a provider began enter no back office. WeCom is another app
// than WeChat and is never closed.
func (p *Portal) ManagerClosedTo(provider ProviderName) bool {
	return provider == WeChat && p.providers.ManagerClosed
}

// byFirstPassword says whether a session signed in with a first password that is not replaced yet. A session that a
// phone proved did not, nor did one that redeemed an auth code.
func byFirstPassword(s Session, covered []store.Member) bool {
	return s.PhoneID == 0 && s.Purpose != store.PurposeCode && covered[0].FirstPasswordUntil != 0
}

// changeFirst returns the refusal of every operation that a session with a first password may not do: all but replacing
// the password.
func (p *Portal) changeFirst(m store.Member) error {
	if err := p.firstEnded(Subject{member: m}); err != nil {
		return err
	}
	return &Refused{Refusal: PasswordNotSet, FirstPassword: true}
}

// firstEnded refuses an expired first password with PasswordNotSet and the people who can give a new one.
func (p *Portal) firstEnded(c Subject) error {
	if until := c.member.FirstPasswordUntil; until == 0 || until > store.At(p.now()) {
		return nil
	}
	return &Refused{Refusal: PasswordNotSet, FirstPassword: true, Company: &c.member.Company, Contacts: p.contactsFor(PasswordNotSet, c.member.Company)}
}
