package imports_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/imports"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/shop"
	"portico/store"
)

// words are the names of columns and roles in the files of these tests.
var words = imports.Words{
	Columns: map[string]imports.Word{
		"name": {Column: imports.NameColumn}, "客户": {Column: imports.NameColumn}, "año": {Column: imports.NameColumn},
		"contact": {Column: imports.ContactColumn}, "联系人": {Column: imports.ContactColumn},
		"phone": {Column: imports.PhoneColumn}, "telephone": {Column: imports.PhoneColumn, Rank: 1},
		"role": {Column: imports.RoleColumn}, "customer": {Column: imports.CustomerColumn},
		"login":  {Column: imports.LoginColumn},
		"number": {Column: imports.NumberColumn}, "code": {Column: imports.NumberColumn, Rank: 1},
		"category": {Column: imports.CategoryColumn}, "spec": {Column: imports.SpecColumn},
		"unit": {Column: imports.UnitColumn}, "price": {Column: imports.PriceColumn},
		"retail": {Column: imports.PriceColumn, Rank: 1}, "cost": {Column: imports.PriceColumn, Rank: 1},
		"stock": {Column: imports.StockColumn},
	},
	Roles: map[string]int64{"admin": store.TypeAdministrator, "staff": store.TypeEmployee, "buyer": store.TypeShop},
}

// importer imports files as one account.
type importer struct {
	t    *testing.T
	p    *portaltest.Platform
	here access.Landing
	list imports.List
}

func (o importer) input(key string) imports.Input {
	return imports.Input{List: o.list, Key: key, Words: words}
}

func (o importer) read(file string) (string, error) {
	return o.p.Imports.Read(o.p.From(portaltest.HomeAddress), o.here, o.input(""), "form", strings.NewReader(file))
}

// mustRead reads a file and returns its key with what an import would do.
func (o importer) mustRead(file string) (string, imports.Import) {
	o.t.Helper()
	key, err := o.read(file)
	portaltest.NoError(o.t, err)
	im, err := o.p.Imports.Import(o.t.Context(), o.here, o.input(key))
	portaltest.NoError(o.t, err)
	return key, im
}

// run imports a file and returns what that did.
func (o importer) run(key string) imports.Import {
	o.t.Helper()
	portaltest.NoError(o.t, o.p.Imports.Run(o.p.From(portaltest.HomeAddress), o.here, o.input(key)))
	im, err := o.p.Imports.Import(o.t.Context(), o.here, o.input(key))
	portaltest.NoError(o.t, err)
	if !im.Ran {
		o.t.Error("the result does not say that it is one")
	}
	return im
}

