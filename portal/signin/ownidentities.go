package signin

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Identities lists the chat identities that sign in the person of a session.
func (cl *Chatlogin) Identities(ctx context.Context, s access.Session) ([]IdentityView, error) {
	rows, logins, err := cl.accounts.IdentitiesOf(ctx, cl.core.DB, s)
	if err != nil {
		return nil, err
	}
	views := make([]IdentityView, len(rows))
	for i, row := range rows {
		views[i] = IdentityView{
			Provider: access.ProviderName(row.Provider),
			Nick:     row.Nick,
			Login:    logins[row.AccountID],
			Linked:   row.LinkedAt.Time(),
			Ref:      cl.identityRef(row),
		}
	}
	return views, nil
}

// identityRef returns the tag that identifies an identity in a form.
func (cl *Chatlogin) identityRef(i store.Identity) string {
	return cl.core.Sealing.Tag("identity", i.Provider+"\x00"+i.App+"\x00"+i.Subject)
}

// Unlink removes an identity from the person of a session, at every application of its owner where the provider says
// that it is the same person. The person's phone gets a notice. It refuses with NotFound an identity of another person.
func (cl *Chatlogin) Unlink(ctx context.Context, s access.Session, ref, lang string) error {
	var dropped store.Identity
	var owner access.Subject
	err := cl.core.DB.Tx(ctx, func(tx *store.DB) error {
		rows, _, err := cl.accounts.IdentitiesOf(ctx, tx, s)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(rows, func(row store.Identity) bool { return cl.identityRef(row) == ref })
		if i < 0 {
			return access.NotFound
		}
		dropped = rows[i]
		if owner, _, err = linkedTo(ctx, tx, dropped); err != nil {
			return err
		}
		for _, row := range rows {
			if row != rows[i] && !sameUnion(row, rows[i]) {
				continue
			}
			if err := tx.Identities.Drop(ctx, row); err != nil {
				if errors.Is(err, store.ErrNotFound) {
					err = access.NotFound
				}
				return err
			}
		}
		return cl.core.Access.Event(
			ctx,
			tx,
			"identity_unlinked",
			store.Member{Account: store.Account{ID: s.AccountID, PersonID: s.PersonID}},
			rows[i].Provider,
		)
	})
	if err == nil {
		cl.core.Verification.NotifyOwner(ctx, owner, core.Message{
			Notice: core.NoticeUnlinked,
			Lang:   lang,
			App:    access.ProviderName(dropped.Provider),
			Nick:   dropped.Nick,
		})
	}
	return err
}

// sameUnion says whether two identities are the same person at applications of one owner.
func sameUnion(a, b store.Identity) bool {
	return a.UnionID != "" && a.UnionID == b.UnionID && a.Provider == b.Provider && a.OwnerID == b.OwnerID
}
