package portal_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// product is the first product of a company.
func (p *platform) product(company int64) store.Product {
	p.t.Helper()
	all, err := p.db.Products(p.t.Context(), company)
	noError(p.t, err)
	return all[0]
}

// order is placed by somebody who means it, however often.
func (p *platform) order(here portal.Landing, product int64, quantity, form string) (store.Order, error) {
	return p.PlaceOrder(p.from(homeAddress), here, portal.OrderInput{ProductID: product, Quantity: quantity, Form: form, Again: true})
}

func (p *platform) stock(company, product int64) int64 {
	p.t.Helper()
	k, err := p.db.ProductByID(p.t.Context(), company, product)
	noError(p.t, err)
	return k.Stock
}

func TestAnOrderTakesItsGoodsOutOfStock(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.landed("buyer1", phoneScreen)
		k := p.product(1001)
		last, err := p.db.Orders(t.Context(), 1001, 1<<30, 1)
		noError(t, err)
		o, err := p.order(here, k.ID, " 3 ", portal.NewForm())
		noError(t, err)
		want := store.Order{
			ID: o.ID, CompanyID: 1001, Number: last[0].Number + 1, ClientID: here.Member.ClientID, AccountID: here.Member.ID, Form: o.Form,
			State: store.OrderNew, Total: 3 * k.Price, PlacedAt: store.At(p.clock.now()),
		}
		if o != want {
			t.Errorf("%+v, want %+v", o, want)
		}
		detail, err := p.OwnOrder(t.Context(), here, o.ID, "zh")
		noError(t, err)
		if l := detail.Lines[0]; len(detail.Lines) != 1 || l.ProductID != k.ID || l.Quantity != 3 || l.Price != k.Price || l.Sample != "" || detail.PlacedBy != here.Member.Name || detail.ConfirmedBy != "" {
			t.Errorf("%+v", detail)
		}
		if p.stock(1001, k.ID) != k.Stock-3 || p.events(1001, "order_placed") != 1 {
			t.Errorf("%d of %d are left", p.stock(1001, k.ID), k.Stock)
		}
	})
}

func TestAnOrderIsOfAWholeQuantityThatThereIs(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here, k := p.landed("buyer1", phoneScreen), p.product(1001)
		k.Stock, k.Sample = 4, ""
		few, err := p.db.AddProduct(t.Context(), k)
		noError(t, err)
		k.Stock = 2 * portal.MaxQuantity
		many, err := p.db.AddProduct(t.Context(), k)
		noError(t, err)
		before := p.rows()
		for _, quantity := range []string{"", "0", "-1", "1.5", "1e2", "0x2", "two", "3;4", "99999999999999999999", "4294967297", fmt.Sprint(portal.MaxQuantity + 1), "１"} {
			_, err := p.order(here, many, quantity, portal.NewForm())
			field(t, err, "quantity", portal.QuantityRequired)
		}
		_, err = p.order(here, few, "5", portal.NewForm())
		field(t, err, "quantity", portal.StockShort)
		if p.rows() != before {
			t.Error("something was written")
		}
		_, err = p.order(here, many, fmt.Sprint(portal.MaxQuantity), portal.NewForm())
		noError(t, err)
		_, err = p.order(here, few, "4", portal.NewForm())
		noError(t, err)
		_, err = p.order(here, few, "1", portal.NewForm())
		field(t, err, "quantity", portal.StockShort)
	})
}

func TestTheLastGoodsAreSoldOnce(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		here, k := p.landed("buyer1", phoneScreen), p.product(1001)
		k.Stock, k.Sample = 7, ""
		id, err := p.db.AddProduct(t.Context(), k)
		noError(t, err)
		var sold atomic.Int32
		numbers := map[int64]bool{}
		var mu sync.Mutex
		together(12, func(int) {
			o, err := p.order(here, id, "2", portal.NewForm())
			if err != nil {
				field(t, err, "quantity", portal.StockShort)
				return
			}
			sold.Add(1)
			mu.Lock()
			defer mu.Unlock()
			numbers[o.Number] = true
		})
		if sold.Load() != 3 || len(numbers) != 3 || p.stock(1001, id) != 1 {
			t.Errorf("%d orders, %d numbers, %d left", sold.Load(), len(numbers), p.stock(1001, id))
		}
		all, err := p.db.Orders(t.Context(), 1001, 1<<30, 1000)
		noError(t, err)
		if all[0].Number != int64(len(all)) {
			t.Errorf("%d orders go up to number %d", len(all), all[0].Number)
		}
	})
}

