package access

import (
	"cmp"

	"portico/store"
)

// Subject is the person or the account that a password, a code or an identity belongs to. A person has a phone and all
// accounts that are bound to it. An account is a subject of its own when it is entered by its account name and its own
// password.
type Subject struct {
	Key    string // of the failure counter and the known browsers; the same for all ways in which a person signs in
	Hash   string // of the password, "" for none
	Person store.Person
	Member store.Member // zero for a person

	Provider ProviderName // of the chat app whose identity proved the subject, "" for a password or a code
}

// PersonSubject returns the person of a phone, who is proven by the phone's password.
func PersonSubject(person store.Person) Subject {
	return Subject{Key: PersonKey(person.ID), Hash: person.PasswordHash, Person: person}
}

// AccountSubject returns an account that is proven by its own password.
func AccountSubject(m store.Member) Subject {
	return Subject{Key: AccountKey(m), Hash: m.PasswordHash, Member: m}
}

// PersonKey returns the Key of a person.
func PersonKey(personID int64) string { return "phone:" + Decimal(personID) }

// AccountKey returns the Key of an account. It is the person's key when the account has a phone, so that both passwords
// share one failure counter.
func AccountKey(m store.Member) string {
	if m.PersonID != 0 {
		return PersonKey(m.PersonID)
	}
	return "account:" + Decimal(m.ID)
}

// Who returns the subject for the audit log.
func (s Subject) Who() store.Member {
	personID := max(s.Person.ID, s.Member.PersonID)
	return store.Member{Account: store.Account{ID: s.Member.ID, CompanyID: s.Member.CompanyID, PersonID: personID}}
}

// Phone returns the phone of the person, or of the person whose account it is; "" for an account without one. Notices
// about changes go there.
func (s Subject) Phone() string { return cmp.Or(s.Person.Phone, s.Member.Phone) }
