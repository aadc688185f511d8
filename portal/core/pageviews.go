package core

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"portico/portal/access"
	"portico/store"
)

const (
	// ViewsWritten is the time between two writes of page views to the database. A crash loses at most the views of
	// that time.
	ViewsWritten = 5 * time.Second
	// ViewsKept is how many days of page views are kept.
	ViewsKept = 400

	viewShards   = 8
	viewsHeld    = 4096   // different keys in a shard
	viewsWaiting = 32_768 // different keys that wait to be written
	viewsAtOnce  = 200    // rows in a transaction, so that others do not wait for it long
)

// Screen is the fixed name of a page under which its views are counted. The locale key "visits.page_" + Screen is the
// name that people read. A click on the menu entry of the page is counted under MenuPrefix + Screen.
type Screen string

// Screens are all pages whose views are counted.
var Screens = []Screen{
	"login", "login_account", "login_code", "register", "register_init", "register_complete", "register_wechat",
	"register_more", "register_result",
	"experience", "role", "forget_phone", "forget_account", "password", "bind", "unbind", "phone", "company",
	"accounts", "profile", "security", "enter",
	"offers",
	"chat_link", "chat_confirm", "agreement", "agreement_accept", "jumperror",
	"shop", "shop_cart", "shop_orders", "shop_order",
	"office", "orders", "order", "applications", "application", "customers", "customer", "people", "new_person",
	"person", "person_role", "products", "new_product", "product", "bulk", "import", "filters",
	"settings", "employees", "registration", "appearance", "bank", "welcome", "customer_types", "initialisation",
	"visits", "audit",
}

// Menu are the screens that a menu leads to.
var Menu = []Screen{
	"shop", "shop_cart", "shop_orders", "office", "orders", "applications", "customers", "people", "audit", "settings",
	"products",
	"registration", "appearance", "bank", "employees", "customer_types", "initialisation", "visits",
}

// MenuPrefix is the prefix of the names under which clicks on menu entries are counted.
const MenuPrefix = "menu:"

const (
	// OnPhone is a browser on a phone.
	OnPhone access.DeviceKind = "phone"
	// OnDesktop is a browser on a computer.
	OnDesktop access.DeviceKind = "desktop"
	// OnWeChat is the browser of WeChat.
	OnWeChat access.DeviceKind = "wechat"
	// OnWorkChat is the browser of WeCom.
	OnWorkChat access.DeviceKind = "work-chat"
	// OnApp is the native wrapper.
	OnApp access.DeviceKind = "app"
)

// DeviceKinds are all kinds of devices, in the order in which pages show them.
var DeviceKinds = []access.DeviceKind{OnPhone, OnDesktop, OnWeChat, OnWorkChat, OnApp}

// views counts page views in memory. Each view is counted in a random shard, so that many requests for one page rarely
// wait for the same lock.
type views struct {
	shards [viewShards]viewShard
	lost   atomic.Int64 // views for which there was no room, since the last line of the log
	Lost   atomic.Int64 // since the process started

	writing sync.Mutex
	waiting map[store.ViewKey]int64 // taken from the shards and not written yet

	totals sync.Map // ViewTotal without its number → *atomic.Int64
	Menu   menuBound
}

type viewShard struct {
	sync.Mutex
	counts map[store.ViewKey]int64
	_      [48]byte // shards do not share a line of the processor's cache
}

// CountView counts in memory one view of a page of a company, 0 for none. It takes almost no time; WriteViews stores
// the counts.
func (s *Statistics) CountView(screen Screen, companyID int64, on access.DeviceKind) {
	s.Views.add(store.ViewKey{CompanyID: companyID, Day: s.Today(), Page: string(screen), Device: string(on)})
}

// Today returns the platform's current day.
func (s *Statistics) Today() store.Day { return store.DayOf(s.core.Now().In(access.CompanyDay)) }

