package credentials

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// Invitation is an account that a company offers to a phone, as an invitation link contains it.
type Invitation struct {
	CompanyID int64         `json:"c"`
	AccountID int64         `json:"a"`
	Phone     string        `json:"p"`
	InvitedAt store.Instant `json:"i"` // only the link of the account's last invitation works

	Company store.Company `json:"-"`
	SetUp   bool          `json:"-"` // the account is already set up, so the link can only repeat that
	// Name is the person's name as the company entered it, and HasPassword says that the phone has a password. Only
	// Onboarding.InvitationHere sets them, for a person who has proved the phone.
	Name        string `json:"-"`
	HasPassword bool   `json:"-"`
}

// Until returns when the link expires.
func (in Invitation) Until() store.Instant {
	return store.At(in.InvitedAt.Time().Add(signin.InvitationLife))
}

// Invite makes the token of the invitation link of an offered account. Until the account is invited again, every call
// makes a link with the same content and expiry. It refuses with NotFound an account that is not offered or has no
// phone.
func (c *Credentials) Invite(ctx context.Context, companyID, accountID int64) (string, error) {
	m, err := c.core.DB.Accounts.ByID(ctx, companyID, accountID)
	if errors.Is(err, store.ErrNotFound) {
		return "", access.NotFound
	}
	if err != nil {
		return "", err
	}
	if !m.Invited || m.Phone == "" {
		return "", access.NotFound
	}
	return c.core.Sealing.Seal("invitation", InvitationOf(m))
}

// InvitationOf returns what the invitation link of an account contains.
func InvitationOf(m store.Member) Invitation {
	return Invitation{CompanyID: m.CompanyID, AccountID: m.ID, Phone: m.Phone, InvitedAt: m.InvitedAt}
}

// Invitation reads the token of an invitation link. ok is false when the token is malformed or expired, or the account
// was invited again.
func (c *Credentials) Invitation(ctx context.Context, token string) (in Invitation, ok bool, err error) {
	if c.core.Sealing.Unseal("invitation", token, &in) != nil || in.Until() <= store.At(c.core.Now()) {
		return Invitation{}, false, nil
	}
	m, err := c.core.DB.Accounts.ByID(ctx, in.CompanyID, in.AccountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && in != InvitationOf(m) {
		return Invitation{}, false, nil
	}
	if err != nil {
		return Invitation{}, false, err
	}
	in.Company, in.SetUp = m.Company, !m.Invited
	return in, true, nil
}
