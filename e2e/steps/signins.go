package steps

import (
	"fmt"
	"sync"
	"time"

	"portico/e2e/browser"
	"portico/store"
)

// signInDays is how many days of sign-ins an overview shows.
const signInDays = 14

// visitDays is how many days of page views AddVisits adds.
const visitDays = 90

// china is where companies keep their days.
var china = time.FixedZone("UTC+8", 8*60*60)

// signInsAdded are the databases to which AddSignIns has added, and visitsAdded those of AddVisits with the company.
var signInsAdded, visitsAdded sync.Map

// AddSignIns adds the sign-ins and failures of two weeks to a company, so that its overview has something to show. It
// does so once for each server.
func AddSignIns(b *browser.Tab, companyID int64) {
	b.T.Helper()
	if _, added := signInsAdded.LoadOrStore(b.Server.DatabaseFile, true); added {
		return
	}
	today := store.DayOf(time.Now().In(china))
	var all []store.PageViews
	for i := range signInDays {
		day := today - store.Day(i)
		for name, n := range map[string]int64{
			"sign-in:password": 9, "sign-in:code": 14, "sign-in:wechat": 21, "sign-in:wecom": 3,
			"refused:password": 2, "refused:code": 1,
		} {
			n += int64((i*7 + len(name)*5) % 6)
			if weekday := day.In(china).Weekday(); weekday == time.Sunday || weekday == time.Saturday {
				n /= 3
			}
			key := store.ViewKey{CompanyID: companyID, Day: day, Page: name}
			all = append(all, store.PageViews{ViewKey: key, Views: n})
		}
	}
	all = append(all, store.PageViews{
		ViewKey: store.ViewKey{CompanyID: companyID, Day: today - 1, Page: "refused:blocked"}, Views: 3,
	})
	if err := b.Server.Database(b.T).Views.Add(b.T.Context(), all); err != nil {
		b.T.Fatal(err)
	}
}

// AddVisits adds the page views of three months to a company. It does so once for each server.
func AddVisits(b *browser.Tab, companyID int64) {
	b.T.Helper()
	if _, added := visitsAdded.LoadOrStore(b.Server.DatabaseFile+fmt.Sprint(" ", companyID), true); added {
		return
	}
	today := store.DayOf(time.Now().In(china))
	var all []store.PageViews
	for i := range visitDays {
		day := today - store.Day(i)
		for page, n := range map[string]int64{
			"shop": 31, "login": 22, "shop_cart": 12, "shop_order": 9, "office": 6,
			"menu:shop_orders": 7, "menu:orders": 5,
		} {
			n += int64((i*5 + len(page)*3) % 9)
			if weekday := day.In(china).Weekday(); weekday == time.Sunday || weekday == time.Saturday {
				n /= 3
			}
			all = append(all,
				store.PageViews{ViewKey: store.ViewKey{
					CompanyID: companyID, Day: day, Page: page, Device: "phone",
				}, Views: n},
				store.PageViews{ViewKey: store.ViewKey{
					CompanyID: companyID, Day: day, Page: page, Device: "desktop",
				}, Views: n / 3})
		}
	}
	if err := b.Server.Database(b.T).Views.Add(b.T.Context(), all); err != nil {
		b.T.Fatal(err)
	}
}
