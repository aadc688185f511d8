package core

import (
	"context"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// KeptAccess is what EndOlderAccess leaves as it is. The holder may ask to keep the accounts' own passwords.
type KeptAccess struct {
	Family    string // the family of the sign-in, "" for none
	Passwords bool   // whether the accounts' own passwords stay
}

// EndOlderAccess ends everything older that opens an account, or a phone with all its accounts: sign-ins, tokens, open
// codes, links to chat apps, first passwords and the accounts' own passwords. Every operation that proves a phone anew
// calls it, because another person may have planted any of them. owner is either a phone or an account. The
// password of the phone stays: credentials.SetPassword replaces it.
func (r *Revocation) EndOlderAccess(ctx context.Context, tx *store.DB, owner access.Subject, kept KeptAccess) error {
	// The passwords go first: that locks the accounts' rows, so that a link that was proven by one of them and is being
	// made at the same time is either found below or refused.
	if err := r.EndOwnPasswords(ctx, tx, owner, kept.Passwords); err != nil {
		return err
	}
	if err := r.EndSignIns(ctx, tx, owner, kept.Family); err != nil {
		return err
	}
	return r.DropIdentities(ctx, tx, owner, "a new proof")
}

// EndOwnPasswords ends the first passwords of an owner's accounts and, unless they are kept, the accounts' own
// passwords.
func (r *Revocation) EndOwnPasswords(ctx context.Context, tx *store.DB, owner access.Subject, kept bool) error {
	members, err := r.accountsOf(ctx, tx, owner)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.PasswordHash == "" || kept && HasOwnPassword(m) {
			continue
		}
		if err := tx.Passwords.SetAccount(ctx, m.CompanyID, m.ID, ""); err != nil {
			return err
		}
		if !HasOwnPassword(m) {
			continue
		}
		if err := r.core.Access.Event(ctx, tx, "account_password_ended", m, ""); err != nil {
			return err
		}
	}
	return nil
}

// HasOwnPassword says whether an account has a password for signing in by name that its holder chose.
func HasOwnPassword(m store.Member) bool { return m.PasswordHash != "" && m.FirstPasswordUntil == 0 }

// EndsOwnPasswords says whether a phone's new password also ends own passwords of its accounts.
func (r *Revocation) EndsOwnPasswords(ctx context.Context, owner access.Subject, kept bool) (bool, error) {
	if owner.Person.ID == 0 || kept {
		return false, nil
	}
	members, err := r.core.DB.Accounts.ByPerson(ctx, owner.Person.ID)
	return slices.ContainsFunc(members, HasOwnPassword), err
}

// WithOwnPassword returns the accounts of a session's phone that have a password of their own. Changing the phone's
// password ends those too when credentials.ChangePasswordInput.EndOwn is set.
func (r *Revocation) WithOwnPassword(ctx context.Context, s access.Session) ([]store.Member, error) {
	if s.PersonID == 0 {
		return nil, nil
	}
	members, err := r.core.DB.Accounts.ByPerson(ctx, s.PersonID)
	return slices.DeleteFunc(members, func(m store.Member) bool { return !HasOwnPassword(m) }), err
}

// EndSignIns ends every session, token and open code of an owner, except those of the sign-in kept ("" for none).
func (r *Revocation) EndSignIns(ctx context.Context, tx *store.DB, owner access.Subject, kept string) error {
	if owner.Person.ID != 0 {
		return r.endPerson(ctx, tx, owner.Person, kept)
	}
	if err := tx.Sessions.EndAccount(ctx, owner.Member.ID, kept); err != nil {
		return err
	}
	return r.EndCodes(ctx, tx, owner.Member.Phone, owner.Member)
}

// accountsOf reads the accounts of an owner: all of a phone, or the one account.
func (r *Revocation) accountsOf(ctx context.Context, tx *store.DB, owner access.Subject) ([]store.Member, error) {
	if owner.Person.ID != 0 {
		return tx.Accounts.ByPerson(ctx, owner.Person.ID)
	}
	m, err := tx.Accounts.ByID(ctx, owner.Member.CompanyID, owner.Member.ID)
	return []store.Member{m}, err
}

// EndMember revokes everything that enters an account: its sides, sessions, tokens, auth codes, verification codes and
// proofs. The person's accounts in other companies are not affected.
func (r *Revocation) EndMember(ctx context.Context, tx *store.DB, m store.Member) error {
	if err := tx.Sessions.EndAccount(ctx, m.ID, ""); err != nil {
		return err
	}
	if err := tx.Registrations.EndOfAccount(ctx, m.ID); err != nil {
		return err
	}
	if err := tx.Codes.End(ctx, r.core.Sealing.CodeSubject(NameSubject(store.LoginKey(m.Login)))); err != nil {
		return err
	}
	return tx.Codes.EndOpen(ctx, r.core.Sealing.CodeSubject(m.Phone), m.CompanyID, AccountTarget(m.ID))
}

// endPerson ends every session, token and open code of a phone and its accounts, except those of the sign-in kept.
func (r *Revocation) endPerson(ctx context.Context, tx *store.DB, person store.Person, kept string) error {
	members, err := tx.Accounts.ByPerson(ctx, person.ID)
	if err != nil {
		return err
	}
	for _, m := range members {
		if err := tx.Sessions.EndAccount(ctx, m.ID, kept); err != nil {
			return err
		}
	}
	if err := tx.Sessions.EndPerson(ctx, person.ID, kept); err != nil {
		return err
	}
	if err := tx.Registrations.EndOfPerson(ctx, person.ID); err != nil {
		return err
	}
	return r.EndCodes(ctx, tx, person.Phone, members...)
}

// EndCodes expires every open code of a phone, and those that were requested by the name of one of its accounts.
func (r *Revocation) EndCodes(ctx context.Context, tx *store.DB, phone string, accounts ...store.Member) error {
	for _, m := range accounts {
		if err := tx.Codes.End(ctx, r.core.Sealing.CodeSubject(NameSubject(store.LoginKey(m.Login)))); err != nil {
			return err
		}
	}
	return tx.Codes.End(ctx, r.core.Sealing.CodeSubject(phone))
}

// DropIdentities unlinks every identity of a phone and its accounts, or of one account. The audit log of each account's
// company gets an event with the reason.
func (r *Revocation) DropIdentities(ctx context.Context, tx *store.DB, owner access.Subject, reason string) error {
	members, err := r.accountsOf(ctx, tx, owner)
	if err != nil {
		return err
	}
	if owner.Person.ID != 0 {
		members = append(members, store.Member{Account: store.Account{PersonID: owner.Person.ID}})
	}
	for _, m := range members {
		personID := m.PersonID
		if m.ID != 0 {
			personID = 0 // the links of the account, not those of its phone
		}
		dropped, err := tx.Identities.DropAll(ctx, personID, m.ID)
		if err != nil {
			return err
		}
		if dropped == 0 {
			continue
		}
		if err := r.core.Access.Event(ctx, tx, "identity_unlinked", m, reason); err != nil {
			return err
		}
	}
	return nil
}
