package onboarding

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/samples"
	"portico/portal/signin"
	"portico/store"
)

// RoleInput chooses a side of the person's sandbox: "shop" or "mgr". Industry 0 is the sandbox that was opened last.
// Import fills the sandbox with samples, unless it was filled before.
type RoleInput struct {
	Role     string `form:"role" json:"role_"`
	Industry int64  `form:"industry" json:"industry_id_"`
	Import   bool   `form:"import" json:"import_"`

	Session access.Session
}

// Sandbox returns the sandbox of a session's person in an industry, or the last one when industry is 0. ok is false
// when there is none.
func (o *Onboarding) Sandbox(
	ctx context.Context, s access.Session, industry int64,
) (c store.Company, ok bool, err error) {
	members, err := o.accounts.SandboxMembers(ctx, s, industry)
	if err != nil || len(members) == 0 {
		return c, false, err
	}
	return members[0].Company, true, nil
}

// SandboxToAdopt returns the id of the sandbox that becomes the company when a signed-in person registers: the named
// one, if it is still the person's sandbox; if none is named, the last sandbox of a person without a password. It
// returns 0 for none.
func (o *Onboarding) SandboxToAdopt(ctx context.Context, s access.Session, named int64) (int64, error) {
	if s.ID == "" {
		return 0, nil
	}
	person, err := o.accounts.Person(ctx, s)
	if err != nil || named == 0 && person.PasswordHash != "" {
		return 0, err
	}
	if named != 0 {
		s.ChosenCompanyID = named
	}
	c, _, err := o.Sandbox(ctx, s, 0)
	if named != 0 && c.ID != named {
		return 0, err
	}
	return c.ID, err
}

// ChooseRole returns the account of the chosen side of a sandbox, and with Import fills the sandbox with samples. It
// refuses with RoleRequired under "role" an unknown side; with WrongParameters a person without a sandbox and a session
// that is not a person's; and with the reason why the account is blocked.
func (o *Onboarding) ChooseRole(ctx context.Context, in RoleInput) (store.Member, error) {
	side := store.Side(in.Role)
	if side != store.Shop && side != store.Mgr {
		return store.Member{}, access.Invalid(access.Fields{"role": access.RoleRequired})
	}
	members, err := o.accounts.SandboxMembers(ctx, in.Session, in.Industry)
	if err != nil {
		return store.Member{}, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.Side == side })
	if i < 0 {
		return store.Member{}, &access.Refused{Refusal: access.WrongParameters}
	}
	m := members[i]
	if reason := access.BlockedBy(m, in.Session.Lighting, o.core.Now()); reason != "" {
		return store.Member{}, o.core.Access.Blocked(ctx, o.core.DB, m, reason)
	}
	if pack, known := samples.Samples(m.Company.IndustryID); known && in.Import && m.Company.InitialisedAt == 0 {
		err := o.core.DB.Tx(
			ctx, func(tx *store.DB) error { return o.initialise(ctx, tx, m, m.Company.IndustryID, pack) },
		)
		if err != nil && !errors.Is(err, access.WrongParameters) { // filled meanwhile
			return store.Member{}, err
		}
	}
	return m, nil
}

// ExperienceUser does what ChooseRole does for an API client: it returns the account's user with a token.
func (o *Onboarding) ExperienceUser(ctx context.Context, in RoleInput, client access.Client) (access.User, error) {
	m, err := o.ChooseRole(ctx, in)
	if err != nil {
		return access.User{}, err
	}
	var user access.User
	err = o.core.DB.Tx(ctx, func(tx *store.DB) error {
		user, err = o.signin.ActAs(ctx, tx, signin.Acting{
			Client: client, Member: m, From: in.Session, How: "experience", Again: in.Session.CompanyID != 0,
		})
		return err
	})
	return user, err
}
