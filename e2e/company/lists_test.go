package company

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/input"
	"github.com/xuri/excelize/v2"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
	"portico/store"
)

// search types a name into the search of a list. A script renews the list; without one, the button does.
func search(b *browser.Tab, noScripts bool, name string) {
	b.T.Helper()
	if noScripts {
		b.Fill("q", name)
		b.Follow(`.finder .search button`)
		return
	}
	awaitTools(b)
	b.Press(`#q`)
	browser.TypeKeys(b, name)
	b.Await("the address has the search", `q => new URLSearchParams(location.search).get("q") === q`, name)
}

// awaitTools waits for the script of a list.
func awaitTools(b *browser.Tab) {
	b.T.Helper()
	b.Await("the script of the list", `() => "ready" in document.querySelector("[data-island=list]").dataset`)
}

// scriptless reports whether the tab's mode has no scripts.
func scriptless(b *browser.Tab) bool { return strings.Contains(b.T.Name(), "without") }

// It runs before the others, which could not write while it fills the database.
func TestOneCustomerOfAHundredThousandIsFound(t *testing.T) {
	testscope.OnlyInAll(t, "the shapes of the lists are tested in shape")
	var company program.Company
	browser.InModes(t, []browser.Mode{browser.Scripted(browser.Phone, "zh"), browser.ScriptsOff(browser.Phone, "es"),
		browser.Scripted(browser.Desktop, "en")}, func(b *browser.Tab, text func(string) string) {
		if company.ID == 0 {
			company = b.Server.AddCompany(b.T, "zh", "", true)
			db := b.Server.Database(b.T)
			for from := 0; from < 100_000; from += 2000 { // the server writes in between
				// Their ids have seven digits, and so have all later ones: no id in the log looks like a code.
				_, err := db.ChangeRows(b.T.Context(), `INSERT INTO clients (id, company_id, name, search, created_at)
					WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
					SELECT 1000000 + ? + i, ?, 'Bodega ' || (? + i), 'bodega ' || (? + i), ? + i FROM n`,
					from, company.ID, from, from, from)
				b.Must(err)
			}
		}
		b.SetLanguage(company.Host())
		steps.SignIn(b, company.Phone)
		steps.OfficePage(b, company, "/customers")
		b.WantText("1,000+")
		search(b, scriptless(b), "bodega 73512")
		b.Find(`.rows tbody th a`)
		b.WantCount(`.rows tbody tr`, 1)
		b.WantText("Bodega 73512", strings.ReplaceAll(text("lists.total"), "{num}", "1"))
		b.Follow(`.rows tbody th a`)
		b.WantText("Bodega 73512")
	})
}

func TestFiltersCloseByATapBesideThem(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/lists and pages/lists")
	browser.InMode(t, browser.Scripted(browser.Phone, "en"), func(b *browser.Tab, _ func(string) string) {
		company := b.Server.AddCompany(b.T, b.Lang, "", true)
		steps.SignIn(b, company.Phone)
		steps.OfficePage(b, company, "/orders")
		b.Press(`.finder .filter summary`)
		b.WantCount(`.filter[open] [name=sort]`, 1)
		b.Press(`.finder .filter summary`) // on phones it is as large as the window
		b.WantCount(`.filter[open]`, 0)
	})
}

func TestThirtyApplicationsAreApprovedInOneGoAfterAColleagueDecidedThree(t *testing.T) {
	t.Parallel()
	browser.InMode(t, browser.Scripted(browser.Desktop, "en"), func(b *browser.Tab, text func(string) string) {
		company := b.Server.AddCompany(b.T, b.Lang, "", true)
		for range 30 {
			b.Server.AddApplication(b.T, company, program.NewApplicant())
		}
		colleague := b.Server.AddStaff(b.T, company, store.TypeAdministrator, program.NewPhone(), "林小满")
		steps.SignIn(b, company.Phone)
		steps.OfficePage(b, company, "/applications?limit=50&state=pending")
		if scriptless(b) && !b.Screen.Mobile {
			b.Follow(`.pick .all`)
		} else if scriptless(b) {
			b.Press(`tbody .pick input`)
			b.Follow(`.actbar .all`)
		} else {
			awaitTools(b)
			if b.Screen.Mobile {
				b.Press(`tbody .pick input`)
				b.Press(`.actbar .all`)
			} else {
				b.Press(`.pick [data-all]`)
			}
			b.WantText(strings.ReplaceAll(text("bulk.count"), "{num}", "30"))
		}
		b.WantCount(`tbody .pick :checked`, 30)
		b.Follow(`.actbar button[value=approve]`)
		b.WantText(strings.ReplaceAll(text("bulk.ask_approve"), "{num}", "30"))
		_, err := b.Server.Database(b.T).ChangeRows(b.T.Context(), `UPDATE applications
			SET state = 'rejected', reject_reason = 'x', decided_by = ?, decided_at = 1
			WHERE company_id = ? AND id IN (SELECT id FROM applications WHERE company_id = ? ORDER BY id LIMIT 3)`,
			colleague, company.ID, company.ID)
		b.Must(err)
		b.Follow(`#bulk button[value=approve]`)
		b.WantText(strings.ReplaceAll(text("bulk.done_approve"), "{num}", "27"),
			strings.ReplaceAll(text("bulk.obstacle_rejected_by"), "{name}", "林小满"))
		b.WantCount(`.chip.ok`, 27)
		b.WantCount(`.chip.warn`, 3)
		b.Reload()
		b.WantCount(`.chip.ok`, 27)
		if n := b.Server.Count(b.T, "SELECT COUNT(*) FROM audit_events WHERE kind = 'application_approved' AND "+
			"company_id = ?", company.ID); n != 27 {
			b.T.Errorf("%d approvals in the log, want 27", n)
		}
		b.Follow(`.decide a`)
		b.WantText(text("lists.nothing_found"))
	})
}

