package portal

import "portico/store"

// Subject is the person or the account that a password, a code or an identity stands for. A person is a phone with all
// its accounts. An account is a subject of its own when it is entered by its account name and its own password.
type Subject struct {
	key    string // of the failure counter and the known browsers: one for a person, however the person signs in
	hash   string // of the password, "" for none
	phone  store.Phone
	member store.Member // zero for a person

	provider ProviderName // of the chat app whose identity proved the subject, "" for a password or a code
}

// personSubject returns the person of a phone, who is proven by the phone's password.
func personSubject(phone store.Phone) Subject {
	return Subject{key: personKey(phone.ID), hash: phone.PasswordHash, phone: phone}
}

// accountSubject returns an account that is proven by its own password.
func accountSubject(m store.Member) Subject {
	return Subject{key: accountKey(m), hash: m.PasswordHash, member: m}
}

func personKey(phoneID int64) string { return "phone:" + decimal(phoneID) }

// accountKey is the person's key when the account has a phone, so that both passwords share one failure counter.
func accountKey(m store.Member) string {
	if m.PhoneID != 0 {
		return personKey(m.PhoneID)
	}
	return "account:" + decimal(m.ID)
}

// who returns the subject for the audit log.
func (s Subject) who() store.Member {
	phoneID := max(s.phone.ID, s.member.PhoneID)
	return store.Member{Account: store.Account{ID: s.member.ID, CompanyID: s.member.CompanyID, PhoneID: phoneID}}
}

// number returns the phone that gets a notice about a change, "" for none.
func (s Subject) number() string { return s.phone.Phone + s.member.Phone }