// wantRows compares rows: each is written as its line, its outcome, and its remarks. After a run only those that were
// left out are there; the others are counted.
func (o importer) wantRows(im imports.Import, want ...string) {
	o.t.Helper()
	if im.Ran {
		sums := map[shop.ImportOutcome]int{}
		want = slices.DeleteFunc(want, func(row string) bool {
			outcome := shop.ImportOutcome(strings.Split(row, " ")[1])
			sums[outcome]++
			return outcome != ""
		})
		if !maps.Equal(sums, im.Sums) {
			o.t.Errorf("%v, want %v", im.Sums, sums)
		}
	}
	var got []string
	for _, row := range im.Rows {
		text := fmt.Sprint(row.Line, " ", row.Outcome)
		for _, r := range row.Remarks {
			text += fmt.Sprint(" ", r.Column, ":", r.Problem, r.Refusal)
			if r.Line != 0 {
				text += fmt.Sprint("=", r.Line)
			}
		}
		got = append(got, text)
	}
	if !slices.Equal(got, want) {
		o.t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAThousandCustomersAreImportedWithoutTheBadRows(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := importer{t, p, p.Administrator(), imports.CustomerList}
		var file strings.Builder
		file.WriteString("name,contact,phone,colour\n")
		for i := range 1000 {
			switch {
			case i%100 == 7: // ten without a name
				file.WriteString(",Bo,,red\n")
			case i == 500:
				file.WriteString("Customer 499,Bo,,red\n")
			case i == 501:
				file.WriteString("Customer 501,Bo,123,red\n")
			default:
				fmt.Fprintf(&file, "Customer %d,Bo,,red\n", i)
			}
		}
		before := p.DumpRows("idempotency_keys", "attempts")
		key, im := o.mustRead(file.String())
		if im.Ran || im.Sums[shop.Adds] != 988 || im.Sums[""] != 12 {
			t.Errorf("%t: %d are added, %d left out", im.Ran, im.Sums[shop.Adds], im.Sums[""])
		}
		if p.DumpRows("idempotency_keys", "attempts") != before {
			t.Error("looking at a file changed something")
		}
		at := im.Rows[500]
		if len(at.Remarks) != 1 || at.Remarks[0] != (imports.Remark{
			Column: imports.NameColumn, Problem: imports.RowTwice, Line: 501,
		}) || at.Line != 502 {
			t.Errorf("%+v", at)
		}
		customers := countCustomers(t, p)
		if done := o.run(key); done.Sums[shop.Adds] != 988 || done.Sums[""] != 12 {
			t.Errorf("%d were added, %d left out", done.Sums[shop.Adds], done.Sums[""])
		}
		if n := countCustomers(t, p); n != customers+988 {
			t.Errorf("%d customers after %d", n, customers)
		}
		if n := p.CountEvents(1001, "customer_added"); n != 988 {
			t.Errorf("%d events", n)
		}
		after := p.DumpRows("idempotency_keys", "attempts")
		if again := o.run(key); again.Sums[shop.Adds] != 988 {
			t.Error("the second run has another result")
		}
		_, im = o.mustRead(file.String() + " \n")
		if im.Sums[shop.Adds] != 988 {
			t.Error("the same form and rows lead to another import")
		}
		key, err := p.Imports.Read(t.Context(), o.here, o.input(""), "another form", strings.NewReader(file.String()))
		portaltest.NoError(t, err)
		if done := o.run(key); done.Sums[""] != 1000 ||
			done.Rows[0].Remarks[0].Problem != office.CustomerNamed {
			t.Errorf("%d left out, %+v", done.Sums[""], done.Rows[0])
		}
		if p.DumpRows("idempotency_keys", "attempts") != after {
			t.Error("a repeated import changed something")
		}
	})
}

func countCustomers(t *testing.T, p *portaltest.Platform) int {
	t.Helper()
	n, err := p.DB.Clients.Count(t.Context(), 1001, 100_000)
	portaltest.NoError(t, err)
	return n
}

func TestFilesAreReadAsSpreadsheetsWriteThem(t *testing.T) {
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for name, file := range map[string]string{
			"commas":                 "name,contact\nLee,Bo\n",
			"semicolons":             "name;contact\r\nLee;Bo\r\n",
			"tabs":                   "contact\tname\nBo\tLee\n",
			"a mark":                 "\ufeffname,contact\nLee,Bo",
			"quotes":                 "\"name\",\"contact\"\n\"Lee\",\"Bo\"\n",
			"UTF-16":                 encoded(t, utf16, "name\tcontact\nLee\tBo\n"),
			"a title above":          "Our customers\n\nNAME , contact\n,\nLee,Bo\n,,\n",
			"other columns":          "x,name,y,contact,title\n1,Lee,2,Bo,Mr\n",
			"an apostrophe":          "name,contact\n'Lee,Bo\n",
			"Excel":                  workbook(t, [][]any{{"name", "contact"}, {"Lee", "Bo"}}),
			"Excel with empty cells": workbook(t, [][]any{{nil, "name"}, {}, {nil, "Lee", nil, "Bo"}}),
		} {
			o := importer{t, p, p.Administrator(), imports.CustomerList}
			_, im := o.mustRead(file)
			if len(im.Rows) != 1 || im.Rows[0].Outcome != shop.Adds ||
				!strings.Contains(strings.Join(im.Rows[0].Cells, "|"), "Lee") {
				t.Errorf("%s: %+v", name, im)
			}
		}
		o := importer{t, p, p.Administrator(), imports.CustomerList}
		_, im := o.mustRead("name,contact\n\nLee,Bo\n\n\n\"Al\nBo\",Bo\nWang,Bo\n")
		o.wantRows(im, "3 adds", "6  name:company_malformed", "7 adds") // numbers as a spreadsheet shows them
		for want, file := range map[string]string{
			"江边小馆": encoded(t, simplifiedchinese.GB18030, "客户,联系人\n江边小馆,王芳\n"),
			"Peña": encoded(t, charmap.Windows1252, "Año;contact\nPeña;Ñandú\n"),
			"+86":  "name\n'+86\n",
			"'=x":  "name\n''=x\n",
		} {
			key, _ := o.mustRead(file)
			o.run(key)
			if !strings.Contains(p.DumpRows(), want) {
				t.Errorf("%q was not added", want)
			}
		}
	})
}

