package access

import "portico/store"

// Session is the signed-in state of one browser on one host.
type Session = store.Session

// Landing is the account that is signed in on a landing site, with its company. FromOrigin is the origin of the account
// site that it was entered from ("https://host").
type Landing struct {
	User       User
	Member     store.Member
	FromOrigin string
	DaysLeft   int          // of a trial, in days; 0 without a trial
	Chat       ProviderName // the chat app whose identity began the sign-in, "" for a password or a code

	Family string // identifies the sign-in that entered the side
}

// Slots are the four sides a browser can be signed in to.
var Slots = []store.Slot{store.MobileShop, store.MobileMgr, store.PCShop, store.PCMgr}
