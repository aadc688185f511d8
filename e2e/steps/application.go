package steps

import (
	"portico/e2e/browser"
	"portico/e2e/program"
)

// Selectors of the controls for applications.
const (
	AgainLink        = `.state a.button`
	ApproveButton    = `button[name=action][value=approve]`
	rejectionToggle  = `.rejection summary`
	RejectButton     = `button[name=action][value=reject]`
	ApplicationsLink = `.menu a[href$="/applications"]`
	regionButton     = `button[name=action][value=region]`
)

// OpenRejection opens the form with the reason of a rejection. A script scrolls it into view, so this waits until the
// cursor is in the reason.
func OpenRejection(b *browser.Tab) {
	b.T.Helper()
	if !b.NoScripts && browser.HasScripts {
		b.Await("the form to be watched", `() => "ready" in document.querySelector(".rejection").dataset`)
	}
	b.Press(rejectionToggle)
	if !b.NoScripts && browser.HasScripts {
		b.Await("the cursor in the reason", `() => document.activeElement.id === "reason"`)
	}
}

// Apply opens a company's registration and proves the applicant's phone, up to the form.
func Apply(b *browser.Tab, company program.Company, a program.Applicant) {
	b.T.Helper()
	b.Visit(company.Host(), "/register")
	b.Fill("phone", a.Phone)
	EnterCode(b, RequestCode(b, a.Phone))
	b.WantAt(company.Host(), "/register/more")
	if !b.NoScripts {
		b.Await("the draft to be watched", `() => "ready" in document.forms.care.dataset`)
	}
}

// DescribeApplicant types what every company asks for.
func DescribeApplicant(b *browser.Tab, a program.Applicant) {
	b.T.Helper()
	b.Fill("company_name", a.Company)
	b.Fill("contact_name", a.Name)
}

// ChooseRegion chooses 西湖区. A phone with scripts has a sheet, a desktop has lists that fill themselves, and without
// scripts a button fills the next list.
func ChooseRegion(b *browser.Tab) {
	b.T.Helper()
	way := []struct{ name, code, text string }{
		{"province", "330000", "浙江省"},
		{"city", "330100", "杭州市"},
		{"district", "330106", "西湖区"},
	}
	if b.Screen.Mobile && !b.NoScripts {
		b.Press(`.opener`)
		for _, at := range way {
			b.Await(at.text, `text => {
				const row = [...document.querySelectorAll(".picker li button")].find(e => e.innerText === text)
				if (row) row.id = "wanted"
				return !!row
			}`, at.text)
			b.Press("#wanted")
		}
		b.Await(
			"the chosen region",
			`text => document.querySelector(".opener").innerText.includes(text)`,
			"浙江省 / 杭州市 / 西湖区",
		)
		return
	}
	for i, at := range way {
		b.Await(
			"the list of "+at.name,
			`(s, code) => [...document.querySelector(s).options].some(o => o.value === code)`,
			browser.Field(at.name),
			at.code,
		)
		browser.Eval[any](b, `(s, code) => {
			const e = document.querySelector(s)
			e.value = code
			for (const what of ["input", "change"]) e.dispatchEvent(new Event(what, {bubbles: true}))
		}`, browser.Field(at.name), at.code)
		if b.NoScripts && i < 2 {
			b.Follow(regionButton)
			b.WantStatus(200)
		}
	}
}

// AttachLicence chooses a picture of the business licence. Scripts upload it before the form is sent.
func AttachLicence(b *browser.Tab, a *program.Applicant) {
	b.T.Helper()
	browser.SetFile(b, `.upload input[type=file]`, program.NewLicence(b.T))
	a.Attached = true
	if !b.NoScripts {
		b.Await("the picture to arrive", `() => !!document.querySelector("[name=licence_key]").value`)
		WantPicture(b, `.upload img`)
	}
}

// WantPicture waits until a picture has loaded, and checks that loading it moved nothing.
func WantPicture(b *browser.Tab, selector string) {
	b.T.Helper()
	b.Await("the picture "+selector, `s => {
		const e = document.querySelector(s)
		e?.scrollIntoView({block: "center"})
		return !!e?.complete && e.naturalWidth > 0
	}`, selector)
	if !browser.Eval[bool](b, `s => {
		const e = document.querySelector(s), coming = e.cloneNode()
		coming.src = coming.alt = ""
		e.after(coming)
		const isSame = coming.offsetHeight === e.offsetHeight
		coming.remove()
		return isSame
	}`, selector) {
		b.T.Errorf("%s moves the page when it loads", selector)
	}
}

// timelineSteps are the keys of the step that an application in a state has reached.
var timelineSteps = map[string]string{
	"pending": "standing.review", "approved": "application.approved", "rejected": "application.rejected",
}

// WantApplicationState checks the page that shows an application's state, and returns its URL.
func WantApplicationState(b *browser.Tab, text func(string) string, company program.Company, state string) string {
	b.T.Helper()
	b.WantAt(company.Host(), "/register/result")
	b.WantLang(b.Lang)
	b.WantText(text("standing."+state), text(timelineSteps[state]))
	if state != "rejected" { // the reason and the contacts say what to do
		b.WantText(program.FillIn(text("standing."+state+"_body"), "company", company.Name))
	}
	return b.Address()
}

// ShopOf is the page on which an applicant arrives as a customer of the company.
func ShopOf(b *browser.Tab, company program.Company, a program.Applicant) browser.Arrival {
	host, path := SideOf(b, "shop", company.ID)
	return browser.Arrival{Host: host, Path: path, Holder: a.Name, Company: company.Name}
}
