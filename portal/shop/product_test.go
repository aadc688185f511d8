package shop_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/shop"
	"portico/store"
	"portico/store/storetest"
)

// rice is a product as it is typed.
func rice() shop.ProductInput {
	return shop.ProductInput{
		Name: "Red rice", Number: "R-1", Category: "Grain", Spec: "5 kg", Unit: "bag", Price: "32.80", Stock: "12",
		Form: shop.NewForm(),
	}
}

// add adds a product for the administrator of company 1001. It fails the test if it is refused.
func add(p *portaltest.Platform, in shop.ProductInput) store.Product {
	p.T.Helper()
	added, err := p.Shop.Add(p.From(portaltest.HomeAddress), p.Land("jinsui", portaltest.PhoneScreen), in)
	portaltest.NoError(p.T, err)
	return added
}

func TestAPriceIsReadAsPeopleTypeIt(t *testing.T) {
	const malformed = shop.PriceMalformed
	for typed, want := range map[string]int64{
		"32.80": 3280, "32.8": 3280, "32,80": 3280, "32": 3200, " ¥1,234.50 ": 123450, "1,234": 123400,
		"1,234,567.89": 123456789, "１２．５": 1250, "0.01": 1, "10000000": 1_000_000_000,
		"32.8000": 3280, "1.234,50": 123450, "1.234.567,8": 123456780, "1.234.567": 123456700, "1 234,50": 123450,
		"1\u202f234,50": 123450, "0.500": 50, "32.8元": 3280, "￥32.8": 3280, "RMB 32.8": 3280, "32.80 CNY": 3280,
		"人民币32块": 3200, "人民币 32": 3200, "32.80\u00a0元": 3280, "\u202d32.80\u202c": 3280,
		strings.Repeat(" ", 159) + "5": 500,
	} {
		if got, problem := shop.ReadPrice(typed); got != want || problem != "" {
			t.Errorf("%q: %d, %s, want %d", typed, got, problem, want)
		}
	}
	for typed, want := range map[string]access.Problem{
		"": malformed, "0": malformed, "0.00": malformed, "-1": malformed, "1.234": malformed, "12.500": malformed,
		"1.": malformed, ".5": malformed, "1e3": malformed, "12,34,567": malformed, "1,2345": malformed,
		"1.23,4.5": malformed, "10000000.01": malformed, "free": malformed, "1 2": malformed, "1 234 5": malformed,
		"NaN": malformed, "32.8元/箱": malformed, "50%": malformed, strings.Repeat("9", 400): malformed,
		"99999999999999999999": malformed, strings.Repeat(" ", 160) + "5": malformed,
		"$ 5": shop.PriceCurrency, "$1,234.50": shop.PriceCurrency, "32,80 €": shop.PriceCurrency,
		"€32,80": shop.PriceCurrency, "US$ 5": shop.PriceCurrency, "5 usd": shop.PriceCurrency,
		"HK$5": shop.PriceCurrency, "＄５": shop.PriceCurrency,
	} {
		if got, problem := shop.ReadPrice(typed); problem != want {
			t.Errorf("%q: %d, %s, want %s", typed, got, problem, want)
		}
	}
	for typed, want := range map[string]int64{
		"0": 0, "12": 12, "1,200": 1200, "１２": 12, " 7 ": 7, "9999999": 9_999_999, strings.Repeat(" ", 95) + "7": 7,
		"1200.00": 1200, "1200,0": 1200, "1200.0000": 1200, "1.200,00": 1200, "1 200": 1200, "0.000": 0,
	} {
		if got, ok := shop.ReadStock(typed); !ok || got != want {
			t.Errorf("%q: %d, %t", typed, got, ok)
		}
	}
	for _, typed := range []string{
		"", "-1", "1.5", "1,20", "12.000", "10000000", "x", "12箱", strings.Repeat(" ", 96) + "7",
	} {
		if got, ok := shop.ReadStock(typed); ok {
			t.Errorf("%q: %d", typed, got)
		}
	}
}