func encoded(t *testing.T, by encoding.Encoding, text string) string {
	t.Helper()
	encoded, err := by.NewEncoder().String(text)
	portaltest.NoError(t, err)
	return encoded
}

// workbook returns an Excel file with one sheet.
func workbook(t *testing.T, rows [][]any) string {
	t.Helper()
	return sheets(t, sheet{name: "Sheet1", rows: rows})
}

// sheet is a sheet of an Excel file. hidden are the numbers of rows that are not shown.
type sheet struct {
	name   string
	rows   [][]any
	hidden []int
}

// sheets returns an Excel file.
func sheets(t *testing.T, all ...sheet) string {
	t.Helper()
	file := excelize.NewFile()
	portaltest.NoError(t, file.SetSheetName("Sheet1", all[0].name))
	for _, s := range all {
		_, err := file.NewSheet(s.name)
		portaltest.NoError(t, err)
		for i, cells := range s.rows {
			portaltest.NoError(t, file.SetSheetRow(s.name, fmt.Sprint("A", i+1), &cells))
		}
		for _, row := range s.hidden {
			portaltest.NoError(t, file.SetRowVisible(s.name, row, false))
		}
	}
	content, err := file.WriteToBuffer()
	portaltest.NoError(t, err)
	return content.String()
}

// forged returns an Excel file with another part in place of one of its parts.
func forged(t *testing.T, part, content string) string {
	t.Helper()
	book := workbook(t, [][]any{{"name"}, {"Lee"}})
	from, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	portaltest.NoError(t, err)
	var file bytes.Buffer
	to := zip.NewWriter(&file)
	for _, f := range from.File {
		w, err := to.Create(f.Name)
		portaltest.NoError(t, err)
		r, err := f.Open()
		portaltest.NoError(t, err)
		text, err := io.ReadAll(r)
		portaltest.NoError(t, err)
		if f.Name == part {
			text = []byte(content)
		}
		_, err = w.Write(text)
		portaltest.NoError(t, err)
	}
	portaltest.NoError(t, to.Close())
	return file.String()
}