func TestTheSameQuantityAgainIsAskedAboutFirst(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here, k := p.landed("buyer1", phoneScreen), p.product(1001)
		order := func(here portal.Landing, quantity string) error {
			_, err := p.PlaceOrder(p.from(homeAddress), here, portal.OrderInput{ProductID: k.ID, Quantity: quantity, Form: portal.NewForm()})
			return err
		}
		noError(t, order(here, "2"))
		asked := refused(t, order(here, "2"), portal.ValidationFailed)
		if asked.Fields["quantity"] != portal.OrderedJustNow || p.stock(1001, k.ID) != k.Stock-2 || p.events(1001, "order_placed") != 1 {
			t.Errorf("%v, %d of %d are left", asked.Fields, p.stock(1001, k.ID), k.Stock)
		}
		noError(t, order(here, "3"))                             // another quantity is another order
		noError(t, order(p.landed("li.shop", phoneScreen), "2")) // and so is another's
		_, err := p.order(here, k.ID, "2", portal.NewForm())     // and one that is meant
		noError(t, err)
		p.clock.advance(portal.OrderedAgain)
		noError(t, order(here, "2"))
		if p.stock(1001, k.ID) != k.Stock-11 {
			t.Errorf("%d of %d are left", p.stock(1001, k.ID), k.Stock)
		}
	})
}

// seen returns the tag of a product of 1001 in the catalogue.
func (p *platform) seen(here portal.Landing, product int64, lang string) string {
	p.t.Helper()
	all, err := p.Catalogue(p.t.Context(), here, lang)
	noError(p.t, err)
	for _, category := range all {
		for _, k := range category.Products {
			if k.ID == product {
				return k.Seen
			}
		}
	}
	p.t.Fatalf("product %d is not sold", product)
	return ""
}

func TestAnOrderIsPlacedAtThePriceThatWasSeen(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here, k := p.landed("buyer1", phoneScreen), p.product(1001)
		order := func(seen, form string) (store.Order, error) {
			return p.PlaceOrder(p.from(homeAddress), here, portal.OrderInput{ProductID: k.ID, Quantity: "2",
				Form: form, Seen: seen, Again: true})
		}
		seen, form := p.seen(here, k.ID, "zh"), portal.NewForm()
		if p.seen(here, k.ID, "es") != seen {
			t.Error("the language changes what was seen")
		}
		placed, err := order(seen, form)
		noError(t, err)
		storetest.Exec(t, p.db, fmt.Sprintf("UPDATE products SET price = price * 10 WHERE id = %d", k.ID))
		if again, err := order(seen, form); err != nil || again.ID != placed.ID { // its answer was lost
			t.Errorf("%d, %v", again.ID, err)
		}
		before := p.rows()
		_, err = order(seen, portal.NewForm())
		field(t, err, "seen", portal.PriceChanged)
		_, err = order("something else", portal.NewForm())
		field(t, err, "seen", portal.ProductChanged)
		if p.rows() != before || p.stock(1001, k.ID) != k.Stock-2 {
			t.Error("something was written")
		}
		now := p.seen(here, k.ID, "zh")
		if was, ok := portal.PriceSeen(seen); !ok || was != k.Price {
			t.Errorf("the tag has the price %d, want %d", was, k.Price)
		}
		placed, err = order(now, portal.NewForm())
		if err != nil || placed.Total != 20*k.Price {
			t.Errorf("%d, %v", placed.Total, err)
		}
		_, err = order("", portal.NewForm()) // without a tag nothing is compared
		noError(t, err)
		for _, column := range []string{"name", "spec", "unit"} {
			seen := p.seen(here, k.ID, "zh")
			set := "sample = '', price = price + 1, " + column + " = 'another'"
			storetest.Exec(t, p.db, fmt.Sprintf("UPDATE products SET %s WHERE id = %d", set, k.ID))
			_, err := order(seen, portal.NewForm())
			field(t, err, "seen", portal.ProductChanged)
		}
	})
}

