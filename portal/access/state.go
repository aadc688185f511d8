package access

import (
	"time"

	"portico/store"
)

// BlockedBy says what keeps an account from being entered at a moment, "" when nothing does. An offer comes first: it
// is nobody's account. The order of the others is public: the company's reasons, the account's, the edition, the
// customer's, the shop's.
//
//	offered · company disabled · expired · trial ended · account disabled · under review · lighting edition ·
//	chat apps turned off · back office closed to WeChat · no longer a partner · shop disabled or mall not open
func BlockedBy(m store.Member, lighting bool, now time.Time) Refusal {
	if m.Invited {
		return Offered
	}
	return BlockedOnceAccepted(m, lighting, now)
}

// BlockedOnceAccepted says what would keep an offered account from being entered if its holder accepted it.
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
	case m.ByChat && m.Company.ChatDoors == DoorsOff:
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

// BlockingOrder ranks the blocking refusals; the first one's reason is told where all accounts are blocked. A back
// office that is closed to WeChat comes first: the person can enter it at once by password.
var BlockingOrder = []Refusal{
	WeChatManagerClosed, Offered, CompanyDisabled, CompanyExpired, TrialEnded, AccountDisabled, UnderReview,
	LightingNotEnabled, ChatClosed, PartnerEnded, ShopDisabled, MallNotOpen,
}

// Contact is someone who can help: a name and a phone number to call. Role is a locale key's last part.
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
	RoleManager       ContactRole = "manager"       // the provider's customer manager for the company
	RoleSupport       ContactRole = "support"       // the provider's customer service
)

// ContactsFor names who can lift a refusal, best first: the company's administrator for what the company
// decides, its customer manager and then the provider's customer service for what the provider decides.
// Called only once a password has been proven.
func (a *Access) ContactsFor(r Refusal, c store.Company) []Contact {
	administrator := Contact{Role: RoleAdministrator, Name: c.ContactName, Phone: c.ContactPhone}
	manager := Contact{Role: RoleManager, Name: c.ManagerName, Phone: c.ManagerPhone}
	order := []Contact{administrator, manager, a.support}
	switch r {
	case CompanyDisabled, CompanyExpired, TrialEnded, LightingNotEnabled:
		order = []Contact{manager, a.support, administrator}
	}
	var known []Contact
	for _, contact := range order {
		if contact.Phone != "" {
			known = append(known, contact)
		}
	}
	return known
}

// Support is whom to call before anything was proven: the company's customer manager, else the provider's
// customer service; nil when there is neither.
func (a *Access) Support(place Place) []Contact {
	if c := place.Company; c != nil && c.ManagerPhone != "" {
		return []Contact{{Role: RoleManager, Name: c.ManagerName, Phone: c.ManagerPhone}}
	}
	if a.support.Phone == "" {
		return nil
	}
	return []Contact{a.support}
}

// TrialEnding is how many days before its end a trial is told to be ending.
const TrialEnding = 5

// TrialDaysLeft counts the days a company's trial still runs, the present one included; 0 for companies not
// on trial.
func TrialDaysLeft(c store.Company, now time.Time) int {
	if c.Standing != store.Trial || c.EndsAt == 0 || c.EndsAt <= store.At(now) {
		return 0
	}
	left := c.EndsAt.Time().Sub(now)
	return int((left + 24*time.Hour - 1) / (24 * time.Hour))
}

// Blocked is the refusal of a blocked account with its company and who can help.
func (a *Access) Blocked(m store.Member, r Refusal) error {
	return &Refused{Refusal: r, Company: &m.Company, Contacts: a.ContactsFor(r, m.Company)}
}

const DoorsOff = "off"
