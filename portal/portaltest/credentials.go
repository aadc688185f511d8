package portaltest

import (
	"slices"
	"testing"

	"portico/portal/access"
	"portico/portal/entry"
	"portico/portal/landing"
	"portico/store"
)

// A browser that missed a response sends the same request again, with the cookie that it had before.

const OtherAgent = "another browser"

func (p *Platform) RedeemWithAgent(agent string, d entry.Destination, token string) (landing.RedeemResult, error) {
	p.T.Helper()
	ctx := access.WithCaller(p.T.Context(), access.Caller{RequestID: "r-2", Address: HomeAddress, Agent: agent})
	return p.redeemWithContext(ctx, d, token)
}

func (p *SMSPlatform) WantNotices(want ...string) {
	p.T.Helper()
	p.WaitForNotices()
	if got := p.Sms.Notices(); !slices.Equal(got, want) {
		p.T.Errorf("notices %q, want %q", got, want)
	}
}

func PhoneOf(t *testing.T, db *store.DB, number string) store.Phone {
	t.Helper()
	phone, err := db.Phones.ByNumber(t.Context(), number)
	NoError(t, err)
	return phone
}

// What was planted before the rightful owner proved their phone: each test plays an attacker, then the
// owner, then the attacker again.
