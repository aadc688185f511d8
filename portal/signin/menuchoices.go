package signin

import (
	"context"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// CountMenu counts a choice in the menu of the side that the browser is signed in to. It silently ignores a choice that
// is not in core.Menu, and more choices from a network than the limit allows. It refuses what Landing refuses.
func (l *Landing) CountMenu(
	ctx context.Context, place access.Place, chosen core.Screen, on access.DeviceKind,
) error {
	slot, there := menuSlot(place, chosen)
	if !there || !slices.Contains(core.Menu, chosen) ||
		!l.core.Statistics.Views.Menu.Allows(access.Network(access.CallerOf(ctx).Address), l.core.Now()) &&
			!l.core.NoLimit {
		return nil
	}
	here, err := l.Landing(ctx, place, slot)
	if err != nil {
		return err
	}
	l.core.Statistics.CountView(core.MenuPrefix+chosen, here.Member.CompanyID, on)
	return nil
}

// menuSlot returns the side whose menu contains a choice. there is false when the site has no such menu.
func menuSlot(place access.Place, chosen core.Screen) (slot store.Slot, there bool) {
	shop := chosen == "shop" || strings.HasPrefix(string(chosen), "shop_")
	switch {
	case place.Site == access.SiteMobileShop:
		return store.MobileShop, shop
	case place.Site == access.SiteMobileMgr:
		return store.MobileMgr, !shop
	case place.Desktop() && shop:
		return store.PCShop, true
	}
	return store.PCMgr, place.Desktop()
}
