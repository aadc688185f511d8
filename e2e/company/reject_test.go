package company

import (
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
)

// On a phone, the field for the reason must not lie below the bar of the menu, and the cursor must be in it.
func TestTheReasonOfARejectionIsInViewOnPhones(t *testing.T) {
	t.Parallel()
	browser.InMode(t, browser.Scripted(browser.Phone, "zh"), func(b *browser.Tab, _ func(string) string) {
		company, boss := b.Server.AddCompany(b.T, b.Lang, "", true), browser.OpenOtherBrowser(b)
		a := program.NewApplicant()
		b.SetLanguage(company.Host())
		steps.Apply(b, company, a)
		steps.DescribeApplicant(b, a)
		b.Follow(steps.MainButton)
		steps.SignIn(boss, company.Phone)
		openApplication(boss, a)
		steps.OpenRejection(boss)
		boss.Await("the form to be in view", `() => {
			const menu = document.querySelector("nav.menu, .menu").getBoundingClientRect()
			const end = menu.top > innerHeight / 2 ? menu.top : innerHeight
			return ["#reason", "button[value=reject]"].every(s => {
				const at = document.querySelector(s).getBoundingClientRect()
				return at.top >= 0 && at.height > 0 && at.bottom <= end
			})
		}`)
	})
}
