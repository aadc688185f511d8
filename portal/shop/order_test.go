package shop_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/shop"
	"portico/store"
	"portico/store/storetest"
)

func TestAnOrderReducesTheStock(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Land("buyer1", portaltest.PhoneScreen)
		k := companytest.FirstProduct(p, 1001)
		last, err := p.DB.Orders.OfCompany(t.Context(), 1001, 1<<30, 1)
		portaltest.NoError(t, err)
		o, err := companytest.PlaceOrder(p, here, k.ID, " 3 ", shop.NewForm())
		portaltest.NoError(t, err)
		want := store.Order{
			ID: o.ID, CompanyID: 1001, Number: last[0].Number + 1, ClientID: here.Member.ClientID,
			AccountID: here.Member.ID, Form: o.Form,
			State: store.OrderNew, Total: 3 * k.Price, PlacedAt: store.At(p.Clock.Now()),
		}
		if o != want {
			t.Errorf("%+v, want %+v", o, want)
		}
		detail, err := p.Shop.OwnOrder(t.Context(), here, o.ID, "zh")
		portaltest.NoError(t, err)
		if l := detail.Lines[0]; len(detail.Lines) != 1 || l.ProductID != k.ID || l.Quantity != 3 ||
			l.Price != k.Price || l.Sample != "" || detail.PlacedBy != here.Member.Name || detail.ConfirmedBy != "" {
			t.Errorf("%+v", detail)
		}
		if companytest.Stock(p, 1001, k.ID) != k.Stock-3 || p.CountEvents(1001, "order_placed") != 1 {
			t.Errorf("%d of %d are left", companytest.Stock(p, 1001, k.ID), k.Stock)
		}
	})
}

func TestAnOrderNeedsAWholeQuantityThatIsInStock(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, k := p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001)
		k.Stock, k.Sample = 4, ""
		few, err := p.DB.Catalogue.AddProduct(t.Context(), k)
		portaltest.NoError(t, err)
		k.Stock = 20_000
		many, err := p.DB.Catalogue.AddProduct(t.Context(), k)
		portaltest.NoError(t, err)
		before := p.DumpRows()
		for _, quantity := range []string{
			"", "0", "-1", "1.5", "1e2", "0x2", "two", "3;4", "99999999999999999999", "4294967297",
			"10000", "１",
		} {
			_, err := companytest.PlaceOrder(p, here, many, quantity, shop.NewForm())
			portaltest.WantField(t, err, "quantity", access.QuantityRequired)
		}
		_, err = companytest.PlaceOrder(p, here, few, "5", shop.NewForm())
		portaltest.WantField(t, err, "quantity", access.StockShort)
		if p.DumpRows() != before {
			t.Error("something was written")
		}
		_, err = companytest.PlaceOrder(p, here, many, "9999", shop.NewForm())
		portaltest.NoError(t, err)
		_, err = companytest.PlaceOrder(p, here, few, "4", shop.NewForm())
		portaltest.NoError(t, err)
		_, err = companytest.PlaceOrder(p, here, few, "1", shop.NewForm())
		portaltest.WantField(t, err, "quantity", access.StockShort)
	})
}

func TestTheLastItemsAreSoldOnce(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		here, k := p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001)
		k.Stock, k.Sample = 7, ""
		id, err := p.DB.Catalogue.AddProduct(t.Context(), k)
		portaltest.NoError(t, err)
		var sold atomic.Int32
		numbers := map[int64]bool{}
		var mu sync.Mutex
		portaltest.Together(12, func(int) {
			o, err := companytest.PlaceOrder(p, here, id, "2", shop.NewForm())
			if err != nil {
				portaltest.WantField(t, err, "quantity", access.StockShort)
				return
			}
			sold.Add(1)
			mu.Lock()
			defer mu.Unlock()
			numbers[o.Number] = true
		})
		if sold.Load() != 3 || len(numbers) != 3 || companytest.Stock(p, 1001, id) != 1 {
			t.Errorf("%d orders, %d numbers, %d left", sold.Load(), len(numbers), companytest.Stock(p, 1001, id))
		}
		all, err := p.DB.Orders.OfCompany(t.Context(), 1001, 1<<30, 1000)
		portaltest.NoError(t, err)
		if all[0].Number != int64(len(all)) {
			t.Errorf("%d orders go up to number %d", len(all), all[0].Number)
		}
	})
}