func TestAThousandCustomersAreImportedAndTheBadRowsCorrected(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "portal/imports and pages/imports import and correct them")
	browser.InModes(t, []browser.Mode{browser.Scripted(browser.Phone, "zh"), browser.ScriptsOff(browser.Phone, "es"),
		browser.Scripted(browser.Desktop, "en")}, func(b *browser.Tab, text func(string) string) {
		company := b.Server.AddCompany(b.T, b.Lang, "", true)
		count := func() int {
			return b.Server.Count(b.T, "SELECT COUNT(*) FROM clients WHERE company_id = ?", company.ID)
		}
		before := count()
		steps.SignIn(b, company.Phone)
		steps.OfficePage(b, company, "/customers")
		b.Follow(`.or-import a`) // of the empty list
		b.Follow(steps.SheetButton)
		b.WantText(text("problem.sheet_required"))
		sheet := text("order.client") + "," + text("customer.contact") + "\n"
		for i := range 1000 {
			if i%90 == 5 { // twelve rows
				sheet += ",Bo\n"
			} else {
				sheet += fmt.Sprintf("Bodega %d,Bo\n", i)
			}
		}
		steps.ChooseSheet(b, sheet)
		b.Follow(steps.SheetButton)
		b.WantText(strings.ReplaceAll(text("import.ask"), "{num}", "988"),
			strings.ReplaceAll(text("import.left_before"), "{num}", "12"), text("problem.company_required"))
		b.WantCount(`#left tbody tr`, 12)
		if n := count(); n != before {
			b.T.Errorf("%d customers were added before the question", n-before)
		}
		b.Follow(steps.SheetButton)
		b.WantText(strings.ReplaceAll(text("import.done"), "{num}", "988"))
		b.Reload()
		b.WantCount(`#left tbody tr`, 12)
		if n := count(); n != before+988 {
			b.T.Errorf("%d customers were added, want 988", n-before)
		}
		if scriptless(b) {
			return
		}
		rows := readSheet(b, `a[href*="remarks.xlsx"]`)
		if len(rows) != 13 || rows[0][0] != text("import.remark") || rows[1][0] == "" {
			b.T.Fatalf("%d rows with remarks: %q", len(rows), rows)
		}
		sheet = strings.Join(rows[0], ",") + "\n"
		for i, row := range rows[1:] {
			sheet += fmt.Sprintf("%q,Corner %d,%s\n", row[0], i, row[2])
		}
		b.Follow(`main .way[href$="/import"]`)
		steps.ChooseSheet(b, sheet)
		b.Follow(steps.SheetButton)
		b.Follow(steps.SheetButton)
		b.WantText(strings.ReplaceAll(text("import.done"), "{num}", "12"))
		if n := count(); n != before+1000 {
			b.T.Errorf("%d customers were added, want 1000", n-before)
		}
	})
}