func TestABadFileIsRefusedWithItsFault(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := importer{t, p, p.Administrator(), imports.CustomerList}
		const sheet = "xl/worksheets/sheet1.xml"
		for name, c := range map[string]struct {
			file string
			want access.Problem
		}{
			"nothing":             {"", imports.RowsMissing},
			"empty lines":         {"\n\n,,,\n", imports.RowsMissing},
			"only names":          {"name,contact\n,\n", imports.RowsMissing},
			"no names":            {"Lee,Bo\nWang,Fang\n", imports.ColumnsMissing},
			"names too far below": {strings.Repeat("x\n", 10) + "name\nLee\n", imports.ColumnsMissing},
			"a picture":           {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", imports.FileUnreadable},
			"Excel 2003":          {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", imports.FileOld},
			"an archive":          {"PK\x03\x04 but nothing else", imports.FileUnreadable},
			"no workbook":         {forged(t, "xl/workbook.xml", "<x"), imports.FileUnreadable},
			"a sheet cut off": {forged(t, sheet, `<worksheet><sheetData><row r="1"><c r="A1"`),
				imports.FileUnreadable},
			"a web page":    {"<html><table><tr><td>name</td></tr></table></html>", imports.FileWebPage},
			"too many rows": {"name\n" + strings.Repeat("Lee\n", 1001), imports.RowsTooMany},
			"much text":     {"name\n" + strings.Repeat("x", 64<<10+1) + "\n", imports.FileTooLarge},
			"too large":     {"name\n" + strings.Repeat("x\n", access.MaxUpload/2), imports.FileTooLarge},
		} {
			_, err := o.read(c.file)
			refused, ok := errors.AsType[*access.Refused](err)
			if !ok || refused.Fields["file"] != c.want {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
		}
		_, err := p.Imports.Read(t.Context(), o.here, o.input(""), "form", nil)
		refused := portaltest.Refused(t, err, access.ValidationFailed)
		if refused.Fields["file"] != imports.FileRequired {
			t.Errorf("%v", err)
		}
	})
}

func TestAFileUpToALimitIsReadAndALargerOneIsRefused(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := importer{t, p, p.Administrator(), imports.CustomerList}
		for name, c := range map[string]struct {
			largest, larger string
			want            access.Problem
		}{
			"rows": {"name\n" + strings.Repeat("Lee\n", 1000), "name\n" + strings.Repeat("Lee\n", 1001),
				imports.RowsTooMany},
			"columns": {strings.Repeat("x,", 29) + "name\n" + strings.Repeat(",", 29) + "Lee\n",
				strings.Repeat("x,", 30) + "name\n" + strings.Repeat(",", 30) + "Lee\n", imports.ColumnsMissing},
			"rows above the names of columns": {strings.Repeat("x\n", 9) + "name\nLee\n",
				strings.Repeat("x\n", 10) + "name\nLee\n", imports.ColumnsMissing},
			"stored rows": {storedAs(t, 1<<20), storedAs(t, 1<<20+1), imports.FileTooLarge},
		} {
			if _, err := o.read(c.largest); err != nil {
				t.Errorf("%s: the largest file is refused: %v", name, err)
			}
			_, err := o.read(c.larger)
			if refused, ok := errors.AsType[*access.Refused](err); !ok || refused.Fields["file"] != c.want {
				t.Errorf("%s: a larger file: %v, want %s", name, err, c.want)
			}
		}
		_, im := o.mustRead("name\n" + strings.Repeat("x", 600) + "\n" + strings.Repeat("x", 601) + "\n")
		for _, row := range im.Rows { // a longer cell is cut
			if len(row.Cells[0]) != 600 {
				t.Errorf("a cell of %d bytes is read", len(row.Cells[0]))
			}
		}
	})
}

// storedAs returns a file whose rows take so many bytes when they are stored.
func storedAs(t *testing.T, size int) string {
	t.Helper()
	type sheet struct {
		Name  string
		Heads []imports.Head
		Rows  []imports.Row
	}
	names := []string{"name", "contact", "phone"}
	stored, text := sheet{}, strings.Join(names, ",")+"\n"
	for _, name := range names {
		stored.Heads = append(stored.Heads, imports.Head{Text: name, Column: imports.Column(name)})
	}
	for line, left := 2, size; left > 0; line++ {
		row := imports.Row{Line: line, Cells: []string{"x", "", ""}}
		stored.Rows = append(stored.Rows, row)
		content, err := json.Marshal(map[string][]sheet{"Sheets": {stored}})
		portaltest.NoError(t, err)
		left = size - len(content)
		for i := range row.Cells {
			fill := min(left, 500)
			row.Cells[i] += strings.Repeat("x", fill)
			left -= fill
		}
		text += strings.Join(row.Cells, ",") + "\n"
		if 0 < left && left < 50 { // too little for a row of its own
			t.Fatalf("%d bytes left", left)
		}
	}
	return text
}

func TestACompanySendsAtMostOneHundredFilesADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Restart(func(o *portal.Options) { o.NoLimit = false })
		o := importer{t, p, p.Administrator(), imports.CustomerList}
		for range 100 {
			_, err := o.read("no spreadsheet")
			portaltest.Refused(t, err, access.ValidationFailed)
		}
		_, err := o.read("name\nLee\n")
		portaltest.Refused(t, err, access.TooManyAttempts)
		p.Clock.Advance(24 * time.Hour)
		_, err = o.read("name\nLee\n")
		portaltest.NoError(t, err)
	})
}