func TestARepeatedQuantityNeedsAConfirmation(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, k := p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001)
		order := func(here access.Landing, quantity string) error {
			_, err := p.Shop.PlaceOrder(p.From(portaltest.HomeAddress), here, shop.OrderInput{
				ProductID: k.ID, Quantity: quantity, Form: shop.NewForm(),
			})
			return err
		}
		portaltest.NoError(t, order(here, "2"))
		asked := portaltest.Refused(t, order(here, "2"), access.ValidationFailed)
		if asked.Fields["quantity"] != access.OrderedJustNow || companytest.Stock(p, 1001, k.ID) != k.Stock-2 ||
			p.CountEvents(1001, "order_placed") != 1 {
			t.Errorf("%v, %d of %d are left", asked.Fields, companytest.Stock(p, 1001, k.ID), k.Stock)
		}
		// another quantity is another order
		portaltest.NoError(t, order(here, "3"))
		portaltest.NoError(t, order(p.Land("li.shop", portaltest.PhoneScreen), "2")) // and so is another's
		_, err := companytest.PlaceOrder(p, here, k.ID, "2", shop.NewForm())         // and one that is meant
		portaltest.NoError(t, err)
		p.Clock.Advance(5*time.Minute - time.Millisecond)
		portaltest.WantField(t, order(here, "2"), "quantity", access.OrderedJustNow)
		p.Clock.Advance(time.Millisecond)
		portaltest.NoError(t, order(here, "2"))
		if companytest.Stock(p, 1001, k.ID) != k.Stock-11 {
			t.Errorf("%d of %d are left", companytest.Stock(p, 1001, k.ID), k.Stock)
		}
	})
}

func TestAnOrderIsPlacedOnlyAtThePriceThatWasShown(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, k := p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001)
		order := func(seen, form string) (store.Order, error) {
			return p.Shop.PlaceOrder(p.From(portaltest.HomeAddress), here, shop.OrderInput{
				ProductID: k.ID, Quantity: "2",
				Form: form, Seen: seen, Again: true,
			})
		}
		seen, form := seenTag(p, here, k.ID, "zh"), shop.NewForm()
		if seenTag(p, here, k.ID, "es") != seen {
			t.Error("the language changes what was seen")
		}
		placed, err := order(seen, form)
		portaltest.NoError(t, err)
		storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE products SET price = price * 10 WHERE id = %d", k.ID))
		if again, err := order(seen, form); err != nil || again.ID != placed.ID { // its answer was lost
			t.Errorf("%d, %v", again.ID, err)
		}
		before := p.DumpRows()
		_, err = order(seen, shop.NewForm())
		portaltest.WantField(t, err, "seen", access.PriceChanged)
		_, err = order("something else", shop.NewForm())
		portaltest.WantField(t, err, "seen", access.ProductChanged)
		if p.DumpRows() != before || companytest.Stock(p, 1001, k.ID) != k.Stock-2 {
			t.Error("something was written")
		}
		now := seenTag(p, here, k.ID, "zh")
		if was, ok := shop.PriceSeen(seen); !ok || was != k.Price {
			t.Errorf("the tag has the price %d, want %d", was, k.Price)
		}
		placed, err = order(now, shop.NewForm())
		if err != nil || placed.Total != 20*k.Price {
			t.Errorf("%d, %v", placed.Total, err)
		}
		_, err = order("", shop.NewForm()) // without a tag nothing is compared
		portaltest.NoError(t, err)
		for _, column := range []string{"name", "spec", "unit"} {
			seen := seenTag(p, here, k.ID, "zh")
			set := "sample = '', price = price + 1, " + column + " = 'another'"
			storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE products SET %s WHERE id = %d", set, k.ID))
			_, err := order(seen, shop.NewForm())
			portaltest.WantField(t, err, "seen", access.ProductChanged)
		}
	})
}

