package portal

import (
	"context"
	"slices"

	"portico/store"
)

// keptAccess is what endOlderAccess leaves as it is: the sign-in of family ("" for none) and, with passwords, the
// accounts' own passwords, when the holder asked to keep them.
type keptAccess struct {
	family    string
	passwords bool
}

// endOlderAccess ends everything older that opens an account, or a phone with all its accounts: sign-ins, tokens, open
// codes, links to chat apps, first passwords and the accounts' own passwords. Every operation that proves a phone anew
// calls it, because somebody else may have planted any of them. owner is either a phone or an account (member). The
// password of the phone stays: setPassword replaces it.
func (p *Portal) endOlderAccess(ctx context.Context, tx *store.DB, owner Subject, kept keptAccess) error {
	// The passwords go first: that locks the accounts' rows, so that a link that was proven by one of them and is being
	// made at the same time is either found below or refused.
	if err := p.endOwnPasswords(ctx, tx, owner, kept.passwords); err != nil {
		return err
	}
	if err := p.endSignIns(ctx, tx, owner, kept.family); err != nil {
		return err
	}
	return p.dropIdentities(ctx, tx, owner, "a new proof")
}

// endOwnPasswords ends the first passwords of an owner's accounts and, unless they are kept, the accounts' own
// passwords.
func (p *Portal) endOwnPasswords(ctx context.Context, tx *store.DB, owner Subject, kept bool) error {
	members, err := p.accountsOf(ctx, tx, owner)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.PasswordHash == "" || kept && hasOwnPassword(m) {
			continue
		}
		if err := tx.SetAccountPassword(ctx, m.CompanyID, m.ID, ""); err != nil {
			return err
		}
		if !hasOwnPassword(m) {
			continue
		}
		if err := p.event(ctx, tx, "account_password_ended", m, ""); err != nil {
			return err
		}
	}
	return nil
}

// hasOwnPassword says whether an account has a password for signing in by name that its holder chose.
func hasOwnPassword(m store.Member) bool { return m.PasswordHash != "" && m.FirstPasswordUntil == 0 }

// endsOwnPasswords says whether a phone's new password also ends own passwords of its accounts.
func (p *Portal) endsOwnPasswords(ctx context.Context, owner Subject, kept bool) (bool, error) {
	if owner.phone.ID == 0 || kept {
		return false, nil
	}
	members, err := p.db.MembersByPhone(ctx, owner.phone.ID)
	return slices.ContainsFunc(members, hasOwnPassword), err
}

// WithOwnPassword returns the accounts of a session's phone that have a password of their own. Changing the phone's
// password ends those too when ChangePasswordInput.EndOwn is set.
func (p *Portal) WithOwnPassword(ctx context.Context, s Session) ([]store.Member, error) {
	if s.PhoneID == 0 {
		return nil, nil
	}
	members, err := p.db.MembersByPhone(ctx, s.PhoneID)
	return slices.DeleteFunc(members, func(m store.Member) bool { return !hasOwnPassword(m) }), err
}

// endSignIns ends every session, token and open code of an owner, except those of the sign-in kept ("" for none).
func (p *Portal) endSignIns(ctx context.Context, tx *store.DB, owner Subject, kept string) error {
	if owner.phone.ID != 0 {
		return p.endPerson(ctx, tx, owner.phone, kept)
	}
	if err := tx.EndAccount(ctx, owner.member.ID, kept); err != nil {
		return err
	}
	return p.endCodes(ctx, tx, owner.member.Phone, owner.member)
}

// accountsOf reads the accounts of an owner: all of a phone, or the one account.
func (p *Portal) accountsOf(ctx context.Context, tx *store.DB, owner Subject) ([]store.Member, error) {
	if owner.phone.ID != 0 {
		return tx.MembersByPhone(ctx, owner.phone.ID)
	}
	m, err := tx.MemberByID(ctx, owner.member.CompanyID, owner.member.ID)
	return []store.Member{m}, err
}

// endMember ends all by which an account is entered: sides, sessions, tokens, auth codes, and the codes and proofs that
// speak of it. What its person has in other companies stays.
func (p *Portal) endMember(ctx context.Context, tx *store.DB, m store.Member) error {
	if err := tx.EndAccount(ctx, m.ID, ""); err != nil {
		return err
	}
	if err := tx.EndRegistrationsOf(ctx, m.ID); err != nil {
		return err
	}
	if err := tx.EndCodes(ctx, p.codeSubject(nameSubject(store.LoginKey(m.Login)))); err != nil {
		return err
	}
	return tx.EndOpenCodes(ctx, p.codeSubject(m.Phone), m.CompanyID, targetOf(m.ID))
}

// endPerson ends every session, token and open code of a phone and its accounts, except those of the sign-in kept.
func (p *Portal) endPerson(ctx context.Context, tx *store.DB, phone store.Phone, kept string) error {
	members, err := tx.MembersByPhone(ctx, phone.ID)
	if err != nil {
		return err
	}
	for _, m := range members {
		if err := tx.EndAccount(ctx, m.ID, kept); err != nil {
			return err
		}
	}
	if err := tx.EndPhone(ctx, phone.ID, kept); err != nil {
		return err
	}
	if err := tx.EndRegistrations(ctx, phone.ID); err != nil {
		return err
	}
	return p.endCodes(ctx, tx, phone.Phone, members...)
}

// endCodes expires every open code of a phone, and those that were requested by the name of one of its accounts.
func (p *Portal) endCodes(ctx context.Context, tx *store.DB, phone string, accounts ...store.Member) error {
	for _, m := range accounts {
		if err := tx.EndCodes(ctx, p.codeSubject(nameSubject(store.LoginKey(m.Login)))); err != nil {
			return err
		}
	}
	return tx.EndCodes(ctx, p.codeSubject(phone))
}

// dropIdentities unlinks every identity of a phone and its accounts, or of one account. The audit log of each account's
// company gets an event with the reason.
func (p *Portal) dropIdentities(ctx context.Context, tx *store.DB, owner Subject, reason string) error {
	members, err := p.accountsOf(ctx, tx, owner)
	if err != nil {
		return err
	}
	if owner.phone.ID != 0 {
		members = append(members, store.Member{Account: store.Account{PhoneID: owner.phone.ID}})
	}
	for _, m := range members {
		phoneID := m.PhoneID
		if m.ID != 0 {
			phoneID = 0 // an account's own links, not those of its phone
		}
		dropped, err := tx.DropIdentities(ctx, phoneID, m.ID)
		if err != nil {
			return err
		}
		if dropped == 0 {
			continue
		}
		if err := p.event(ctx, tx, "identity_unlinked", m, reason); err != nil {
			return err
		}
	}
	return nil
}
