package onboarding

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/replay"
	"portico/portal/revocation"
	"portico/store"
)

// makeCompany makes the company and its administrator; a trial of the platform becomes the company where one is named,
// or, with latest, the person's latest.
func (o *Onboarding) makeCompany(
	ctx context.Context, tx *store.DB, in RegisterInput, person store.Phone, latest bool,
) (store.Member, error) {
	now := o.now()
	c := store.Company{
		ID: in.SandboxID, Name: in.CompanyName, Language: in.Lang, Standing: store.Trial,
		EndsAt: store.At(now.Add(TrialLife)), Mall: store.MallOpen,
		CreatedAt: store.At(now), UpdatedAt: store.At(now),
	}
	if c.ID == 0 && latest {
		tried, err := tx.Sandboxes(ctx, person.ID, store.At(now))
		if err != nil {
			return store.Member{}, err
		}
		if len(tried) > 0 {
			c.ID = tried[0].CompanyID
		}
	}
	if c.ID != 0 {
		return o.adopt(ctx, tx, c, person, in.Name)
	}
	var err error
	if c.ID, err = tx.AddCompany(ctx, c); err != nil {
		return store.Member{}, err
	}
	id, err := o.accounts.AddOwnAccount(
		ctx, tx,
		store.Account{
			CompanyID: c.ID, Side: store.Mgr, Type: store.TypeAdministrator, Name: in.Name, PhoneID: person.ID,
		}, "admin",
	)
	if err != nil {
		return store.Member{}, err
	}
	return tx.MemberByID(ctx, c.ID, id)
}

// adopt makes a trial the person's company: what was made in it stays. WrongParameters where it is not theirs, or was
// made a company before.
func (o *Onboarding) adopt(
	ctx context.Context, tx *store.DB, c store.Company, person store.Phone, name string,
) (store.Member, error) {
	members, err := tx.MembersByPhone(ctx, person.ID)
	if err != nil {
		return store.Member{}, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool {
		return m.CompanyID == c.ID && m.Side == store.Mgr &&
			m.Company.Sandbox
	})
	gone := errors.Join(&access.Refused{Refusal: access.WrongParameters}, replay.ErrMadeBefore)
	if i < 0 {
		return store.Member{}, gone
	}
	if reason := access.BlockedBy(members[i], false, o.now()); reason != "" {
		return store.Member{}, o.access.Blocked(members[i], reason)
	}
	if err := tx.AdoptSandbox(ctx, person.ID, c); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = gone
		}
		return store.Member{}, err
	}
	if err := tx.RenameAccount(ctx, c.ID, members[i].ID, name); err != nil {
		return store.Member{}, err
	}
	return tx.MemberByID(ctx, c.ID, members[i].ID)
}

// free refuses a person whose company keeps its phones to itself another one.
func (o *Onboarding) free(ctx context.Context, person store.Phone) error {
	members, err := o.db.MembersByPhone(ctx, person.ID)
	if err != nil {
		return err
	}
	// what one tries is one's own
	members = slices.DeleteFunc(members, func(m store.Member) bool { return m.Company.Sandbox })
	return access.Exclusive(store.Member{}, members)
}

// settlePerson makes the person of a proven phone, or gives the one there is a first password; what was planted before
// ends, but for the family kept.
func (o *Onboarding) settlePerson(
	ctx context.Context, tx *store.DB, number string, person store.Phone, hash, kept string,
) (store.Phone, error) {
	if person.ID == 0 {
		id, err := tx.AddPhone(ctx, store.Phone{Phone: number, PasswordHash: hash, CreatedAt: store.At(o.now())})
		if err == nil && id == 0 { // registered meanwhile, by another proof
			err = &access.Refused{Refusal: access.PhoneRegistered}
		}
		if err != nil {
			return store.Phone{}, err
		}
		return tx.PhoneByID(ctx, id)
	}
	now, err := tx.PhoneByID(ctx, person.ID)
	if err != nil {
		return now, err
	}
	if now.Phone != person.Phone { // the number went to somebody else meanwhile
		return now, &access.Refused{Refusal: access.DataAbnormal}
	}
	if hash == "" {
		return now, nil
	}
	if now.PasswordHash != "" {
		return now, &access.Refused{Refusal: access.PhoneRegistered}
	}
	owner := access.Subject{Key: access.PersonKey(person.ID), Phone: person}
	return now, o.credentials.SetPassword(ctx, tx, owner, hash, "password_set", revocation.KeptAccess{Family: kept})
}