func TestAChangedPriceAndARepeatedQuantityNeedOneConfirmation(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, k := p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001)
		seen := seenTag(p, here, k.ID, "zh")
		order := func(in shop.OrderInput) error {
			in.ProductID, in.Quantity, in.Form = k.ID, "2", shop.NewForm()
			_, err := p.Shop.PlaceOrder(p.From(portaltest.HomeAddress), here, in)
			return err
		}
		portaltest.NoError(t, order(shop.OrderInput{Seen: seen}))
		storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE products SET price = 1 WHERE id = %d", k.ID))
		now := seenTag(p, here, k.ID, "zh")
		for _, c := range []struct {
			in    shop.OrderInput
			asked access.Fields
		}{
			{shop.OrderInput{Seen: seen}, access.Fields{"seen": access.PriceChanged,
				"quantity": access.OrderedJustNow}},
			{shop.OrderInput{Seen: seen, Again: true}, access.Fields{"seen": access.PriceChanged}},
			{shop.OrderInput{Seen: now}, access.Fields{"quantity": access.OrderedJustNow}},
		} {
			if with := portaltest.Refused(t, order(c.in), access.ValidationFailed); !maps.Equal(with.Fields, c.asked) {
				t.Errorf("%+v: %v", c.in, with.Fields)
			}
		}
		portaltest.NoError(t, order(shop.OrderInput{Seen: now, Again: true}))
		if p.CountEvents(1001, "order_placed") != 2 {
			t.Errorf("%d orders", p.CountEvents(1001, "order_placed"))
		}
	})
}

func TestSendingAFormAgainPlacesNoSecondOrder(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		here, k, form := p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001), shop.NewForm()
		before := p.CountRows("attempts")
		var mu sync.Mutex
		ids := map[int64]int{}
		portaltest.Together(20, func(int) {
			o, err := companytest.PlaceOrder(p, here, k.ID, "2", form)
			if err != nil {
				t.Errorf("%v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[o.ID]++
		})
		if len(ids) != 1 || companytest.Stock(p, 1001, k.ID) != k.Stock-2 || p.CountEvents(1001, "order_placed") != 1 ||
			p.CountRows("attempts") == before {
			t.Errorf("orders %v, %d of %d are left", ids, companytest.Stock(p, 1001, k.ID), k.Stock)
		}
		// another account's form is another one
		colleague, err := companytest.PlaceOrder(p, p.Land("li.shop", portaltest.PhoneScreen), k.ID, "2", form)
		if err != nil || ids[colleague.ID] != 0 {
			t.Errorf("%d, %v", colleague.ID, err)
		}
		for range 2 { // without one each is an order
			if _, err = companytest.PlaceOrder(p, here, k.ID, "1", ""); err != nil {
				t.Errorf("%v", err)
			}
		}
		if companytest.Stock(p, 1001, k.ID) != k.Stock-6 {
			t.Errorf("%d of %d are left", companytest.Stock(p, 1001, k.ID), k.Stock)
		}
	})
}

func TestAProductOfAnotherCompanyIsNotSold(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, office := p.Land("buyer1", portaltest.PhoneScreen), p.Land("jinsui", portaltest.PhoneScreen)
		foreign := companytest.FirstProduct(p, 1002)
		before := p.DumpRows()
		for _, id := range []int64{foreign.ID, 0, -1, 1 << 40} {
			_, err := companytest.PlaceOrder(p, here, id, "1", shop.NewForm())
			portaltest.WantField(t, err, "product_id", access.ProductGone)
		}
		_, err := companytest.PlaceOrder(p, office, companytest.FirstProduct(p, 1001).ID, "1", shop.NewForm())
		portaltest.Refused(t, err, access.NotFound)
		if p.DumpRows() != before {
			t.Error("something was written")
		}
		mine, err := companytest.PlaceOrder(p, here, companytest.FirstProduct(p, 1001).ID, "1", shop.NewForm())
		portaltest.NoError(t, err)
		// another customer of the company
		_, err = p.Shop.OwnOrder(t.Context(), p.LandingFor(companytest.AddCustomer(p, 1001)), mine.ID, "zh")
		portaltest.Refused(t, err, access.NotFound)
		_, err = p.Shop.OwnOrder(t.Context(), p.Land("li.lights", portaltest.PhoneScreen), mine.ID, "zh")
		portaltest.Refused(t, err, access.NotFound)
		samples, err := p.DB.Orders.OfCompany(t.Context(), 1001, mine.Number, shop.OrdersShown)
		portaltest.NoError(t, err)
		for _, o := range samples {
			if o.ClientID != here.Member.ClientID {
				_, err = p.Shop.OwnOrder(t.Context(), here, o.ID, "zh")
				portaltest.Refused(t, err, access.NotFound)
			}
		}
		if detail, err := p.Shop.OwnOrder(
			t.Context(), p.Land("li.shop", portaltest.PhoneScreen), mine.ID, "zh",
		); err != nil || detail.PlacedBy != here.Member.Name {
			t.Errorf("a colleague of the same customer sees %+v, %v", detail, err)
		}
	})
}

func TestAnAccountWithoutACustomerOrdersNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddAccount(p, "nobody.shop", 1001, store.Shop, "")
		before := p.DumpRows()
		_, err := companytest.PlaceOrder(p, p.LandingFor(m), companytest.FirstProduct(p, 1001).ID, "1", shop.NewForm())
		portaltest.Refused(t, err, access.DataAbnormal)
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}

func TestAnAccountBlockedMeanwhileIsSignedOutOfTheShop(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		destination := p.Enter(
			p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1", portaltest.PhoneScreen,
		)
		landed, err := p.Redeem(destination, "")
		portaltest.NoError(t, err)
		p.SetAccountState("buyer1", store.AccountDisabled)
		_, err = p.LandingAt(destination, landed.Token)
		portaltest.Refused(t, err, access.AccountDisabled)
		p.SetAccountState("buyer1", store.AccountActive)
		_, err = p.LandingAt(destination, landed.Token)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestTheCatalogueShowsOnlyProductsOnSaleAndNonEmptyCategories(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx, m := t.Context(), companytest.AddCompany(p, "es")
		full, err := p.DB.Catalogue.AddCategory(ctx, store.Category{CompanyID: m.CompanyID, Name: "Conservas"})
		portaltest.NoError(t, err)
		_, err = p.DB.Catalogue.AddCategory(ctx, store.Category{CompanyID: m.CompanyID, Name: "Vacía"})
		portaltest.NoError(t, err)
		for _, name := range []string{"Mejillones", "Berberechos"} {
			_, err = p.DB.Catalogue.AddProduct(ctx, store.Product{
				CompanyID: m.CompanyID, CategoryID: full, Name: name, Spec: "24 latas", Unit: "caja", Price: 100,
				Stock: 0,
			})
			portaltest.NoError(t, err)
		}
		page, err := p.Shop.Catalogue(ctx, p.LandingFor(m), shop.CatalogueInput{}, "zh")
		all := page.Groups
		if err != nil || len(all) != 1 || all[0].Name != "Conservas" || len(all[0].Products) != 2 ||
			all[0].Products[0].Name != "Mejillones" || all[0].Products[0].Unit != "caja" {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestALongListOfOrdersIsReadPageByPage(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		buyer := companytest.AddCustomer(p, m.CompanyID)
		category, err := p.DB.Catalogue.AddCategory(t.Context(), store.Category{CompanyID: m.CompanyID, Name: "x"})
		portaltest.NoError(t, err)
		product, err := p.DB.Catalogue.AddProduct(t.Context(), store.Product{
			CompanyID: m.CompanyID, CategoryID: category, Name: "x", Price: 1, Stock: 1000,
		})
		portaltest.NoError(t, err)
		pages := func() (numbers []int64, pages int) {
			for before := int64(0); ; {
				list, err := p.Shop.OwnOrders(t.Context(), p.LandingFor(buyer), before)
				portaltest.NoError(t, err)
				pages++
				for _, o := range list.Orders {
					numbers = append(numbers, o.Number)
				}
				if before = list.Older; before == 0 {
					return numbers, pages
				}
			}
		}
		for i := range int64(2*shop.OrdersShown + 1) {
			_, err := companytest.PlaceOrder(p, p.LandingFor(buyer), product, "1", "")
			portaltest.NoError(t, err)
			if n := i + 1; n != shop.OrdersShown && n != shop.OrdersShown+1 && n != 2*shop.OrdersShown+1 {
				continue
			}
			numbers, count := pages()
			slices.Reverse(numbers)
			if want := int(i/shop.OrdersShown) + 1; count != want || int64(len(numbers)) != i+1 ||
				numbers[0] != 1 || !slices.IsSorted(numbers) {
				t.Errorf("%d orders on %d pages, want %d on %d", len(numbers), count, i+1, want)
			}
		}
	})
}

// seenTag returns the tag of a product in the catalogue of company 1001. It fails the test if the product is not sold.
func seenTag(p *portaltest.Platform, here access.Landing, product int64, lang string) string {
	p.T.Helper()
	page, err := p.Shop.Catalogue(p.T.Context(), here, shop.CatalogueInput{}, lang)
	portaltest.NoError(p.T, err)
	for _, category := range page.Groups {
		for _, k := range category.Products {
			if k.ID == product {
				return k.Seen
			}
		}
	}
	p.T.Fatalf("product %d is not sold", product)
	return ""
}