func TestAnOrderIsAskedAboutForItsPriceAndItsRepetitionAtOnce(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here, k := p.landed("buyer1", phoneScreen), p.product(1001)
		seen := p.seen(here, k.ID, "zh")
		order := func(in portal.OrderInput) error {
			in.ProductID, in.Quantity, in.Form = k.ID, "2", portal.NewForm()
			_, err := p.PlaceOrder(p.from(homeAddress), here, in)
			return err
		}
		noError(t, order(portal.OrderInput{Seen: seen}))
		storetest.Exec(t, p.db, fmt.Sprintf("UPDATE products SET price = 1 WHERE id = %d", k.ID))
		now := p.seen(here, k.ID, "zh")
		for _, c := range []struct {
			in    portal.OrderInput
			asked portal.Fields
		}{
			{portal.OrderInput{Seen: seen}, portal.Fields{"seen": portal.PriceChanged,
				"quantity": portal.OrderedJustNow}},
			{portal.OrderInput{Seen: seen, Again: true}, portal.Fields{"seen": portal.PriceChanged}},
			{portal.OrderInput{Seen: now}, portal.Fields{"quantity": portal.OrderedJustNow}},
		} {
			if with := refused(t, order(c.in), portal.ValidationFailed); !maps.Equal(with.Fields, c.asked) {
				t.Errorf("%+v: %v", c.in, with.Fields)
			}
		}
		noError(t, order(portal.OrderInput{Seen: now, Again: true}))
		if p.events(1001, "order_placed") != 2 {
			t.Errorf("%d orders", p.events(1001, "order_placed"))
		}
	})
}

func TestAFormPlacesOneOrderHoweverOftenItIsSent(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		here, k, form := p.landed("buyer1", phoneScreen), p.product(1001), portal.NewForm()
		before := p.counted("attempts")
		var mu sync.Mutex
		ids := map[int64]int{}
		together(20, func(int) {
			o, err := p.order(here, k.ID, "2", form)
			if err != nil {
				t.Errorf("%v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[o.ID]++
		})
		if len(ids) != 1 || p.stock(1001, k.ID) != k.Stock-2 || p.events(1001, "order_placed") != 1 || p.counted("attempts") == before {
			t.Errorf("orders %v, %d of %d are left", ids, p.stock(1001, k.ID), k.Stock)
		}
		colleague, err := p.order(p.landed("li.shop", phoneScreen), k.ID, "2", form) // another account's form is another one
		if err != nil || ids[colleague.ID] != 0 {
			t.Errorf("%d, %v", colleague.ID, err)
		}
		for range 2 { // without one each is an order
			if _, err = p.order(here, k.ID, "1", ""); err != nil {
				t.Errorf("%v", err)
			}
		}
		if p.stock(1001, k.ID) != k.Stock-6 {
			t.Errorf("%d of %d are left", p.stock(1001, k.ID), k.Stock)
		}
	})
}

func TestAProductOfAnotherCompanyIsNotSold(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here, office := p.landed("buyer1", phoneScreen), p.landed("jinsui", phoneScreen)
		foreign := p.product(1002)
		before := p.rows()
		for _, id := range []int64{foreign.ID, 0, -1, 1 << 40} {
			_, err := p.order(here, id, "1", portal.NewForm())
			field(t, err, "product_id", portal.ProductGone)
		}
		_, err := p.order(office, p.product(1001).ID, "1", portal.NewForm())
		refused(t, err, portal.NotFound)
		if p.rows() != before {
			t.Error("something was written")
		}
		mine, err := p.order(here, p.product(1001).ID, "1", portal.NewForm())
		noError(t, err)
		_, err = p.OwnOrder(t.Context(), p.at(p.customerOf(1001)), mine.ID, "zh") // another customer of the company
		refused(t, err, portal.NotFound)
		_, err = p.OwnOrder(t.Context(), p.landed("li.lights", phoneScreen), mine.ID, "zh")
		refused(t, err, portal.NotFound)
		samples, err := p.db.Orders(t.Context(), 1001, mine.Number, portal.OrdersShown)
		noError(t, err)
		for _, o := range samples {
			if o.ClientID != here.Member.ClientID {
				_, err = p.OwnOrder(t.Context(), here, o.ID, "zh")
				refused(t, err, portal.NotFound)
			}
		}
		if detail, err := p.OwnOrder(t.Context(), p.landed("li.shop", phoneScreen), mine.ID, "zh"); err != nil || detail.PlacedBy != here.Member.Name {
			t.Errorf("a colleague of the same customer sees %+v, %v", detail, err)
		}
	})
}

