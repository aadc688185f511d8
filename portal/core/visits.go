package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"portico/portal/access"
	"portico/store"
)

// VisitSpans are the numbers of days that visits are shown for.
var VisitSpans = []int{7, 30, 90}

// VisitWeek is the span of the overview.
const VisitWeek = 7

// VisitDay is one day's page views. Day is its noon.
type VisitDay struct {
	Day   time.Time
	Views int64
}

// ScreenViews is the number of views of a page.
type ScreenViews struct {
	Screen Screen
	Views  int64
}

// DeviceViews is the number of views on a kind of device.
type DeviceViews struct {
	On    access.DeviceKind
	Views int64
}

// Visits are the page views of a company in some days, today the last of them: Days has each, Screens and Menu the
// most shown and chosen first, Devices every kind that was seen.
type Visits struct {
	Total   int64
	Days    []VisitDay
	Screens []ScreenViews
	Devices []DeviceViews
	Menu    []ScreenViews
}

// VisitRow is what was counted of one day, page and kind of device. Menu says that the page was chosen in a menu, not
// shown.
type VisitRow struct {
	Day    time.Time
	Screen Screen
	Menu   bool
	On     access.DeviceKind
	Views  int64
}

// VisitsOf reads how often a company's pages were shown in the last days, one of VisitSpans. It refuses with Forbidden
// an account without RightAudit, and with NotFound another number of days.
func (s *Statistics) VisitsOf(ctx context.Context, here access.Landing, days int) (Visits, error) {
	rows, err := s.VisitRows(ctx, here, days)
	if err != nil {
		return Visits{}, err
	}
	byDay := map[store.Day]int64{}
	screens := map[Screen]int64{}
	devices := map[access.DeviceKind]int64{}
	menu := map[Screen]int64{}
	var v Visits
	for _, r := range rows {
		if r.Menu {
			menu[r.Screen] += r.Views
			continue
		}
		byDay[store.DayOf(r.Day)] += r.Views
		screens[r.Screen] += r.Views
		devices[r.On] += r.Views
		v.Total += r.Views
	}
	v.Days = s.lastDays(days, byDay)
	v.Screens = mostFirst(screens)
	v.Menu = mostFirst(menu)
	for _, on := range DeviceKinds {
		if devices[on] > 0 {
			v.Devices = append(v.Devices, DeviceViews{on, devices[on]})
		}
	}
	return v, nil
}

// VisitRows reads all counts of those days, the oldest first, for an export. It refuses as VisitsOf does.
func (s *Statistics) VisitRows(ctx context.Context, here access.Landing, days int) ([]VisitRow, error) {
	if err := access.RequireRight(here, access.RightAudit); err != nil {
		return nil, err
	}
	if !slices.Contains(VisitSpans, days) {
		return nil, access.NotFound
	}
	counted, err := s.core.DB.ForLists(ctx).Views.OfCompany(ctx, here.Member.CompanyID, s.firstDay(days))
	if err != nil {
		return nil, err
	}
	rows := make([]VisitRow, 0, len(counted))
	for _, v := range counted {
		screen, menu := strings.CutPrefix(v.Page, MenuPrefix)
		if !menu && !isPage(v.Page) {
			continue
		}
		rows = append(rows, VisitRow{
			v.Day.In(access.CompanyDay), Screen(screen), menu, access.DeviceKind(v.Device), v.Views,
		})
	}
	return rows, nil
}

// VisitWeek reads the page views of the last VisitWeek days.
func (s *Statistics) VisitWeek(ctx context.Context, companyID int64) ([]VisitDay, error) {
	sums, err := s.core.DB.ForLists(ctx).Views.ByDay(ctx, companyID, s.firstDay(VisitWeek))
	byDay := map[store.Day]int64{}
	for _, sum := range sums {
		byDay[sum.Day] = sum.Views
	}
	return s.lastDays(VisitWeek, byDay), err
}

func (s *Statistics) firstDay(days int) store.Day { return s.Today() - store.Day(days) + 1 }

func (s *Statistics) lastDays(days int, byDay map[store.Day]int64) []VisitDay {
	all := make([]VisitDay, days)
	for i := range all {
		day := s.firstDay(days) + store.Day(i)
		all[i] = VisitDay{day.In(access.CompanyDay), byDay[day]}
	}
	return all
}

func mostFirst(counts map[Screen]int64) []ScreenViews {
	var all []ScreenViews
	for s, n := range counts {
		all = append(all, ScreenViews{s, n})
	}
	slices.SortFunc(all, func(a, b ScreenViews) int {
		return cmp.Or(
			cmp.Compare(b.Views, a.Views),
			cmp.Compare(slices.Index(Screens, a.Screen), slices.Index(Screens, b.Screen)),
		)
	})
	return all
}