func TestAProductIsAddedOnceAndIsInTheShop(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := rice()
		first, second := add(p, in), add(p, in)
		if first.ID != second.ID || p.CountEvents(1001, "product_added") != 1 {
			t.Errorf("%d and %d", first.ID, second.ID)
		}
		page, err := p.Shop.Catalogue(
			t.Context(), p.Land("buyer1", portaltest.PhoneScreen), shop.CatalogueInput{Search: "RED"}, "zh",
		)
		portaltest.NoError(t, err)
		if len(page.Groups) != 1 || page.Groups[0].Name != "Grain" || page.Groups[0].Products[0].Price != 3280 ||
			page.Groups[0].Products[0].Stock != 12 {
			t.Errorf("%+v", page.Groups)
		}
		// the page was opened again, because the response was lost
		here, again := p.Land("jinsui", portaltest.PhoneScreen), rice()
		again.Number = ""
		_, err = p.Shop.Add(p.From(portaltest.HomeAddress), here, again)
		portaltest.WantField(t, err, "name", shop.AddedJustNow)
		again.Again = true
		add(p, again)
		again = rice()
		again.Again, again.Number = true, " r-1"
		_, err = p.Shop.Add(p.From(portaltest.HomeAddress), here, again)
		portaltest.WantField(t, err, "number", shop.NumberTaken)
	})
}

func TestMalformedProductsAreRefusedAndNothingIsWritten(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, before := p.Land("jinsui", portaltest.PhoneScreen), p.DumpRows()
		for field, c := range map[string]struct {
			change  func(*shop.ProductInput)
			problem access.Problem
		}{
			"name":     {func(in *shop.ProductInput) { in.Name = " " }, shop.NameMissing},
			"unit":     {func(in *shop.ProductInput) { in.Unit = "" }, shop.UnitMissing},
			"category": {func(in *shop.ProductInput) { in.Category = strings.Repeat("x", 41) }, access.TextMalformed},
			"spec":     {func(in *shop.ProductInput) { in.Spec = "5\u0007kg" }, access.TextMalformed},
			"number":   {func(in *shop.ProductInput) { in.Number = strings.Repeat("1", 41) }, access.TextMalformed},
			"price":    {func(in *shop.ProductInput) { in.Price = "cheap" }, shop.PriceMalformed},
			"stock":    {func(in *shop.ProductInput) { in.Stock = "-1" }, shop.StockMalformed},
		} {
			in := rice()
			c.change(&in)
			_, err := p.Shop.Add(p.From(portaltest.HomeAddress), here, in)
			portaltest.WantField(t, err, field, c.problem)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}

func TestTheLongestFieldsOfAProductAreAccepted(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		longest := rice()
		for _, f := range []struct {
			name       string
			field      func(*shop.ProductInput) *string
			characters int
		}{
			{"name", func(in *shop.ProductInput) *string { return &in.Name }, 80},
			{"number", func(in *shop.ProductInput) *string { return &in.Number }, 40},
			{"category", func(in *shop.ProductInput) *string { return &in.Category }, 40},
			{"spec", func(in *shop.ProductInput) *string { return &in.Spec }, 60},
			{"unit", func(in *shop.ProductInput) *string { return &in.Unit }, 20},
		} {
			longer := rice()
			*f.field(&longer) = strings.Repeat("长", f.characters+1)
			_, err := p.Shop.Add(p.From(portaltest.HomeAddress), p.Administrator(), longer)
			portaltest.WantField(t, err, f.name, access.TextMalformed)
			*f.field(&longest) = strings.Repeat("长", f.characters)
		}
		add(p, longest)
	})
}

func TestAProductOfTheSameNameWithinFiveMinutesNeedsAConfirmation(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		add(p, rice())
		again := rice()
		again.Number = ""
		p.Clock.Advance(5*time.Minute - time.Millisecond)
		_, err := p.Shop.Add(p.From(portaltest.HomeAddress), p.Administrator(), again)
		portaltest.WantField(t, err, "name", shop.AddedJustNow)
		p.Clock.Advance(time.Millisecond)
		add(p, again)
	})
}

func TestAnEditKeepsWhatOrdersTookFromTheStock(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, added := p.Land("jinsui", portaltest.PhoneScreen), add(p, rice())
		opened, err := p.Shop.Product(t.Context(), here, added.ID)
		portaltest.NoError(t, err)
		_, err = companytest.PlaceOrder(p, p.Land("buyer1", portaltest.PhoneScreen), added.ID, "5", shop.NewForm())
		portaltest.NoError(t, err)
		edit := func(change func(*shop.ProductInput)) error {
			in := opened.In
			change(&in)
			return p.Shop.Edit(p.From(portaltest.HomeAddress), here, added.ID, in)
		}
		portaltest.WantField(t, edit(func(in *shop.ProductInput) { in.Stock = "20" }), "seen", shop.EditedMeanwhile)
		portaltest.NoError(t, edit(func(in *shop.ProductInput) { in.Price = "40" }))
		if got := companytest.Stock(p, 1001, added.ID); got != 7 {
			t.Errorf("%d are left, want 7", got)
		}
		// saved by another person meanwhile
		portaltest.WantField(t, edit(func(in *shop.ProductInput) { in.Name = "Rice" }), "seen", shop.EditedMeanwhile)
		portaltest.NoError(t, edit(func(in *shop.ProductInput) { in.Price = "40" })) // sent twice
		if p.CountEvents(1001, "product_edited") != 1 {
			t.Errorf("%d events", p.CountEvents(1001, "product_edited"))
		}
		if opened, err = p.Shop.Product(t.Context(), here, added.ID); err != nil || opened.Price != 4000 {
			t.Errorf("%+v, %v", opened.Product, err)
		}
		portaltest.NoError(t, edit(func(in *shop.ProductInput) { in.Stock, in.Number = "20", "" }))
		if got := companytest.Stock(p, 1001, added.ID); got != 20 {
			t.Errorf("%d are left, want 20", got)
		}
	})
}

