package portal

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"portico/store"
)

const (
	// MaxMenuChoices is how many choices in a menu an address (an IPv6 /64) can have counted in a minute.
	MaxMenuChoices = 60

	menuAddresses = 4096 // that are counted in one minute
)

// menuBound is how many choices each address has had counted in the running minute; nothing of it is kept beyond that.
type menuBound struct {
	sync.Mutex
	minute    time.Time
	addresses map[string]int
}

func (b *menuBound) allows(address string, now time.Time) bool {
	b.Lock()
	defer b.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(b.minute) || b.addresses == nil {
		b.minute, b.addresses = minute, map[string]int{}
	}
	if n, known := b.addresses[address]; n >= MaxMenuChoices || !known && len(b.addresses) >= menuAddresses {
		return false
	}
	b.addresses[address]++
	return true
}

// CountMenu counts a choice in the menu of a side that the browser is signed in to. What is not in Menu, comes from
// nobody who is signed in there, or is more than MaxMenuChoices, is not counted, and nobody is told.
func (p *Portal) CountMenu(ctx context.Context, place Place, chosen Screen, on DeviceKind) error {
	slot, there := menuSlot(place, chosen)
	if !there || !slices.Contains(Menu, chosen) || !p.views.menu.allows(network(callerOf(ctx).Address), p.now()) && !p.noLimit {
		return nil
	}
	here, err := p.Landing(ctx, place, slot)
	if err != nil {
		return err
	}
	p.CountView(MenuPrefix+chosen, here.Member.CompanyID, on)
	return nil
}

// menuSlot is the side whose menu a choice is in.
func menuSlot(place Place, chosen Screen) (slot store.Slot, there bool) {
	shop := chosen == "shop" || strings.HasPrefix(string(chosen), "shop_")
	switch {
	case place.Site == SiteMobileShop:
		return store.MobileShop, shop
	case place.Site == SiteMobileMgr:
		return store.MobileMgr, !shop
	case place.Desktop() && shop:
		return store.PCShop, true
	}
	return store.PCMgr, place.Desktop()
}
