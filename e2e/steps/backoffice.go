package steps

import (
	"portico/e2e/browser"
	"portico/e2e/program"
)

// Selectors of the controls of the back office.
const (
	OpenAccountButton = `#open .button`
	DisableButton     = `button[name=action][value=disable]`
	EndButton         = `button[name=action][value=end]`
	ResumeButton      = `button[name=action][value=resume]`
	SettingButton     = `#setting .save-bar .button`
	SaveButton        = `button[name=action][value=save]`
	ProfileButton     = `#profile .button`
	RoleLink          = `main a[href$="/role"]`
	PreviewButton     = `button[name=action][value=preview]`
)

// OfficePage opens a page of a company's back office.
func OfficePage(b *browser.Tab, company program.Company, path string) {
	b.T.Helper()
	host, root := SideOf(b, "mgr", company.ID)
	b.Visit(host, root+path)
}
