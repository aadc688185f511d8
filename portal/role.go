package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

// RoleInput chooses a side of one's sandbox: "shop" or "mgr". Industry 0 is the sandbox opened last; Import fills it
// with samples, unless it was filled before.
type RoleInput struct {
	Role     string `form:"role" json:"role_"`
	Industry int64  `form:"industry" json:"industry_id_"`
	Import   bool   `form:"import" json:"import_"`

	Session Session
}

// Sandbox is the sandbox a session is in the middle of trying, of the given industry where one is named; ok is false
// where there is none.
func (p *Portal) Sandbox(ctx context.Context, s Session, industry int64) (c store.Company, ok bool, err error) {
	members, err := p.sandboxMembers(ctx, s, industry)
	if err != nil || len(members) == 0 {
		return c, false, err
	}
	return members[0].Company, true, nil
}

// SandboxToAdopt is the trial that is to become the company of somebody who is signed in: the one that is named,
// where it is theirs and still one; where none is, the last one of somebody who has no password yet. 0 for none.
func (p *Portal) SandboxToAdopt(ctx context.Context, s Session, named int64) (int64, error) {
	if s.ID == "" {
		return 0, nil
	}
	person, err := p.Person(ctx, s)
	if err != nil || named == 0 && person.PasswordHash != "" {
		return 0, err
	}
	if named != 0 {
		s.ChosenCompanyID = named
	}
	c, _, err := p.Sandbox(ctx, s, 0)
	if named != 0 && c.ID != named {
		return 0, err
	}
	return c.ID, err
}

// sandboxMembers are the two accounts of that sandbox.
func (p *Portal) sandboxMembers(ctx context.Context, s Session, industry int64) ([]store.Member, error) {
	members, _, err := p.members(ctx, s)
	if err != nil {
		return nil, err
	}
	members = slices.DeleteFunc(members, func(m store.Member) bool {
		return !m.Company.Sandbox || m.Company.EndsAt <= store.At(p.now()) || industry != 0 && m.Company.IndustryID != industry
	})
	var one int64
	for _, m := range members { // the last one opened, unless one was chosen
		if one = m.CompanyID; one == s.ChosenCompanyID {
			break
		}
	}
	return slices.DeleteFunc(members, func(m store.Member) bool { return m.CompanyID != one }), nil
}

// ChooseRole fills the sandbox where asked to and gives the account of the chosen side. WrongParameters where no
// sandbox was opened, or the session is not a phone's.
func (p *Portal) ChooseRole(ctx context.Context, in RoleInput) (store.Member, error) {
	side := store.Side(in.Role)
	if side != store.Shop && side != store.Mgr {
		return store.Member{}, invalid(Fields{"role": RoleRequired})
	}
	members, err := p.sandboxMembers(ctx, in.Session, in.Industry)
	if err != nil {
		return store.Member{}, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.Side == side })
	if i < 0 {
		return store.Member{}, &Refused{Refusal: WrongParameters}
	}
	m := members[i]
	if reason := BlockedBy(m, in.Session.Lighting, p.now()); reason != "" {
		return store.Member{}, p.blocked(m, reason)
	}
	if pack, known := Samples(m.Company.IndustryID); known && in.Import && m.Company.InitialisedAt == 0 {
		err := p.db.Tx(ctx, func(tx *store.DB) error { return p.initialise(ctx, tx, m, m.Company.IndustryID, pack) })
		if err != nil && !errors.Is(err, WrongParameters) { // filled meanwhile
			return store.Member{}, err
		}
	}
	return m, nil
}

// ExperienceUser is ChooseRole for an API client: the account's user with a token to act as it.
func (p *Portal) ExperienceUser(ctx context.Context, in RoleInput, client Client) (User, error) {
	m, err := p.ChooseRole(ctx, in)
	if err != nil {
		return User{}, err
	}
	var user User
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		user, err = p.actAs(ctx, tx, client, m, in.Session, "experience", in.Session.CompanyID != 0)
		return err
	})
	return user, err
}

// SwitchSide takes someone on a landing page of a sandbox to its other side, by the sign-in that entered this one.
// NotFound outside sandboxes, LoginRequired when the sign-in has ended.
func (p *Portal) SwitchSide(
	ctx context.Context, place Place, slot store.Slot, device Device, lang string,
) (Destination, error) {
	here, err := p.Landing(ctx, place, slot)
	if err != nil {
		return Destination{}, err
	}
	if !here.Member.Company.Sandbox {
		return Destination{}, NotFound
	}
	s, err := p.db.SessionOfFamily(ctx, here.family, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	if err != nil {
		return Destination{}, err
	}
	members, err := p.sandboxMembers(ctx, s, here.Member.Company.IndustryID)
	if err != nil {
		return Destination{}, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.CompanyID == here.Member.CompanyID && m.Side != here.Member.Side })
	if i < 0 {
		return Destination{}, NotFound
	}
	return p.Enter(ctx, EnterInput{Session: s, AccountID: members[i].ID, Place: Place{Origin: here.FromOrigin, Variant: place.Variant}, Device: device, Lang: lang})
}
