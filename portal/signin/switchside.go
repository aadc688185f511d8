package signin

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// SwitchSide takes a person on a landing page of a sandbox to its other side, with the sign-in that entered this one.
// It refuses with NotFound outside sandboxes, and with LoginRequired when that sign-in has ended.
func (l *Landing) SwitchSide(
	ctx context.Context, place access.Place, slot store.Slot, device access.Device, lang string,
) (Redirect, error) {
	here, err := l.Landing(ctx, place, slot)
	if err != nil {
		return Redirect{}, err
	}
	if !here.Member.Company.Sandbox {
		return Redirect{}, access.NotFound
	}
	s, err := l.core.DB.Sessions.OfFamily(ctx, here.Family, store.At(l.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return Redirect{}, access.LoginRequired
	}
	if err != nil {
		return Redirect{}, err
	}
	members, err := l.accounts.SandboxMembers(ctx, s, here.Member.Company.IndustryID)
	if err != nil {
		return Redirect{}, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool {
		return m.CompanyID == here.Member.CompanyID && m.Side != here.Member.Side
	})
	if i < 0 {
		return Redirect{}, access.NotFound
	}
	return l.entry.Enter(ctx, access.EnterInput{Session: s, AccountID: members[i].ID,
		Place: access.Place{Origin: here.FromOrigin, Variant: place.Variant}, Device: device, Lang: lang})
}
