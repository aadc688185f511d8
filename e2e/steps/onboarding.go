package steps

import (
	"fmt"

	"portico/e2e/browser"
	"portico/e2e/program"
)

// Selectors of the controls for beginning: registration, trial, shop and back office.
const (
	ImportButton  = `button[name=import][value="1"]`
	EmptyButton   = `button[name=import][value="0"]`
	EnterButton   = `form[action="/company"] button`
	SwitchButton  = `.try button[value=switch]`
	MineLink      = `.try a[href*="/register?sandbox="]`
	MoreButton    = `.step-by[name=more]`
	CartLink      = `.menu a[href$="/cart"]`
	OrderButton   = `button[name=action][value=order]`
	ConfirmButton = `button[name=action][value=confirm]`
	OrdersLink    = `.menu a[href$="/orders"]`
	CustomersLink = `.menu a[href$="/customers"]`
	SettingsLink  = `.menu a[href$="/settings"]`
	SamplesLink   = `main a[href$="/settings/initialisation"]`
	ClearButton   = `button[name=action][value=clear_samples]`
	PlacedOrder   = `main a.placed, main .rows.of-orders tbody a`
)

// BackOfficeOf is the page on which a founder arrives in the new company's back office.
func BackOfficeOf(b *browser.Tab, f program.Founder) browser.Arrival {
	b.T.Helper()
	host, path := SideOf(b, "mgr", b.Server.CompanyOf(b.T, f.Phone))
	return browser.Arrival{Host: host, Path: path, Holder: f.Name, Company: f.Company}
}

// industryCard is the selector of the card of an industry.
func industryCard(id int) string { return fmt.Sprintf(`label.industry:has(input[value="%d"])`, id) }

// RoleButton is the selector of the button that enters a side of a trial.
func RoleButton(side string) string { return fmt.Sprintf(`button[name=role][value="%s"]`, side) }

// choose presses a box or card unless it is chosen already.
func choose(b *browser.Tab, selector, control string) {
	b.T.Helper()
	if !browser.Eval[bool](b, `s => document.querySelector(s).checked`, control) {
		b.Press(selector)
	}
	b.Await("the choice", `s => document.querySelector(s).checked`, control)
}

// AcceptAgreement ticks the box of the service agreement.
func AcceptAgreement(b *browser.Tab) {
	b.T.Helper()
	choose(b, browser.Field("agree"), browser.Field("agree"))
}

// ChooseIndustry chooses the card of an industry.
func ChooseIndustry(b *browser.Tab, id int) {
	b.T.Helper()
	choose(b, industryCard(id), fmt.Sprintf(`input[name=industry][value="%d"]`, id))
}

// DescribeCompany fills in the form of a new company, except phone and code.
func DescribeCompany(b *browser.Tab, f program.Founder) {
	b.T.Helper()
	if b.Has(browser.Field("password")) {
		b.Fill("password", program.NewPassword)
	}
	b.Fill("name", f.Name)
	b.Fill("company_name", f.Company)
	AcceptAgreement(b)
}

// RegisterCompany registers a company, up to the choice of its industry, and returns the code that was used.
func RegisterCompany(b *browser.Tab, f program.Founder) (code string) {
	b.T.Helper()
	b.Visit("account", "/register")
	b.Fill("phone", f.Phone)
	code = RequestCode(b, f.Phone)
	DescribeCompany(b, f)
	EnterCode(b, code)
	b.WantAt("account", "/register/init")
	return code
}

// WantCompanies checks how many companies a phone administers, trials excluded.
func WantCompanies(b *browser.Tab, number string, want int) {
	b.T.Helper()
	n := b.Server.Count(
		b.T,
		`SELECT COUNT(*) FROM accounts a JOIN phones p ON p.id = a.phone_id JOIN companies c ON c.id = a.company_id
			WHERE p.phone = ? AND a.side = 'mgr' AND c.sandbox = ?`,
		number,
		false,
	)
	if n != want {
		b.T.Errorf("%d companies, want %d", n, want)
	}
}

// OpenTrial opens the trial of an industry, up to the choice of a side.
func OpenTrial(b *browser.Tab, number string, industry int) {
	b.T.Helper()
	b.Visit("account", "/experience")
	b.Fill("phone", number)
	code := RequestCode(b, number)
	ChooseIndustry(b, industry)
	AcceptAgreement(b)
	EnterCode(b, code)
	b.WantAt("account", "/experience/role")
}

// EnterTrial opens the trial of an industry and enters one side of it.
func EnterTrial(b *browser.Tab, number string, industry int, side string) {
	b.T.Helper()
	OpenTrial(b, number, industry)
	b.Follow(RoleButton(side))
}