func TestAnAccountWithoutACustomerOrdersNothing(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.addAccount("nobody.shop", 1001, store.Shop, "")
		before := p.rows()
		_, err := p.order(p.at(m), p.product(1001).ID, "1", portal.NewForm())
		refused(t, err, portal.DataAbnormal)
		if p.rows() != before {
			t.Error("something was written")
		}
	})
}

func TestWhoeverIsBlockedMeanwhileIsTakenOffTheShop(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		destination := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", phoneScreen)
		landed, err := p.redeem(destination, "")
		noError(t, err)
		p.setAccountState("buyer1", store.AccountDisabled)
		_, err = p.landing(destination, landed.Token)
		refused(t, err, portal.AccountDisabled)
		p.setAccountState("buyer1", store.AccountActive)
		_, err = p.landing(destination, landed.Token)
		refused(t, err, portal.LoginRequired)
	})
}

func TestTheCatalogueShowsWhatIsSoldAndLeavesOutEmptyCategories(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx, m := t.Context(), p.founded("es")
		full, err := p.db.AddCategory(ctx, store.Category{CompanyID: m.CompanyID, Name: "Conservas"})
		noError(t, err)
		_, err = p.db.AddCategory(ctx, store.Category{CompanyID: m.CompanyID, Name: "Vacía"})
		noError(t, err)
		for _, name := range []string{"Mejillones", "Berberechos"} {
			_, err = p.db.AddProduct(ctx, store.Product{CompanyID: m.CompanyID, CategoryID: full, Name: name, Spec: "24 latas", Unit: "caja", Price: 100, Stock: 0})
			noError(t, err)
		}
		all, err := p.Catalogue(ctx, p.at(m), "zh")
		if err != nil || len(all) != 1 || all[0].Name != "Conservas" || len(all[0].Products) != 2 || all[0].Products[0].Name != "Mejillones" || all[0].Products[0].Unit != "caja" {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestALongListOfOrdersIsReadPageByPage(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.founded("zh")
		shop := p.customerOf(m.CompanyID)
		category, err := p.db.AddCategory(t.Context(), store.Category{CompanyID: m.CompanyID, Name: "x"})
		noError(t, err)
		product, err := p.db.AddProduct(t.Context(), store.Product{CompanyID: m.CompanyID, CategoryID: category, Name: "x", Price: 1, Stock: 1000})
		noError(t, err)
		pages := func(read func(before int64) (portal.OrderList, error)) (numbers []int64, pages int) {
			for before := int64(0); ; {
				list, err := read(before)
				noError(t, err)
				pages++
				for _, o := range list.Orders {
					numbers = append(numbers, o.Number)
				}
				if before = list.Older; before == 0 {
					return numbers, pages
				}
			}
		}
		for i := range int64(2*portal.OrdersShown + 1) {
			_, err := p.order(p.at(shop), product, "1", "")
			noError(t, err)
			if n := i + 1; n != portal.OrdersShown && n != portal.OrdersShown+1 && n != 2*portal.OrdersShown+1 {
				continue
			}
			for name, read := range map[string]func(int64) (portal.OrderList, error){
				"own": func(before int64) (portal.OrderList, error) {
					return p.OwnOrders(t.Context(), p.at(shop), before, "zh")
				},
				"the company": func(before int64) (portal.OrderList, error) {
					return p.CompanyOrders(t.Context(), p.at(m), before, "zh")
				},
			} {
				numbers, count := pages(read)
				slices.Reverse(numbers)
				if want := int(i/portal.OrdersShown) + 1; count != want || int64(len(numbers)) != i+1 || numbers[0] != 1 || !slices.IsSorted(numbers) {
					t.Errorf("%s: %d orders on %d pages, want %d on %d", name, len(numbers), count, i+1, want)
				}
			}
		}
	})
}
