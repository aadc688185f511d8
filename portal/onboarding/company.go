package onboarding

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// makeCompany adds the company and its administrator. The sandbox that the input names becomes the company instead;
// with latest, the person's latest sandbox.
func (o *Onboarding) makeCompany(
	ctx context.Context, tx *store.DB, in RegisterInput, person store.Person, latest bool,
) (store.Member, error) {
	now := o.core.Now()
	c := store.Company{
		ID: in.SandboxID, Name: in.CompanyName, Language: in.Lang, Standing: store.Trial,
		EndsAt: store.At(now.Add(access.TrialLife)), Mall: store.MallOpen,
		CreatedAt: store.At(now), UpdatedAt: store.At(now),
	}
	if c.ID == 0 && latest {
		tried, err := tx.Sandboxes.OfPerson(ctx, person.ID, store.At(now))
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
	if c.ID, err = tx.Companies.Add(ctx, c); err != nil {
		return store.Member{}, err
	}
	id, err := o.accounts.AddOwnAccount(
		ctx, tx,
		store.Account{
			CompanyID: c.ID, Side: store.Mgr, Type: store.TypeAdministrator, Name: in.Name, PersonID: person.ID,
		}, "admin",
	)
	if err != nil {
		return store.Member{}, err
	}
	return tx.Accounts.ByID(ctx, c.ID, id)
}

// adopt makes a sandbox the person's company and keeps its rows. It refuses with WrongParameters a company that is not
// the person's sandbox, or is not a sandbox any more.
func (o *Onboarding) adopt(
	ctx context.Context, tx *store.DB, c store.Company, person store.Person, name string,
) (store.Member, error) {
	members, err := tx.Accounts.ByPerson(ctx, person.ID)
	if err != nil {
		return store.Member{}, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool {
		return m.CompanyID == c.ID && m.Side == store.Mgr &&
			m.Company.Sandbox
	})
	gone := errors.Join(&access.Refused{Refusal: access.WrongParameters}, core.ErrProofUsed)
	if i < 0 {
		return store.Member{}, gone
	}
	if reason := access.BlockedBy(members[i], false, o.core.Now()); reason != "" {
		return store.Member{}, o.core.Access.Blocked(ctx, tx, members[i], reason)
	}
	if err := tx.Sandboxes.Adopt(ctx, person.ID, c); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = gone
		}
		return store.Member{}, err
	}
	if err := tx.Accounts.Rename(ctx, c.ID, members[i].ID, name); err != nil {
		return store.Member{}, err
	}
	return tx.Accounts.ByID(ctx, c.ID, members[i].ID)
}
