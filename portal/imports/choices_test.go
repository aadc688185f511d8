package imports_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/imports"
	"portico/portal/portaltest"
	"portico/portal/shop"
	"portico/store"
	"portico/store/storetest"
)

func products1001(t *testing.T) importer {
	t.Helper()
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	return importer{t, p, p.Administrator(), imports.ProductList}
}

// used returns the names of the columns that are imported, in the order of the file.
func used(im imports.Import) string {
	var names []string
	for i, head := range im.Heads {
		if im.Used[i] {
			names = append(names, head.Text)
		}
	}
	return strings.Join(names, ",")
}

// questions returns what is asked about a file: each column with the names that it could be.
func questions(im imports.Import) string {
	var all []string
	for _, q := range im.Questions {
		text := string(q.Column) + ":"
		for _, i := range q.Heads {
			text += " " + im.Heads[i].Text
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func TestAColumnIsUsedForTheFieldThatItNamesBest(t *testing.T) {
	o := products1001(t)
	const rest = ",category,unit,stock\n"
	for names, c := range map[string]struct{ used, questions string }{
		"name,code,number,price":          {"name,number,price", ""},
		"name,number,code,price":          {"name,number,price", ""},
		"name,code,price":                 {"name,code,price", ""},
		"name,retail,price":               {"name,price", ""},
		"name,retail,cost":                {"name", "price: retail cost"},
		"name,price,Price":                {"name", "price: price Price"},
		"name,price (old),price":          {"name,price", ""},
		"name,price (old),price (new)":    {"name", "price: price (old) price (new)"},
		"name,price (old)":                {"name,price (old)", ""},
		"name,price (old),retail":         {"name,retail", ""},
		"name,colour,price":               {"name,price", ""},
		"*name,Price（必填）":                 {"*name,Price（必填）", ""},
		"name:,price (required)":          {"name:,price (required)", ""},
		"【name】,price":                    {"【name】,price", ""},
		"name *,\"price\n(obligatorio)\"": {"name *,price\n(obligatorio)", ""},
	} {
		_, im := o.mustRead(names + rest + strings.Repeat("Oats,", strings.Count(names, ",")+1) + "Grain,bag,5\n")
		got := strings.TrimSuffix(used(im), ",category,unit,stock")
		if got != c.used || questions(im) != c.questions {
			t.Errorf("%s: %s is used, %q is asked", names, got, questions(im))
		}
	}
}

func TestAQuestionIsAnsweredBeforeAnythingIsImported(t *testing.T) {
	o := products1001(t)
	key, im := o.mustRead("name,retail,cost,category,unit,stock\nOats,9,7,Grain,bag,5\n")
	if !im.Unanswered() || len(im.Sums) != 0 {
		t.Errorf("%+v", im)
	}
	before := o.p.DumpRows()
	err := o.p.Imports.Run(o.p.From(portaltest.HomeAddress), o.here, o.input(key))
	portaltest.Refused(t, err, access.WrongParameters)
	if o.p.DumpRows() != before {
		t.Error("something was changed")
	}
	for answer, want := range map[int]string{2: "name,cost,category,unit,stock",
		imports.None: "name,category,unit,stock"} {
		in := o.input(key)
		in.Choices.Columns = map[imports.Column]int{imports.PriceColumn: answer}
		im, err := o.p.Imports.Import(t.Context(), o.here, in)
		portaltest.NoError(t, err)
		if im.Unanswered() || used(im) != want {
			t.Errorf("%d: %s is used", answer, used(im))
		}
	}
	in := o.input(key)
	in.Choices.Columns = map[imports.Column]int{imports.PriceColumn: 0} // the name is no answer
	im, err = o.p.Imports.Import(t.Context(), o.here, in)
	portaltest.NoError(t, err)
	if !im.Unanswered() {
		t.Error("a column that was not asked about was taken")
	}
	in.Choices.Columns = map[imports.Column]int{imports.PriceColumn: 2}
	portaltest.NoError(t, o.p.Imports.Run(o.p.From(portaltest.HomeAddress), o.here, in))
	if rows := o.p.DumpRows(); !strings.Contains(rows, "Oats") {
		t.Error("the product was not added")
	}
}

func TestARunningNumberIsNoProductNumber(t *testing.T) {
	o := products1001(t)
	const rest = "name,category,unit,price,stock\n"
	file := func(head string, numbers ...string) string {
		made := head + "," + rest
		for i, n := range numbers {
			made += fmt.Sprintf("%s,Oats %d,Grain,bag,5,9\n", n, i)
		}
		return made
	}
	for name, c := range map[string]struct{ file, used, questions, running string }{
		"a count":                        {file("code", "1", "2", "3"), rest, "", "code"},
		"a count under the field's name": {file("number", "1", "2", "3"), rest, "number: number", "number"},
		"a count with a gap":             {file("code", "1", "", "2"), rest, "", "code"},
		"numbers that begin later":       {file("code", "2", "3", "4"), "code," + rest, "", ""},
		"numbers with a gap":             {file("code", "1", "2", "4"), "code," + rest, "", ""},
		"numbers with zeros":             {file("code", "01", "02", "03"), "code," + rest, "", ""},
		"a count beside numbers": {
			"code,number," + rest + "1,GL-001,Oats,Grain,bag,5,9\n2,GL-002,Rye,Grain,bag,5,9\n", "number," +
				rest, "", "code",
		},
	} {
		_, im := o.mustRead(c.file)
		var running []string
		for _, i := range im.Running {
			running = append(running, im.Heads[i].Text)
		}
		if used(im)+"\n" != c.used || questions(im) != c.questions || strings.Join(running, ",") != c.running {
			t.Errorf("%s: %s is used, %q asked, %v counts", name, used(im), questions(im), running)
		}
	}
}

func TestOneSheetOfSeveralIsChosen(t *testing.T) {
	o := products1001(t)
	key, im := o.mustRead(sheets(t,
		sheet{name: "Grain", rows: [][]any{
			{"name", "category", "unit", "price", "stock"}, {"Oats", "Grain", "bag", 5, 9},
		}},
		sheet{name: "Help", rows: [][]any{{"How to fill this in"}}},
		sheet{name: "Drinks", rows: [][]any{
			{
				"name",
				"category",
				"unit",
				"price",
				"stock"}, {"Tea",
				"Drinks",
				"box",
				6,
				9}, {"Milk",
				"Drinks",
				"box",
				7,
				9,
			},
		}},
	))
	want := []imports.SheetName{{Name: "Grain", Rows: 1}, {Name: "Drinks", Rows: 2}}
	if !im.Unanswered() || !slices.Equal(im.Sheets, want) || !slices.Equal(im.Others, []string{"Help"}) {
		t.Errorf("%+v", im)
	}
	err := o.p.Imports.Run(o.p.From(portaltest.HomeAddress), o.here, o.input(key))
	portaltest.Refused(t, err, access.WrongParameters)
	for sheet, adds := range map[int]int{1: 1, 2: 2} {
		in := o.input(key)
		in.Choices.Sheet = sheet
		portaltest.NoError(t, o.p.Imports.Run(o.p.From(portaltest.HomeAddress), o.here, in))
		im, err := o.p.Imports.Import(t.Context(), o.here, in)
		portaltest.NoError(t, err)
		if !im.Ran || im.Sums[shop.Adds] != adds {
			t.Errorf("sheet %d: %+v", sheet, im)
		}
	}
	in := o.input(key)
	in.Choices.Sheet = 3
	if im, err := o.p.Imports.Import(t.Context(), o.here, in); err != nil || !im.Unanswered() {
		t.Errorf("a third sheet: %+v, %v", im, err)
	}
}

func TestARowThatMayNotBeWhatWasMeantIsLeftOut(t *testing.T) {
	o := products1001(t)
	const names = "name,number,category,unit,price,stock\n"
	_, im := o.mustRead(names + "#N/A,A1,Grain,bag,5,9\nOats,6.90123E+12,Grain,bag,5,9\nRye,A3,Grain,bag,$5,9\n" +
		"Rice,A4,Grain,bag,12.500,12.000\nMaize,A5,#REF!,bag,5,#VALUE!\nWheat,A6,Grain,bag,\"32,80\",1200.00\n")
	o.wantRows(im, "2  name:cell_error", "3  number:cell_shortened", "4  price:price_currency",
		"5  price:price_malformed stock:stock_malformed", "6  category:cell_error stock:cell_error", "7 adds")
	_, im = o.mustRead("name,number,category,unit,Price (USD),stock\nOats,A1,Grain,bag,5,9\n")
	o.wantRows(im, "2  price:price_currency")
	_, im = o.mustRead(sheets(t, sheet{name: "Grain", hidden: []int{3}, rows: [][]any{
		{"name", "number", "category", "unit", "price", "stock"}, {"Oats", "A1", "Grain", "bag", 5, 9},
		{"Rye", "A2", "Grain", "bag", 5, 9},
	}}))
	o.wantRows(im, "2 adds", "3  :row_hidden")
}

func TestARowIsShownAsItIsStored(t *testing.T) {
	o := products1001(t)
	_, im := o.mustRead("name;number;price;stock;category;unit\n Oats\u3000A\u200b;'007;￥1.234,50元;1200.00;Grain;bag\n")
	for column, want := range map[imports.Column]string{
		imports.NameColumn: "Oats A", imports.NumberColumn: "007", imports.PriceColumn: "1234.50",
		imports.StockColumn: "1200", imports.SpecColumn: "",
	} {
		if got := im.Rows[0].Stored(column); got != want {
			t.Errorf("%s: %q, want %q", column, got, want)
		}
	}
	o.list = imports.CustomerList
	_, im = o.mustRead("name,contact,phone\nLee,Bo,+86 138-1111-3347\n")
	if got := im.Rows[0].Stored(imports.PhoneColumn); got != "13811113347" {
		t.Errorf("%q", got)
	}
}

func TestThePhoneIsTheFirstCellThatHasOne(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	o := importer{t, p, p.Administrator(), imports.CustomerList}
	key, im := o.mustRead("name,contact,telephone,phone\nA,Al,0571-88886666,13811110001\nB,Bo,13811110002,\n" +
		"C,Cy,13811110003,13811110004\nD,Di,0571-88886666,\nE,Ed,,\n")
	o.wantRows(im, "2 adds", "3 adds", "4 adds", "5  phone:phone_malformed", "6 adds")
	o.run(key)
	rows := p.DumpRows()
	for _, phone := range []string{"13811110001", "13811110002", "13811110004"} {
		if !strings.Contains(rows, phone) {
			t.Errorf("%s is not stored", phone)
		}
	}
	if strings.Contains(rows, "13811110003") {
		t.Error("the telephone was taken although there is a phone")
	}
}

func TestOnlyWhatMayBeImportedIsKeptAndOnlyUntilThen(t *testing.T) {
	o := products1001(t)
	key,
		im := o.mustRead("name,secret,category,unit,price,stock\nOats,canary,Grain,bag,5,9\nRye,canary,Grain,bag,5,x\n")
	if text := fmt.Sprint(im); strings.Contains(text, "canary") {
		t.Error("a column that is not imported is kept")
	}
	kept := countKeys(o)
	done := o.run(key)
	if done.Sums[shop.Adds] != 1 || len(done.Rows) != 1 {
		t.Errorf("%+v", done)
	}
	if n := countKeys(o); n != kept { // the result is in the place of the file
		t.Errorf("%d rows are kept after the import, %d before it", n, kept)
	}
	o.run(key) // again, with the result that was kept
}

func TestCompaniesWithoutAContractSendSoManyFilesTogether(t *testing.T) {
	o := products1001(t)
	o.p.Restart(func(options *portal.Options) { options.NoLimit = false })
	small := "name\n" + strings.Repeat("x", 500) + "\n"
	large := "name\n" + strings.Repeat(strings.Repeat("x", 590)+"\n", 120)
	for key, c := range map[string]struct {
		file string
		most int
	}{"imports:free": {small, 4000}, "imports:free-large": {large, 200}} {
		for n := 1; n <= c.most-1; n++ { // as if others had sent them
			_, err := o.p.DB.Attempts.Raise(t.Context(), key, store.At(o.p.Clock.Now()), 0)
			portaltest.NoError(t, err)
		}
		send := func(company int64, standing store.Standing) error {
			here := o.here
			here.Member.Company.ID, here.Member.Company.Standing = company, standing
			_, err := importer{t, o.p, here, imports.ProductList}.read(c.file)
			return err
		}
		portaltest.NoError(t, send(2001, store.Trial))
		portaltest.Refused(t, send(2002, store.Trial), access.TooManyAttempts)
		portaltest.NoError(t, send(2003, store.Formal))
	}
}

func TestARowThatALimitRefusesSaysHowLong(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	p.Restart(func(options *portal.Options) { options.NoLimit = false })
	o := importer{t, p, p.Administrator(), imports.PeopleList}
	for range 2000 { // all accounts that a company may open in a day
		_, err := p.DB.Attempts.Raise(t.Context(), "opened:1001", store.At(p.Clock.Now()), 0)
		portaltest.NoError(t, err)
	}
	key, _ := o.mustRead("name,phone\nLee,13811110001\n")
	p.Clock.Advance(time.Hour)
	im := o.run(key)
	if len(im.Rows) != 1 || im.Rows[0].Remarks[0].Refusal != access.TooManyAttempts ||
		im.Rows[0].Remarks[0].Wait != access.Day-time.Hour {
		t.Errorf("%+v", im.Rows)
	}
}

// countKeys counts the rows of the table in which files and results are kept.
func countKeys(o importer) int {
	return strings.Count("\n"+o.p.DumpRows(), "\nidempotency_keys ")
}

func TestAFileOfACompanyDoesNotKeepOthersFromReadingTheirs(t *testing.T) {
	o := products1001(t)
	slow := testscope.NewHeldReader("name\nOats\n")
	ended := make(chan error)
	go func() {
		_, err := o.p.Imports.Read(o.p.From(portaltest.HomeAddress), o.here, o.input(""), "slow", slow)
		ended <- err
	}()
	slow.AwaitReading()
	_, err := o.read("name\nOats\n")
	if refused := portaltest.Refused(t, err, access.NotAvailable); refused.Wait != imports.ReadWait {
		t.Errorf("a second file of the company: try again after %s", refused.Wait)
	}
	other := importer{t, o.p, o.p.Office("northwind"), imports.ProductList}
	if other.here.Member.CompanyID == o.here.Member.CompanyID {
		t.Fatal("both are in one company")
	}
	other.mustRead("name\nOats\n")
	slow.Release()
	portaltest.NoError(t, <-ended)
	o.mustRead("name\nOats\n")
}

func TestReadingAFileEndsWhenTheBrowserHasLeft(t *testing.T) {
	o := products1001(t)
	ctx, leave := context.WithCancel(o.p.From(portaltest.HomeAddress))
	leave()
	_, err := o.p.Imports.Read(ctx, o.here, o.input(""), "form", strings.NewReader("name\nOats\n"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	o.mustRead("name\nOats\n") // the turn is free
}

func TestCompaniesWithoutAContractSendFewerFiles(t *testing.T) {
	o := products1001(t)
	o.p.Restart(func(options *portal.Options) { options.NoLimit = false })
	for name, c := range map[string]struct {
		change func(*store.Company)
		most   int
	}{
		"on trial": {
			func(company *store.Company) { company.Standing = store.Trial },
			imports.TrialFilesADay,
		},
		"tried without a phone": {func(company *store.Company) { company.Sandbox = true }, imports.SandboxFilesADay},
	} {
		here := o.here
		here.Member.Company.ID += 100 + int64(c.most)
		c.change(&here.Member.Company)
		free := importer{t, o.p, here, imports.ProductList}
		for range c.most {
			_, err := free.read("no spreadsheet")
			portaltest.Refused(t, err, access.ValidationFailed)
		}
		_, err := free.read("no spreadsheet")
		if portaltest.Refused(t, err, access.TooManyAttempts); err == nil {
			t.Errorf("%s: %d files", name, c.most+1)
		}
	}
}