func TestAFileThatLeavesQuestionsOpenIsImportedAfterTheAnswers(t *testing.T) {
	t.Parallel()
	browser.InModes(t, []browser.Mode{browser.ScriptsOff(browser.Phone, "es"), browser.Scripted(browser.Desktop, "zh")},
		func(b *browser.Tab, text func(string) string) {
			company := b.Server.AddCompany(b.T, b.Lang, "", true)
			file := filepath.Join(b.T.TempDir(), "list.xlsx")
			book := excelize.NewFile()
			for i, sheet := range []string{"Sheet1", "Drinks"} {
				_, err := book.NewSheet(sheet)
				b.Must(err)
				b.Must(book.SetSheetRow(sheet, "A1", &[]any{text("product.name"), text("product.category"),
					text("product.unit"), "PVP", "PVP", text("product.stock")}))
				b.Must(book.SetSheetRow(sheet, "A2", &[]any{fmt.Sprint("Té ", i), "Té", "caja", 12.5, 9.9, 7}))
			}
			b.Must(book.SaveAs(file))
			steps.SignIn(b, company.Phone)
			steps.OfficePage(b, company, "/products/import")
			browser.SetFile(b, `input[type=file]`, file)
			b.Follow(steps.SheetButton)
			b.WantText(text("import.ask_sheet"), "Drinks")
			b.Press(`input[name=sheet][value="2"]`)
			b.Follow(steps.SheetButton)
			b.WantText(text("import.ask_columns"), "12.5", "9.9")
			b.Press(`input[name=price][value="4"]`)
			b.Follow(steps.SheetButton)
			b.WantText("9.90", "Drinks")
			b.Follow(steps.SheetButton)
			b.WantText(text("import.see_products"))
			if n := b.Server.Count(b.T, "SELECT COUNT(*) FROM products WHERE company_id = ? AND name = ? "+
				"AND price = 990", company.ID, "Té 1"); n != 1 {
				b.T.Errorf("%d products have the price that was chosen", n)
			}
			b.Follow(`main p a[href*="/import?file="]`) // another sheet
			b.WantText(text("import.ask_sheet"))
		})
}

func TestOrderIsFoundAndConfirmedByKeyboardAlone(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/lists and pages/lists")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	company := b.Server.AddCompany(t, "en", "", true)
	b.ClearCookies()
	addOrders(b, company, 5)
	steps.SignIn(b, company.Phone)
	steps.OfficePage(b, company, "/orders")
	awaitTools(b)
	browser.TypeKeys(b, "/")
	b.Await("the search has the focus", `() => document.activeElement.id === "q"`)
	browser.TypeKeys(b, "9003")
	b.Await("one order is found", `() => document.querySelectorAll(".rows tbody tr").length === 1`)
	b.Await("the number is said",
		`() => [...document.querySelectorAll("body > [role=status]")].some(e => e.textContent === "1 found")`)
	browser.TabTo(b, `.tools > .button`) // out of the search
	browser.TypeKeys(b, "?")
	b.Await("the keys are shown", `() => document.querySelector("dialog.keys").open`)
	browser.PressKey(b, input.Escape)
	b.Await("the keys are closed", `() => !document.querySelector("dialog.keys").open`)
	browser.TypeKeys(b, "jx")
	b.WantText("1 selected")
	browser.WantFocusVisible(b)
	browser.TabTo(b, `.actbar button[value=confirm]`)
	browser.PressEnter(b)
	b.WantText("Confirm 1 order?")
	browser.TabTo(b, `#bulk button[value=confirm]`)
	browser.PressEnter(b)
	b.WantText("1 order confirmed", "Order 9003")
}

// addOrders adds a customer with n new orders, numbered from 9001.
func addOrders(b *browser.Tab, company program.Company, n int) {
	b.T.Helper()
	db := b.Server.Database(b.T)
	customer, err := db.Clients.Add(b.T.Context(), store.Client{
		CompanyID: company.ID, Name: "River Lane Bistro", State: store.ClientPartner, CreatedAt: 1,
	})
	b.Must(err)
	for i := range n {
		_, err := db.Orders.Add(b.T.Context(), store.Order{
			CompanyID: company.ID, Number: int64(9001 + i), ClientID: customer, State: store.OrderNew,
			Form: fmt.Sprint("list", company.ID, i), Total: int64(100 * i), PlacedAt: store.Instant(i + 1),
		})
		b.Must(err)
	}
}

func TestExportedExcelFileHasTheRowsOfTheList(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/lists and pages/lists")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	company := b.Server.AddCompany(t, "en", "", true)
	b.ClearCookies()
	addOrders(b, company, 7)
	steps.SignIn(b, company.Phone)
	steps.OfficePage(b, company, "/orders?state=new")
	rows := readSheet(b, `.exports a[href*="export.xlsx"]`)
	if len(rows) != 8 || rows[1][0] != "9007" || rows[1][2] != "River Lane Bistro" {
		t.Errorf("%q", rows)
	}
}

// readSheet downloads the Excel file of a link and reads its rows.
func readSheet(b *browser.Tab, link string) [][]string {
	b.T.Helper()
	text := browser.Eval[string](b, `async link => {
		const answer = await fetch(document.querySelector(link).href)
		let text = ""
		for (const byte of new Uint8Array(await answer.arrayBuffer())) text += String.fromCharCode(byte)
		return btoa(text)
	}`, link)
	file, err := base64.StdEncoding.DecodeString(text)
	b.Must(err)
	book, err := excelize.OpenReader(bytes.NewReader(file))
	b.Must(err)
	rows, err := book.GetRows("Sheet1")
	b.Must(err)
	return rows
}
