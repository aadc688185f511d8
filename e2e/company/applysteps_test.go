package company

import (
	"time"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
)

// wantDetails checks that the form still has everything that the applicant typed.
func wantDetails(b *browser.Tab, a program.Applicant) {
	b.T.Helper()
	steps.WantTyped(
		b,
		"company_name",
		a.Company,
		"contact_name",
		a.Name,
		"province",
		"330000",
		"city",
		"330100",
		"district",
		"330106",
	)
	if a.Attached {
		steps.WantPicture(b, `.upload img`)
	}
}

// awaitNotice waits for a text message to an applicant.
func awaitNotice(b *browser.Tab, text func(string) string, company program.Company, a program.Applicant, what string) {
	b.T.Helper()
	news := program.FillIn(program.FillIn(text("sms.notice_at"), "platform", text("platform")), "company", company.Name)
	want := program.FillIn(news, "what", what)
	deadline := time.Now().Add(program.Patience)
	for {
		list, err := b.Server.Inbox(a.Phone)
		b.Must(err)
		if len(list) > 0 && list[0].Text == want {
			return
		}
		if time.Now().After(deadline) {
			b.T.Fatalf("the messages are %q, want %q first", list, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// openApplication opens an applicant's application in the back office.
func openApplication(b *browser.Tab, a program.Applicant) {
	b.T.Helper()
	b.Follow(steps.ApplicationsLink)
	b.WantText(a.Company, a.Name)
	b.Follow(`main .rows tbody a`)
	b.WantText(a.Company, a.Name, program.Grouped(a.Phone))
}

// setUpAccount sets up the account of an applicant whose phone was just proven.
func setUpAccount(b *browser.Tab, a program.Applicant) {
	b.T.Helper()
	for _, name := range []string{"phone", "code"} {
		b.WantCount(browser.Field(name), 0)
	}
	b.Fill("name", a.Name)
	b.Fill("password", program.NewPassword)
	b.Fill("confirm_password", program.NewPassword)
	b.Follow(steps.MainButton)
}
