package shop_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/shop"
	"portico/store"
	"portico/store/storetest"
)

// newProducts adds products of 100, 200, … cents to company 1001, 10 of each in stock, and returns their ids.
func newProducts(p *portaltest.Platform, n int) (ids []int64) {
	p.T.Helper()
	first := companytest.FirstProduct(p, 1001)
	for i := range n {
		id, err := p.DB.Catalogue.AddProduct(p.T.Context(), store.Product{
			CompanyID: 1001, CategoryID: first.CategoryID, Name: fmt.Sprint("Product ", i+1), Unit: "bag",
			Price: int64(100 * (i + 1)), Stock: 10,
		})
		portaltest.NoError(p.T, err)
		ids = append(ids, id)
	}
	return ids
}

// fill puts quantities into the cart. It fails the test if they are refused.
func fill(p *portaltest.Platform, here access.Landing, typed map[int64]string) {
	p.T.Helper()
	portaltest.NoError(p.T, p.Shop.ChangeCart(p.T.Context(), here, shop.CartInput{Typed: typed}))
}

// cartOf reads the cart. It fails the test if it cannot be read.
func cartOf(p *portaltest.Platform, here access.Landing) shop.Cart {
	p.T.Helper()
	cart, err := p.Shop.Cart(p.T.Context(), here, "zh")
	portaltest.NoError(p.T, err)
	return cart
}

// formOf is the form of a cart as its page shows it.
func formOf(c shop.Cart) shop.CartOrderInput {
	in := shop.CartOrderInput{Form: c.Form, Typed: map[int64]string{}, Seen: map[int64]string{}}
	for _, l := range c.Lines {
		in.Typed[l.ID], in.Seen[l.ID] = access.Decimal(l.Quantity), l.Seen
	}
	return in
}

func TestACartKeepsItsProductsForTheAccountOnEveryDevice(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, ids := p.Land("buyer1", portaltest.PhoneScreen), newProducts(p, 3)
		fill(p, here, map[int64]string{ids[0]: "2"})
		fill(p, here, map[int64]string{ids[1]: "3", ids[0]: ""}) // an empty field changes nothing
		for range 2 {                                            // sent twice
			portaltest.NoError(t, p.Shop.ChangeCart(t.Context(), here, shop.CartInput{
				Typed: map[int64]string{ids[0]: "2"}, More: ids[0],
			}))
		}
		portaltest.NoError(t, p.Shop.ChangeCart(t.Context(), here, shop.CartInput{Less: ids[2]}))
		note := "before ten"
		portaltest.NoError(t, p.Shop.ChangeCart(t.Context(), here, shop.CartInput{Less: ids[1], Note: &note}))
		cart := cartOf(p, p.Land("buyer1", portaltest.PhoneScreen))
		if len(cart.Lines) != 2 || cart.Lines[0].ID != ids[0] || cart.Lines[0].Quantity != 3 ||
			cart.Lines[1].Quantity != 2 || cart.Total() != 700 || cart.Note != note || cart.Form == "" {
			t.Errorf("%+v", cart)
		}
		if other := cartOf(p, p.Land("li.shop", portaltest.PhoneScreen)); len(other.Lines) != 0 {
			t.Errorf("another account has %+v", other.Lines)
		}
		portaltest.NoError(t, p.Shop.ChangeCart(t.Context(), here, shop.CartInput{Remove: ids[0]}))
		fill(p, here, map[int64]string{ids[1]: "0"})
		if n, err := p.Shop.CountCart(t.Context(), here); err != nil || n != 0 {
			t.Errorf("%d are left, %v", n, err)
		}
	})
}