func TestAnEditedSampleBecomesTheCompanysOwn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, sample := p.Land("jinsui", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001)
		opened, err := p.Shop.Product(t.Context(), here, sample.ID)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Shop.Edit(p.From(portaltest.HomeAddress), here, sample.ID, opened.In))
		in := opened.In
		in.Name = "Our rice"
		portaltest.NoError(t, p.Shop.Edit(p.From(portaltest.HomeAddress), here, sample.ID, in))
		now, err := p.DB.Products.ByID(t.Context(), 1001, sample.ID)
		portaltest.NoError(t, err)
		if sample.Sample == "" || now.Sample != "" || now.Name != "Our rice" ||
			p.CountEvents(1001, "product_edited") != 1 {
			t.Errorf("%+v", now)
		}
	})
}

func TestAProductThatIsOffIsNotSoldAndStaysInOrders(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, buyer, added := p.Land("jinsui", portaltest.PhoneScreen), p.Land("buyer1", portaltest.PhoneScreen),
			add(p, rice())
		placed, err := companytest.PlaceOrder(p, buyer, added.ID, "1", shop.NewForm())
		portaltest.NoError(t, err)
		for range 2 {
			portaltest.NoError(t, p.Shop.Switch(p.From(portaltest.HomeAddress), here, added.ID, false))
		}
		if p.CountEvents(1001, "product_off") != 1 {
			t.Error("the second switch was logged")
		}
		page, err := p.Shop.Catalogue(t.Context(), buyer, shop.CatalogueInput{Search: "red"}, "zh")
		if err != nil || len(page.Groups) != 0 {
			t.Errorf("%+v, %v", page.Groups, err)
		}
		_, err = companytest.PlaceOrder(p, buyer, added.ID, "1", shop.NewForm())
		portaltest.WantField(t, err, "product_id", access.ProductGone)
		order, err := p.Shop.OwnOrder(t.Context(), buyer, placed.ID, "zh")
		if err != nil || order.Lines[0].Name != "Red rice" {
			t.Errorf("%+v, %v", order.Lines, err)
		}
		portaltest.NoError(t, p.Shop.Switch(p.From(portaltest.HomeAddress), here, added.ID, true))
		_, err = companytest.PlaceOrder(p, buyer, added.ID, "1", shop.NewForm())
		portaltest.NoError(t, err)
	})
}

func TestProductsNeedTheirRightAndBelongToOneCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		added := add(p, rice())
		before := p.DumpRows("audit_events")
		for login, want := range map[string]access.Refusal{
			"li.manager": access.Forbidden, "buyer1": access.NotFound, "northwind": access.NotFound,
		} {
			here := p.LandingFor(p.Account(login))
			_, err := p.Shop.Product(t.Context(), here, added.ID)
			portaltest.Refused(t, err, want)
			in := rice()
			in.Name = "Another"
			portaltest.Refused(t, p.Shop.Edit(p.From(portaltest.HomeAddress), here, added.ID, in), want)
			portaltest.Refused(t, p.Shop.Switch(p.From(portaltest.HomeAddress), here, added.ID, false), want)
			if login != "northwind" {
				_, err = p.Shop.Add(p.From(portaltest.HomeAddress), here, in)
				portaltest.Refused(t, err, want)
				_, err = p.Shop.Categories(t.Context(), here)
				portaltest.Refused(t, err, want)
			}
		}
		if p.DumpRows("audit_events") != before {
			t.Error("something was written")
		}
	})
}

