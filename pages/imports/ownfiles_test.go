package imports_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"portico/locale"
	"portico/pages/pagestest"
	"portico/store/storetest"
)

const company = "http://store1001.portico.test"

// send sends a file to be imported, and returns the page about it.
func send(b *pagestest.Browser, list string, file []byte) string {
	b.T.Helper()
	address := pagestest.Office + "/" + list + "/import"
	token := pagestest.HiddenFields(pagestest.Text(b.T, b.Get(address))).Get("token")
	r := b.SendFile(address, token, "list.xlsx", file)
	if r.StatusCode != http.StatusSeeOther {
		b.T.Fatalf("%d\n%s", r.StatusCode, pagestest.Text(b.T, r))
	}
	return pagestest.WantPage(b.T, b.Get(company+r.Header.Get("Location")), http.StatusOK)
}

// export returns the file with all rows of a list.
func export(b *pagestest.Browser, list, lang string) []byte {
	b.T.Helper()
	content, err := io.ReadAll(b.Get(pagestest.Office + "/" + list + "/export.xlsx?lang=" + lang).Body)
	if err != nil {
		b.T.Fatal(err)
	}
	return content
}

// stored returns the rows of some tables, sorted.
func stored(t *testing.T, s *pagestest.Site, tables ...string) (rows []string) {
	t.Helper()
	all, err := storetest.Dump(t.Context(), s.DB)
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(all) {
		if table, _, _ := strings.Cut(row, " "); slices.Contains(tables, table) {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}

func TestAWrongAnswerIsAskedAgain(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	page := send(b, "products", []byte("商品名称,商品分类,单位,价格,价格,库存\n大米,粮油,袋,5,6,7\n"))
	fields := pagestest.HiddenFields(page)
	for _, wrong := range []string{"0", "9", "x"} {
		fields.Set("price", wrong)
		page := pagestest.WantPage(t, b.Get(pagestest.Office+"/products/import?"+fields.Encode()), http.StatusOK)
		if pagestest.HiddenFields(page).Has("price") || !strings.Contains(page, `type="radio" name="price" value="4"`) {
			t.Errorf("after the answer %q:\n%s", wrong, page)
		}
	}
	fields.Set("price", "4")
	pagestest.WantPage(t, b.Get(pagestest.Office+"/products/import?"+fields.Encode()), http.StatusOK, "6.00")
}

func TestNumbersThatCountTheRowsAreAskedAbout(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	page := send(b, "products", []byte("货号,商品名称,商品分类,单位,单价,库存\n1,大米,粮油,袋,5,7\n2,小米,粮油,袋,6,7\n"))
	for _, part := range []string{`name="number" value="0"`, "1, 2", `name="number" value="-1"`, "该列只是行序号。"} {
		if !strings.Contains(page, part) {
			t.Errorf("no %s in\n%s", part, page)
		}
	}
}

// Exports show the samples of a company in the language of their reader.
func TestAnExportThatComesBackChangesNothing(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	before := stored(t, s, "products", "categories", "clients", "accounts")
	for _, lang := range []string{"zh", "es", "en"} {
		for _, list := range []string{"products", "customers", "people"} {
			page := send(b, list, export(b, list, lang))
			if want := locale.Lang(lang).T("import.nothing"); !strings.Contains(page, want) {
				t.Errorf("%s in %s: no %q in\n%s", list, lang, want, page)
			}
			if list == "products" && strings.Contains(page, `id="left"`) {
				t.Errorf("products in %s are left out:\n%s", lang, page)
			}
		}
	}
	if !slices.Equal(stored(t, s, "products", "categories", "clients", "accounts"), before) {
		t.Error("something was changed")
	}
}

func TestWhatIsEditedInAnExportIsChangedAndNothingElse(t *testing.T) {
	for _, lang := range []string{"zh", "es", "en"} {
		s := pagestest.NewSite(t, pagestest.Options{})
		b := s.SignInByPhone("13800000002")
		book, err := excelize.OpenReader(bytes.NewReader(export(b, "products", lang)))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := book.GetRows("Sheet1")
		if err != nil {
			t.Fatal(err)
		}
		price := slices.Index(rows[0], locale.Lang(lang).T("product.price"))
		cell, err := excelize.CoordinatesToCellName(price+1, 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := book.SetCellValue("Sheet1", cell, 77.7); err != nil {
			t.Fatal(err)
		}
		file, err := book.WriteToBuffer()
		if err != nil {
			t.Fatal(err)
		}
		before := stored(t, s, "products")
		page := send(b, "products", file.Bytes())
		fields := pagestest.FormFields(t, page, "/mgr/products/import/run")
		b.SendForm(pagestest.Office+"/products/import/run", fields)
		after := stored(t, s, "products")
		changed := 0
		for _, row := range after {
			if !slices.Contains(before, row) {
				changed++
				if !strings.Contains(row, "7770") {
					t.Errorf("%s: another product was changed: %s", lang, row)
				}
			}
		}
		if changed != 1 || len(after) != len(before) {
			t.Errorf("%s: %d products changed, %d instead of %d rows\n%s", lang, changed, len(after), len(before), page)
		}
	}
}