func TestACartRefusesWhatCannotBeOrderedAndKeepsTheRest(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, ids := p.Land("buyer1", portaltest.PhoneScreen), newProducts(p, 101)
		fill(p, here, map[int64]string{ids[0]: "2"})
		storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE products SET state = 'off' WHERE id = %d", ids[1]))
		foreign, before := companytest.FirstProduct(p, 1002), p.DumpRows()
		for _, c := range []struct {
			id      int64
			typed   string
			problem access.Problem
		}{
			{ids[0], "11", access.StockShort}, {ids[0], "x", access.QuantityRequired},
			{ids[0], "-1", access.QuantityRequired}, {ids[0], "10000", access.QuantityRequired},
			{ids[0], "1.5", access.QuantityRequired}, {ids[1], "1", access.ProductGone},
			{foreign.ID, "1", access.ProductGone}, {1 << 40, "1", access.ProductGone},
		} {
			err := p.Shop.ChangeCart(t.Context(), here, shop.CartInput{
				Typed: map[int64]string{c.id: c.typed, ids[2]: "1"},
			})
			portaltest.WantField(t, err, shop.QuantityField(c.id), c.problem)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
		all := map[int64]string{}
		for _, id := range ids[2:] {
			all[id] = "1"
		}
		fill(p, here, all)
		if n, _ := p.Shop.CountCart(t.Context(), here); n != 100 {
			t.Fatalf("%d lines", n)
		}
		more := newProducts(p, 1)[0]
		err := p.Shop.ChangeCart(t.Context(), here, shop.CartInput{More: more})
		portaltest.WantField(t, err, shop.QuantityField(more), shop.CartFull)
	})
}

func TestANoteHasAtMostThreeHundredCharacters(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, ids := p.Land("buyer1", portaltest.PhoneScreen), newProducts(p, 1)
		fill(p, here, map[int64]string{ids[0]: "1"})
		longest := strings.Repeat("长", 300)
		longer := longest + "长"
		change := func(note string) error {
			return p.Shop.ChangeCart(t.Context(), here, shop.CartInput{Note: &note})
		}
		portaltest.NoError(t, change(longest))
		portaltest.WantField(t, change(longer), "note", access.TextMalformed)
		in := formOf(cartOf(p, here))
		in.Note = longer
		_, err := p.Shop.OrderCart(t.Context(), here, in)
		portaltest.WantField(t, err, "note", access.TextMalformed)
		in.Note = longest
		_, err = p.Shop.OrderCart(t.Context(), here, in)
		portaltest.NoError(t, err)
	})
}

func TestACartThatNobodyChangesIsKeptForOneHundredEightyDays(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Land("buyer1", portaltest.PhoneScreen)
		fill(p, here, map[int64]string{newProducts(p, 1)[0]: "1"})
		wantLines := func(want int) {
			t.Helper()
			portaltest.NoError(t, p.Sweep(t.Context()))
			if n, err := p.Shop.CountCart(t.Context(), here); err != nil || n != want {
				t.Errorf("%d lines, want %d, %v", n, want, err)
			}
		}
		p.Clock.Advance(180*24*time.Hour - time.Millisecond)
		wantLines(1)
		p.Clock.Advance(time.Millisecond)
		wantLines(0)
	})
}

func TestACartIsOrderedAtOnceAndOnce(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		here, ids := p.Land("buyer1", portaltest.PhoneScreen), newProducts(p, 5)
		typed := map[int64]string{}
		for _, id := range ids {
			typed[id] = "2"
		}
		fill(p, here, typed)
		in := formOf(cartOf(p, here))
		in.Note, in.Typed[ids[4]] = "ring twice", "3"
		var mu sync.Mutex
		placed := map[int64]store.Order{}
		portaltest.Together(8, func(int) {
			o, err := p.Shop.OrderCart(p.From(portaltest.HomeAddress), here, in)
			if err != nil {
				t.Errorf("%v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			placed[o.ID] = o
		})
		if len(placed) != 1 || p.CountEvents(1001, "order_placed") != 1 {
			t.Fatalf("%d orders", len(placed))
		}
		for id := range placed {
			detail, err := p.Shop.OwnOrder(t.Context(), here, id, "zh")
			portaltest.NoError(t, err)
			if len(detail.Lines) != 5 || detail.Total != 2*1000+3*500 || detail.Note != "ring twice" ||
				detail.Lines[4].Quantity != 3 || detail.Lines[0].Name != "Product 1" {
				t.Errorf("%+v", detail)
			}
		}
		if left := companytest.Stock(p, 1001, ids[4]); left != 7 {
			t.Errorf("%d are left", left)
		}
		if cart := cartOf(p, here); len(cart.Lines) != 0 || cart.Note != "" || cart.Form == in.Form {
			t.Errorf("%+v", cart)
		}
		// the next cart is another order
		fill(p, here, map[int64]string{ids[0]: "1"})
		o, err := p.Shop.OrderCart(p.From(portaltest.HomeAddress), here, formOf(cartOf(p, here)))
		if err != nil || placed[o.ID].ID != 0 {
			t.Errorf("%d, %v", o.ID, err)
		}
	})
}