func (v *views) add(key store.ViewKey) {
	s := &v.shards[rand.Uint32N(viewShards)]
	s.Lock()
	defer s.Unlock()
	if _, there := s.counts[key]; !there && len(s.counts) >= viewsHeld {
		v.lost.Add(1)
		return
	}
	if s.counts == nil {
		s.counts = map[store.ViewKey]int64{}
	}
	s.counts[key]++
}

// WriteViews stores the counts since the last time. Counts that cannot be stored wait for the next time, as far as
// there is room.
func (s *Statistics) WriteViews(ctx context.Context) error {
	v := &s.Views
	v.writing.Lock()
	defer v.writing.Unlock()
	v.take()
	all := make([]store.PageViews, 0, len(v.waiting))
	for key, n := range v.waiting {
		all = append(all, store.PageViews{ViewKey: key, Views: n})
	}
	slices.SortFunc(all, func(a, b store.PageViews) int { // instances that write in one order do not wait in a circle
		return cmp.Or(
			cmp.Compare(a.CompanyID, b.CompanyID), cmp.Compare(a.Day, b.Day), strings.Compare(a.Page, b.Page),
			strings.Compare(a.Device, b.Device),
		)
	})
	for some := range slices.Chunk(all, viewsAtOnce) {
		if err := s.core.DB.Views.Add(ctx, some); err != nil {
			return err
		}
		for _, each := range some {
			delete(v.waiting, each.ViewKey)
		}
	}
	if lost := v.lost.Swap(0); lost > 0 {
		v.Lost.Add(lost)
		s.core.Log.LogAttrs(ctx, slog.LevelWarn, "page views lost", slog.Int64("number", lost))
	}
	return nil
}

// take moves the counts of the shards to waiting.
func (v *views) take() {
	if v.waiting == nil {
		v.waiting = map[store.ViewKey]int64{}
	}
	for i := range v.shards {
		s := &v.shards[i]
		s.Lock()
		counts := s.counts
		s.counts = nil
		s.Unlock()
		for key, n := range counts {
			v.total(key, n)
			if _, there := v.waiting[key]; !there && len(v.waiting) >= viewsWaiting {
				v.lost.Add(n)
				continue
			}
			v.waiting[key] += n
		}
	}
}

// KeepWritingViews writes page views every ViewsWritten until the context ends. Stop writes the last ones.
func (s *Statistics) KeepWritingViews(ctx context.Context) {
	ticker := time.NewTicker(ViewsWritten)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.NoteViews(ctx)
		}
	}
}

// NoteViews writes the counted views. It logs an error and does not return it.
func (s *Statistics) NoteViews(ctx context.Context) {
	if err := s.WriteViews(ctx); err != nil && ctx.Err() == nil {
		s.core.Log.LogAttrs(ctx, slog.LevelError, "page views not written", slog.Any("error", err))
	}
}

// ViewTotal is the number of views since this process started on one kind of device: of pages of the platform, or of
// pages of all companies together (Platform is false).
type ViewTotal struct {
	Platform bool
	On       access.DeviceKind
	Views    int64
}

func (v *views) total(key store.ViewKey, n int64) {
	if !isPage(key.Page) {
		return
	}
	sum, _ := v.totals.LoadOrStore(
		ViewTotal{Platform: key.CompanyID == 0, On: access.DeviceKind(key.Device)}, new(atomic.Int64),
	)
	sum.(*atomic.Int64).Add(n)
}

// ViewTotals returns the totals as of the last WriteViews: for every kind of device one of all companies together, and
// one of views outside of companies.
func (s *Statistics) ViewTotals() []ViewTotal {
	var all []ViewTotal
	for _, platform := range []bool{false, true} {
		for _, on := range DeviceKinds {
			t := ViewTotal{Platform: platform, On: on}
			if sum, ok := s.Views.totals.Load(t); ok {
				t.Views = sum.(*atomic.Int64).Load()
			}
			all = append(all, t)
		}
	}
	return all
}