func TestPeopleAreInvited(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := importer{t, p, p.Administrator(), imports.PeopleList}
		partner, err := p.DB.Clients.ByID(t.Context(), 1001, companytest.PartnerID(p))
		portaltest.NoError(t, err)
		file := "name,phone,role,customer,login\n" +
			"Ann,13911110001,,,\n" +
			"Ben,139 1111 0002,ADMIN,,\n" +
			"Cid,+86 13911110003,," + partner.Name + ",cid.buys\n" +
			"Dan,13911110001,staff,,\n" +
			"Eve,,staff,,\n" +
			"Fay,12,boss,,\n" +
			"Gus,13911110004,buyer,Nobody's,\n" +
			"Hal,13911110005,buyer,,\n" +
			"Ida," + portaltest.ManagerPhone + ",,,\n" +
			",13911110006,,,\n"
		want := []string{
			"2 adds", "3 adds", "4 adds", "5  phone:row_twice=2", "6  phone:phone_required",
			"7  role:role_unknown phone:phone_malformed", "8  customer:customer_unknown", "9  customer:client_required",
			"10  phone:phone_has_account", "11  name:name_required",
		}
		key, im := o.mustRead(file)
		o.wantRows(im, want...)
		o.wantRows(o.run(key), want...)
		if m := p.Account("cid.buys"); !m.Invited || m.ClientID != partner.ID || m.Name != "Cid" {
			t.Errorf("%+v", m.Account)
		}
		for event, n := range map[string]int{"account_opened": 3, "account_invited": 3, "customer_added": 0} {
			if got := p.CountEvents(1001, event); got != n {
				t.Errorf("%d events %s, want %d", got, event, n)
			}
		}
		key, err = p.Imports.Read(t.Context(), o.here, o.input(""), "another form",
			strings.NewReader("name,phone,login\nAnn,13911110009,cid.buys\nBea,13911110010,li.manager\n"))
		portaltest.NoError(t, err)
		o.wantRows(o.run(key), "2 adds", "3  login:login_taken")
	})
}

func TestACustomersContactIsInvitedToTheShop(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := importer{t, p, p.Administrator(), imports.CustomerList}
		taken := p.Account("buyer1")
		key, im := o.mustRead("name,contact,phone\nLee's,Lee,13911110001\nBo's,,13911110002\n" +
			"Al's,Al," + taken.Phone + "\nAl's 2,Al,13911110001\n")
		want := []string{
			"2 adds", "3  contact:field_required", "4  phone:phone_has_account", "5  phone:row_twice=2",
		}
		o.wantRows(im, want...)
		before := p.DumpRows("idempotency_keys", "attempts")
		o.wantRows(o.run(key), want...)
		if p.DumpRows("idempotency_keys", "attempts") == before || strings.Contains(p.DumpRows(), "Al's") {
			t.Error("the customer without a mistake was not added alone")
		}
		if n := p.CountEvents(1001, "account_invited"); n != 1 {
			t.Errorf("%d invitations", n)
		}
	})
}

// What a file reveals of other companies is limited as for single accounts.
func TestAnImportRevealsOnlyFewExclusivePhonesOfOthers(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Restart(func(o *portal.Options) { o.NoLimit = false })
		phones := companytest.AddExclusiveCompany(p, office.PhonesRevealed+3)
		file := "name,contact,phone\n"
		for i, phone := range phones {
			file += fmt.Sprintf("Shop %d,Bo,%s\n", i, phone)
		}
		o := importer{t, p, p.Administrator(), imports.CustomerList}
		key, im := o.mustRead(file)
		if im.Sums[""] != 0 {
			t.Errorf("before the import %d rows are left out: %+v", im.Sums[""], im.Rows)
		}
		revealed, limited := 0, 0
		for _, row := range o.run(key).Rows {
			switch row.Remarks[0].Refusal {
			case access.PhoneBoundElsewhere:
				revealed++
			case access.TooManyAttempts:
				limited++
			}
		}
		if revealed != office.PhonesRevealed || limited != 3 {
			t.Errorf("%d phones revealed, %d rows limited", revealed, limited)
		}
		if strings.Contains(p.DumpRows(), "Shop 1") {
			t.Error("a customer was added although its contact was refused")
		}
	})
}