func TestACompanyHasAtMostTwoHundredCategories(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		for i := range 199 {
			_, err := p.DB.Catalogue.AddCategory(t.Context(), store.Category{
				CompanyID: m.CompanyID, Name: "Category " + access.Decimal(int64(i)),
			})
			portaltest.NoError(t, err)
		}
		in := rice()
		_, err := p.Shop.Add(p.From(portaltest.HomeAddress), p.LandingFor(m), in)
		portaltest.NoError(t, err)
		in = rice()
		in.Name, in.Number, in.Category = "Green tea", "T-1", "Tea"
		_, err = p.Shop.Add(p.From(portaltest.HomeAddress), p.LandingFor(m), in)
		portaltest.WantField(t, err, "category", shop.CategoriesFull)
		in.Category = "CATEGORY  7"
		_, err = p.Shop.Add(p.From(portaltest.HomeAddress), p.LandingFor(m), in)
		portaltest.NoError(t, err)
	})
}

func TestThePictureOfAProductIsReplacedAndRemoved(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, in := p.Land("jinsui", portaltest.PhoneScreen), rice()
		in.Picture = bytes.NewReader(picturetest.JPEG(900, 600))
		added := add(p, in)
		made, err := p.Shop.Picture(t.Context(), added.Picture+".jpg")
		if err != nil || made.Kind != "image/jpeg" || len(made.Data) == 0 {
			t.Errorf("%s, %d bytes, %v", made.Kind, len(made.Data), err)
		}
		opened, err := p.Shop.Product(t.Context(), here, added.ID)
		portaltest.NoError(t, err)
		edit := opened.In
		edit.Picture = strings.NewReader("no picture")
		err = p.Shop.Edit(p.From(portaltest.HomeAddress), here, added.ID, edit)
		if refused := portaltest.Refused(t, err, access.UploadRejected); refused.Reason != pictures.UploadNotPicture {
			t.Errorf("%s", refused.Reason)
		}
		edit.Picture, edit.RemovePicture = nil, true
		portaltest.NoError(t, p.Shop.Edit(p.From(portaltest.HomeAddress), here, added.ID, edit))
		for _, name := range []string{added.Picture + ".jpg", "x.jpg", "", "../icon/x.jpg"} {
			_, err := p.Shop.Picture(t.Context(), name)
			portaltest.Refused(t, err, access.NotFound)
		}
	})
}

func TestACompanySendsAtMostFiveHundredPicturesOfProductsADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		now := store.At(p.Clock.Now())
		for range 499 {
			_, err := p.DB.Attempts.Raise(t.Context(), "product pictures:1001", now, now-1000)
			portaltest.NoError(t, err)
		}
		send := func(picture []byte) error {
			in := rice()
			in.Picture = bytes.NewReader(picture)
			_, err := p.Shop.Add(p.From(portaltest.HomeAddress), p.Administrator(), in)
			return err
		}
		portaltest.Refused(t, send([]byte("no picture")), access.UploadRejected) // a refused one counts
		portaltest.Refused(t, send(picturetest.JPEG(60, 40)), access.TooManyAttempts)
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, send(picturetest.JPEG(60, 40)))
	})
}

func TestOrdersKeepWhatAProductWasCalled(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, added := p.Land("jinsui", portaltest.PhoneScreen), add(p, rice())
		opened, err := p.Shop.Product(t.Context(), here, added.ID)
		portaltest.NoError(t, err)
		buyer := p.Land("buyer1", portaltest.PhoneScreen)
		order, err := companytest.PlaceOrder(p, buyer, added.ID, "1", shop.NewForm())
		portaltest.NoError(t, err)
		lineOf := func() store.OrderLine {
			detail, err := p.Shop.Order(t.Context(), buyer, order.ID, "zh")
			portaltest.NoError(t, err)
			return detail.Lines[0]
		}
		before := lineOf()
		in := opened.In
		in.Name, in.Spec, in.Unit, in.Stock = "Renamed rice", "1 t", "lorry", "11"
		portaltest.NoError(t, p.Shop.Edit(p.From(portaltest.HomeAddress), here, added.ID, in))
		if after := lineOf(); after != before || before.Name != added.Name || before.Name == "" {
			t.Errorf("the order had %+v and has %+v", before, after)
		}
		second, err := companytest.PlaceOrder(p, buyer, added.ID, "1", shop.NewForm())
		portaltest.NoError(t, err)
		order = second
		if now := lineOf(); now.Name != "Renamed rice" || now.Spec != "1 t" || now.Unit != "lorry" {
			t.Errorf("a new order has %+v", now)
		}
		// a line of an earlier program has no name of its own
		storetest.Exec(t, p.DB, "UPDATE order_lines SET name = '', spec = '', unit = ''")
		if now := lineOf(); now.Name != "Renamed rice" || now.Unit != "lorry" {
			t.Errorf("an earlier order has %+v", now)
		}
	})
}
