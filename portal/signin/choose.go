package signin

import "portico/store"

// OffersBinding says whether a person who signed in by this account's name is asked to bind a phone.
func OffersBinding(m store.Member) bool { return m.ID != 0 && m.PhoneID == 0 && m.BindReminder }