func TestAPriceListAddsAndChangesProducts(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := importer{t, p, p.Administrator(), imports.ProductList}
		key, im := o.mustRead("name,number,category,spec,unit,price,stock\n" +
			"Rye,R1,Grain,5 kg,bag,12.5,100\n" +
			"Oats,,Grain,,bag,\"1,234.50\",7\n" +
			"Corn,R1,Grain,,bag,1,1\n" +
			"Salt,S1,,,bag,x,1\n")
		want := []string{
			"2 adds", "3 adds", "4  number:row_twice=2", "5  category:category_missing price:price_malformed",
		}
		o.wantRows(im, want...)
		o.wantRows(o.run(key), want...)
		for file, want := range map[string]string{
			"name,number,price\n,r1,13\n":                          "2 changes",
			"name,number,price\n,R1,12.50\n":                       "2 keeps",
			"name,number,stock\nRye 2,R1,0\n":                      "2 changes",
			"name,number,category\n,R1,Flour\n":                    "2 changes",
			"name,number\nOats,\n":                                 "2 keeps",
			"name,category,unit,price,stock\nOats,Grain,bag,1,1\n": "2 changes",
			"name,number,price\nOats,O1,1\n":                       "2 changes",
			"name,price\nRye,1\n": "2  category:category_missing unit:unit_missing " +
				"stock:stock_malformed",
			"name,category,unit,price,stock\nRye,Grain,bag,1,1\n": "2  name:product_named",
		} {
			_, im := o.mustRead(file)
			if !strings.HasPrefix(want, "2  ") || len(im.Rows) != 1 {
				o.wantRows(im, want)
				continue
			}
			var got []string
			for _, r := range im.Rows[0].Remarks {
				got = append(got, fmt.Sprint(r.Column, ":", r.Problem))
			}
			if strings.Join(got, " ") != strings.TrimPrefix(want, "2  ") {
				t.Errorf("%s: %v", file, got)
			}
		}
		key, _ = o.mustRead("name,number,price,category\nRye 3,R1,13,Flour\n,R1,14,\n")
		o.wantRows(o.run(key), "2 changes", "3  number:row_twice=2")
		key, _ = o.mustRead("name,number,price,category\nRye 3,R1,13,Flour\n")
		o.wantRows(o.run(key), "2 keeps")
		if n := p.CountEvents(1001, "product_edited"); n != 1 {
			t.Errorf("%d products edited", n)
		}
		all, err := p.DB.Catalogue.Products(t.Context(), 1001)
		portaltest.NoError(t, err)
		at := slices.IndexFunc(all, func(got store.Product) bool { return got.Number == "R1" })
		if got := all[at]; got.Name != "Rye 3" || got.Price != 1300 || got.Stock != 100 || got.Spec != "5 kg" {
			t.Errorf("%+v", got)
		}
	})
}

// A file belongs to the account that sent it, and a company's rows never depend on another company.
func TestAFileBelongsToItsAccount(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		const file = "name\nLee\n"
		o := importer{t, p, p.Administrator(), imports.CustomerList}
		key, _ := o.mustRead(file)
		stranger := p.LandingFor(companytest.AddCompany(p, "zh"))
		colleague := p.LandingFor(companytest.AddAccount(p, "boss2", 1001, store.Mgr, ""))
		before := p.DumpRows("idempotency_keys")
		for _, here := range []access.Landing{stranger, colleague} {
			here.Member.Type = store.TypeAdministrator
			_, err := p.Imports.Import(t.Context(), here, o.input(key))
			portaltest.Refused(t, err, access.NotFound)
			portaltest.Refused(t, p.Imports.Run(t.Context(), here, o.input(key)), access.NotFound)
		}
		for list, want := range map[imports.List]access.Refusal{
			imports.PeopleList: access.NotFound, imports.ProductList: access.NotFound, "orders": access.NotFound,
		} {
			in := o.input(key)
			in.List = list
			portaltest.Refused(t, p.Imports.Run(t.Context(), o.here, in), want)
		}
		employee := o.here
		employee.Member.Type = store.TypeEmployee
		for _, list := range imports.Lists {
			in := o.input(key)
			in.List = list
			_, err := p.Imports.Import(t.Context(), employee, in)
			portaltest.Refused(t, err, access.Forbidden)
			_, err = p.Imports.Read(t.Context(), employee, in, "form", strings.NewReader(file))
			portaltest.Refused(t, err, access.Forbidden)
			portaltest.Refused(t, p.Imports.Run(t.Context(), employee, in), access.Forbidden)
		}
		if p.DumpRows("idempotency_keys") != before {
			t.Error("a refused import changed something")
		}
		theirs := importer{t, p, stranger, imports.CustomerList}
		key, _ = theirs.mustRead(file)
		theirs.run(key)
		_, im := o.mustRead(file)
		o.wantRows(im, "2 adds")
	})
}