func TestWhatChangedSinceIsSaidLineByLineAndNothingIsLost(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, ids := p.Land("buyer1", portaltest.PhoneScreen), newProducts(p, 5)
		typed := map[int64]string{}
		for _, id := range ids {
			typed[id] = "2"
		}
		fill(p, here, typed)
		in := formOf(cartOf(p, here))
		for i, set := range []string{"price = 1", "stock = 1", "state = 'off'", "name = 'Another'", "stock = 9"} {
			storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE products SET %s WHERE id = %d", set, ids[i]))
		}
		before := p.DumpRows()
		_, err := p.Shop.OrderCart(t.Context(), here, in)
		want := access.Fields{
			shop.QuantityField(ids[0]): access.PriceChanged, shop.QuantityField(ids[1]): access.StockShort,
			shop.QuantityField(ids[2]): access.ProductGone, shop.QuantityField(ids[3]): access.ProductChanged,
		}
		if refused := portaltest.Refused(t, err, access.ValidationFailed); !maps.Equal(refused.Fields, want) {
			t.Errorf("%v, want %v", refused.Fields, want)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
		cart := cartOf(p, here)
		for i, problem := range []access.Problem{
			access.PriceChanged, access.StockShort, access.ProductGone, access.ProductChanged, "",
		} {
			if got := cart.Lines[i].Problem(); got != problem {
				t.Errorf("line %d: %q, want %q", i, got, problem)
			}
		}
		// what the page shows now is confirmed by sending it
		in = formOf(cart)
		in.Typed[ids[1]], in.Typed[ids[2]] = "1", "0"
		o, err := p.Shop.OrderCart(t.Context(), here, in)
		if err != nil || o.Total != 2*1+200+2*400+2*500 {
			t.Errorf("%+v, %v", o, err)
		}
	})
}

func TestACartThatChangedInAnotherTabIsNotOrdered(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, ids := p.Land("buyer1", portaltest.PhoneScreen), newProducts(p, 2)
		order := func(in shop.CartOrderInput) error {
			_, err := p.Shop.OrderCart(t.Context(), here, in)
			return err
		}
		portaltest.WantField(t, order(shop.CartOrderInput{}), "cart", shop.CartEmpty)
		fill(p, here, map[int64]string{ids[0]: "1"})
		in := formOf(cartOf(p, here))
		fill(p, here, map[int64]string{ids[1]: "1"})
		portaltest.WantField(t, order(in), "cart", shop.CartChanged)
		in = formOf(cartOf(p, here))
		fill(p, here, map[int64]string{ids[1]: "0"})
		portaltest.WantField(t, order(in), "cart", shop.CartChanged)
		in = formOf(cartOf(p, here))
		in.Form = shop.NewForm()
		portaltest.WantField(t, order(in), "cart", shop.CartChanged)
		// a change that arrives after the cart was ordered
		in = formOf(cartOf(p, here))
		err := p.Shop.ChangeCart(t.Context(), here, shop.CartInput{
			Form: shop.NewForm(), Typed: map[int64]string{ids[0]: "7"},
		})
		portaltest.WantField(t, err, "cart", shop.CartChanged)
		portaltest.NoError(t, p.Shop.ChangeCart(t.Context(), here, shop.CartInput{
			Form: in.Form, Typed: map[int64]string{ids[0]: "1"},
		}))
		in = formOf(cartOf(p, here))
		in.Seen[ids[0]] = ""
		portaltest.WantField(t, order(in), shop.QuantityField(ids[0]), access.ProductChanged)
	})
}

