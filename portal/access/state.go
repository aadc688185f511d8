package access

import (
	"cmp"
	"context"
	"slices"
	"time"

	"portico/store"
)

// BlockedBy returns the reason why an account cannot be entered at a moment, "" when it can. An offer comes first,
// because nobody has accepted the account yet. The order of the other reasons is part of the API:
//
//	offered · company disabled · expired · trial ended · account disabled · under review · lighting edition ·
//	chat apps turned off · back office closed to WeChat · no longer a partner · shop disabled or mall not open
func BlockedBy(m store.Member, lighting bool, now time.Time) Refusal {
	if m.Invited {
		return Offered
	}
	return BlockedOnceAccepted(m, lighting, now)
}

// BlockedOnceAccepted returns the reason why an offered account could not be entered after its holder accepted it.
func BlockedOnceAccepted(m store.Member, lighting bool, now time.Time) Refusal {
	ended := m.Company.EndsAt != 0 && store.At(now) >= m.Company.EndsAt
	switch {
	case m.Company.Disabled:
		return CompanyDisabled
	case ended && m.Company.Standing == store.Formal:
		return CompanyExpired
	case ended:
		return TrialEnded
	case m.State == store.AccountDisabled:
		return AccountDisabled
	case m.State == store.AccountUnderReview:
		return UnderReview
	case lighting && !m.Company.Lighting:
		return LightingNotEnabled
	case m.ByChat && m.Company.ChatDoors == ChatAppsOff:
		return ChatClosed
	case m.Side == store.Mgr && m.ManagerClosed:
		return WeChatManagerClosed
	case m.Side != store.Shop:
		return ""
	case m.ClientState == store.ClientEnded:
		return PartnerEnded
	case m.Company.Mall == store.MallDisabled:
		return ShopDisabled
	case m.Company.Mall == store.MallNotOpen:
		return MallNotOpen
	}
	return ""
}

// BlockingOrder ranks the blocking refusals. When all accounts of a person are blocked, the person sees the first of
// their reasons. A back office that is closed to WeChat comes first, because a password opens it at once.
var BlockingOrder = []Refusal{
	WeChatManagerClosed, Offered, CompanyDisabled, CompanyExpired, TrialEnded, AccountDisabled, UnderReview,
	LightingNotEnabled, ChatClosed, PartnerEnded, ShopDisabled, MallNotOpen,
}

// Contact is a person or service to call for help. Role is the last part of a locale key.
type Contact struct {
	Role  ContactRole
	Name  string
	Phone string
}

// ContactRole says who a contact is.
type ContactRole string

// The people who can help.
const (
	RoleAdministrator ContactRole = "administrator" // the company's own
	RoleManager       ContactRole = "manager"       // the operator's customer manager for the company
	RoleSupport       ContactRole = "support"       // the operator's customer service
)

// ContactsFor returns the contacts who can lift a refusal, best first: the company's administrator for what the company
// decides; its customer manager, then the operator's customer service, for what the operator decides.
func (a *Access) ContactsFor(r Refusal, c store.Company) []Contact {
	administrator := Contact{Role: RoleAdministrator, Name: c.ContactName, Phone: c.ContactPhone}
	manager := Contact{Role: RoleManager, Name: c.ManagerName, Phone: c.ManagerPhone}
	order := []Contact{administrator, manager, a.support}
	if slices.Contains([]Refusal{CompanyDisabled, CompanyExpired, TrialEnded, LightingNotEnabled}, r) {
		order = []Contact{manager, a.support, administrator}
	}
	return slices.DeleteFunc(order, func(contact Contact) bool { return contact.Phone == "" })
}

// ContactsForOwn does what ContactsFor does, for a person who holds an account of the company or has applied to it. If
// the company has set no contact, it names the first other administrator with a phone. Never show that administrator to
// anybody else.
func ContactsForOwn(ctx context.Context, a *Access, db *store.DB, m store.Member, r Refusal) ([]Contact, error) {
	if m.Company.ContactPhone == "" {
		all, err := db.Accounts.Administrators(ctx, m.Company.ID, 2) // the first one may be the person
		if err != nil {
			return nil, err
		}
		isOther := func(by store.Member) bool { return by.Phone != m.Phone }
		if i := slices.IndexFunc(all, isOther); i >= 0 {
			m.Company.ContactName, m.Company.ContactPhone = all[i].Name, all[i].Phone
		}
	}
	return a.ContactsFor(r, m.Company), nil
}

// Support returns the contacts that anybody may see: the company's customer manager, else the operator's customer
// service, else none.
func (a *Access) Support(place Place) []Contact {
	if c := place.Company; c != nil && c.ManagerPhone != "" {
		return []Contact{{Role: RoleManager, Name: c.ManagerName, Phone: c.ManagerPhone}}
	}
	if a.support.Phone == "" {
		return nil
	}
	return []Contact{a.support}
}

// TrialLife is how long a registered company can be tried.
const TrialLife = 15 * Day

// TrialEnding is how many days before its end a trial is shown as ending.
const TrialEnding = 5

// TrialDaysLeft returns how many days a company's trial still runs, including the current one; 0 without a trial.
func (a *Access) TrialDaysLeft(c store.Company) int {
	now := a.now()
	if c.Standing != store.Trial || c.EndsAt == 0 || c.EndsAt <= store.At(now) {
		return 0
	}
	return int((c.EndsAt.Time().Sub(now) + 24*time.Hour - 1) / (24 * time.Hour))
}

// Blocked returns the refusal of a blocked account with its company and contacts, for its holder.
func (a *Access) Blocked(ctx context.Context, db *store.DB, m store.Member, r Refusal) error {
	contacts, err := ContactsForOwn(ctx, a, db, m, r)
	return cmp.Or[error](err, &Refused{Refusal: r, Company: &m.Company, Contacts: contacts})
}

// ChatAppsOff is the value of Company.ChatDoors when the company does not allow signing in with chat apps.
const ChatAppsOff = "off"