func TestAnOrderIsRepeatedWithWhatIsStillSold(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, ids := p.Land("buyer1", portaltest.PhoneScreen), newProducts(p, 4)
		fill(p, here, map[int64]string{ids[0]: "2", ids[1]: "2", ids[2]: "2", ids[3]: "4"})
		o, err := p.Shop.OrderCart(t.Context(), here, formOf(cartOf(p, here)))
		portaltest.NoError(t, err)
		storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE products SET state = 'off' WHERE id = %d", ids[1]))
		storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE products SET stock = 0 WHERE id = %d", ids[2]))
		fill(p, here, map[int64]string{ids[0]: "5"})
		for range 2 { // sent twice
			portaltest.NoError(t, p.Shop.Repeat(t.Context(), here, o.ID))
		}
		cart := cartOf(p, here)
		if len(cart.Lines) != 2 || cart.Lines[0].Quantity != 5 || cart.Lines[1].Quantity != 4 {
			t.Errorf("%+v", cart.Lines)
		}
		missing, err := p.Shop.NotRepeated(t.Context(), here, o.ID, cart, "zh")
		if err != nil || fmt.Sprint(missing) != "[Product 2 Product 3]" {
			t.Errorf("%v, %v", missing, err)
		}
		for _, login := range []string{"li.lights", "jinsui"} {
			portaltest.Refused(
				t, p.Shop.Repeat(t.Context(), p.Land(login, portaltest.PhoneScreen), o.ID), access.NotFound,
			)
		}
		another := p.LandingFor(companytest.AddCustomer(p, 1001))
		portaltest.Refused(t, p.Shop.Repeat(t.Context(), another, o.ID), access.NotFound)
	})
}

func TestALargeCatalogueIsReadPageByPageAndSearched(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "en")
		here := p.LandingFor(companytest.AddCustomer(p, m.CompanyID))
		for _, name := range []string{"Fruit", "Tea"} {
			id, err := p.DB.Catalogue.AddCategory(t.Context(), store.Category{CompanyID: m.CompanyID, Name: name})
			portaltest.NoError(t, err)
			storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO products (company_id, category_id, name, search, number,
					number_key, spec, unit, price, stock)
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
				SELECT %d, %d, '%s no. ' || i, lower('%s no. ' || i), '%s-' || i, lower('%s-' || i), '', 'bag', 1, 1
				FROM n`, m.CompanyID, id, name, name, name, name))
		}
		read := func(in shop.CatalogueInput) (names []string, pages int) {
			seen := map[string]bool{}
			for {
				page, err := p.Shop.Catalogue(t.Context(), here, in, "en")
				portaltest.NoError(t, err)
				pages++
				for _, g := range page.Groups {
					for _, k := range g.Products {
						names, seen[k.Name] = append(names, k.Name), true
					}
				}
				if in.After = page.Next; in.After == "" {
					if len(seen) != len(names) {
						t.Errorf("%d of %d products are different", len(seen), len(names))
					}
					return names, pages
				}
			}
		}
		for _, c := range []struct {
			in              shop.CatalogueInput
			products, pages int
		}{
			{shop.CatalogueInput{}, 200, 4}, {shop.CatalogueInput{Search: "NO. 99"}, 2, 1},
			{shop.CatalogueInput{Search: "tea-1"}, 12, 1}, {shop.CatalogueInput{Search: "%"}, 0, 1},
			{shop.CatalogueInput{Search: "_"}, 0, 1}, {shop.CatalogueInput{After: "x"}, 200, 4},
			{shop.CatalogueInput{Category: "999999"}, 0, 1}, {shop.CatalogueInput{Category: "x"}, 200, 4},
		} {
			if names, pages := read(c.in); len(names) != c.products || pages != c.pages {
				t.Errorf("%+v: %d products on %d pages", c.in, len(names), pages)
			}
		}
	})
}
