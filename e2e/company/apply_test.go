package company

import (
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestBusinessAppliesToACompanyAndBecomesACustomer(t *testing.T) {
	t.Parallel()
	browser.InEveryMode(t, browser.ScriptsOff(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		company, boss := b.Server.AddCompany(b.T, b.Lang, "region reason licence", true), browser.OpenOtherBrowser(b)
		a := program.NewApplicant()
		b.SetLanguage(company.Host())
		steps.Apply(b, company, a)
		b.WantLang(b.Lang)
		b.WantText(text("apply.heading"))
		steps.DescribeApplicant(b, a)
		steps.ChooseRegion(b)
		steps.AttachLicence(b, &a)
		if !b.NoScripts {
			b.WantText(text("upload.done"))
			b.WantCount(".toast", 0) // the page says it already
		}
		b.Follow(steps.MainButton)
		steps.WantMistakes(b, "reason")
		b.WantText(text("problem.field_required"))
		wantDetails(b, a)
		b.Fill("reason", a.Reason)
		b.Follow(steps.MainButton)
		standing := steps.WantApplicationState(b, text, company, "pending")
		b.Reload()
		steps.WantApplicationState(b, text, company, "pending")
		b.Press(`.sent-in summary`)
		b.WantText(a.Company, a.Reason, "杭州市", program.Grouped(a.Phone))
		steps.WantPicture(b, `.licence img`)

		steps.SignIn(boss, company.Phone)
		boss.WantText("1\n" + text("office.pending"))
		openApplication(boss, a)
		steps.WantPicture(boss, `.licence img`)
		steps.OpenRejection(boss)
		boss.Follow(steps.RejectButton)
		steps.WantRefusedWith(boss, "reason", text("problem.field_required"))
		boss.Fill("reason", "字迹不清 <b>\n¿Otra foto?")
		boss.Follow(steps.RejectButton)
		boss.WantText(text("application.decided_toast"))
		boss.WantText(text("application.rejected"), "¿Otra foto?")

		awaitNotice(b, text, company, a, program.FillIn(text("sms.notice.application_rejected"), "way", standing))
		b.Reload()
		steps.WantApplicationState(b, text, company, "rejected")
		b.WantText("字迹不清 <b>", "¿Otra foto?")
		b.Find(fmt.Sprintf(`main a[href="tel:%s"]`, company.Phone))
		b.Follow(steps.AgainLink)
		b.WantText(text("apply.again_note"))
		wantDetails(b, a)
		steps.WantTyped(b, "reason", a.Reason)
		a.Reason = "照片更清楚了"
		b.Fill("reason", a.Reason)
		b.Follow(steps.MainButton)
		steps.WantApplicationState(b, text, company, "pending")
		b.Press(`.sent-in summary`)
		b.WantText(text("application.earlier"))
		if n := b.Server.CountApplications(b.T, a); n != 2 {
			b.T.Errorf("%d applications, want 2", n)
		}

		openApplication(boss, a)
		boss.WantText(a.Reason, text("application.earlier"))
		late := browser.OpenTab(boss)
		late.VisitURL(boss.Address())
		browser.BringToFront(boss)
		boss.Follow(steps.ApproveButton)
		boss.WantText(text("application.decided_toast"))
		browser.BringToFront(late)
		steps.OpenRejection(late)
		late.Fill("reason", "字迹不清") // a repeated equal decision would be accepted
		late.Follow(steps.RejectButton)
		late.WantStatus(409)
		late.WantText(text("application.decided_before"), text("application.approved"))
		late.WantCount(steps.ApproveButton, 0)
		boss.WantNoSecrets()

		awaitNotice(
			b,
			text,
			company,
			a,
			program.FillIn(
				text("sms.notice.application_approved"), "way", b.Server.URL(company.Host(), "/register/complete"),
			),
		)
		b.Reload()
		steps.WantApplicationState(b, text, company, "approved")
		b.Follow(steps.AgainLink)
		b.WantAt(company.Host(), "/register/complete")
		setUpAccount(b, a)
		b.WantArrived(steps.ShopOf(b, company, a))
		b.WantLang(b.Lang)
		b.WantNoSecrets()
		steps.SignOut(b)
		steps.SignInAt(b, company.Host(), a.Phone, program.NewPassword)
		b.WantArrived(steps.ShopOf(b, company, a))
		if sent := steps.CodesSentTo(b, a.Phone); len(sent) != 1 {
			b.T.Errorf("%d codes were sent", len(sent))
		}
	})
}

func TestDraftOfAnApplicationSurvivesClosingTheTab(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/application")
	browser.InMode(t, browser.Scripted(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		company, a := b.Server.AddCompany(b.T, b.Lang, "", true), program.NewApplicant()
		b.SetLanguage(company.Host())
		steps.Apply(b, company, a)
		steps.DescribeApplicant(b, a)
		steps.ChooseRegion(b) // without scripts, its button must keep the other fields
		if b.NoScripts {
			other := map[string]string{"zh": "es", "es": "en", "en": "zh"}[b.Lang]
			steps.ChooseLanguage(b, other)
			b.WantLang(other)
			wantDetails(b, a)
			b.Fill("reason", a.Reason)
			steps.ChooseLanguage(b, b.Lang)
		} else {
			steps.AttachLicence(b, &a)
			b.Fill("reason", a.Reason)
			b.Await(
				"the draft to be saved",
				`text => document.querySelector("[data-draft-status]").textContent === text`,
				text("draft.saved"),
			)
			b.Await(
				"the draft to contain everything",
				`async text => (await (await fetch("/register/more")).text()).includes(text)`,
				a.Reason,
			)
		}
		next := browser.OpenTab(b)
		b.Must(b.Close())
		next.Visit(company.Host(), "/register/more")
		next.WantLang(b.Lang)
		wantDetails(next, a)
		steps.WantTyped(next, "reason", a.Reason)
		next.WantNoSecrets()
	})
}

func TestApplicationWithoutReviewIsApprovedAtOnce(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/application")
	browser.InMode(t, browser.Scripted(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		company := b.Server.AddCompany(b.T, b.Lang, "", false)
		a := program.NewApplicant()
		b.SetLanguage(company.Host())
		steps.Apply(b, company, a)
		b.WantText(text("apply.lead_at_once"))
		steps.DescribeApplicant(b, a)
		b.Follow(steps.MainButton)
		b.WantAt(company.Host(), "/register/complete")
		setUpAccount(b, a)
		b.WantArrived(steps.ShopOf(b, company, a))
		b.WantNoSecrets()
	})
}

func TestCompanyClosedToApplicationsShowsWhomToCall(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/application")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "en"), func(b *browser.Tab, text func(string) string) {
		b.SetLanguage("store1003")
		for _, path := range []string{"/register", "/register/more"} {
			b.Visit("store1003", path)
			b.WantLang(b.Lang)
			b.WantText(text("error.registration_closed"), "Alan Reed")
			b.Find(`main a[href="tel:13700000003"]`)
			b.WantCount(`#care`, 0)
		}
		b.Visit("account", "/register/more")
		b.WantStatus(200)
		b.WantText(text("apply.no_company"), text("apply.no_company_body"))
		b.Fill("site", "store1003."+b.Server.Base)
		b.Follow(steps.MainButton)
		b.WantAt("store1003", "/register/more")
	})
}

func TestApplicationLinkShowsStrangersNoDetails(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/application")
	browser.InMode(t, browser.Scripted(browser.Phone, "zh"), func(b *browser.Tab, text func(string) string) {
		company, a := b.Server.AddCompany(b.T, b.Lang, "", true), program.NewApplicant()
		link := b.Server.AddApplication(b.T, company, a)
		b.SetLanguage(company.Host())
		b.VisitURL(link)
		steps.WantApplicationState(b, text, company, "pending")
		for _, secret := range []string{
			a.Company, a.Name, a.Reason, a.Phone, program.Grouped(a.Phone), program.Masked(a.Phone),
		} {
			if steps.MarkupContains(b, secret) {
				b.T.Errorf("%s shows %q", b.Address(), secret)
			}
		}
		b.Follow(`main a[href$="prove=1"]`)
		b.WantText(text("standing.prove"))
		wrongly := program.NewPhone()
		b.Fill("phone", wrongly)
		steps.EnterCode(b, steps.RequestCode(b, wrongly))
		steps.WantRefusedWith(b, "phone", text("problem.phone_not_applicant"))
		b.ClearCookies() // forgets the countdown too
		b.SetLanguage(company.Host())
		b.VisitURL(link + "&prove=1")
		b.Fill("phone", a.Phone)
		steps.EnterCode(b, steps.RequestCode(b, a.Phone))
		steps.WantApplicationState(b, text, company, "pending")
		b.Press(`.sent-in summary`)
		b.WantText(a.Company, a.Name, a.Reason, program.Grouped(a.Phone))
		b.WantNoSecrets()
		b.Visit(company.Host(), "/register/result?id=1")
		b.WantStatus(404)
	})
}

func TestPressingSendTwiceSendsOneApplication(t *testing.T) {
	t.Parallel()
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "en"), func(b *browser.Tab, text func(string) string) {
		company, a := b.Server.AddCompany(b.T, b.Lang, "", true), program.NewApplicant()
		b.SetLanguage(company.Host())
		steps.Apply(b, company, a)
		steps.DescribeApplicant(b, a)
		b.LeavePage(func() { b.PressTwice(steps.MainButton) })
		b.Visit(company.Host(), "/register/more")
		steps.WantApplicationState(b, text, company, "pending")
		b.Press(`.sent-in summary`)
		b.WantText(a.Company)
		if n := b.Server.CountApplications(b.T, a); n != 1 {
			b.T.Errorf("%d applications, want 1", n)
		}
	})
}

// The server accepts at most 5 MB.
func TestPhotoOverFiveMegabytesIsShrunkBeforeTheUpload(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/application")
	b := browser.NewTab(t, browser.Normal, browser.Phone)
	a, company := program.NewApplicant(), browser.Normal.AddCompany(t, "en", "licence", true)
	steps.Apply(b, company, a)
	b.Await("the message on the page", `() => document.querySelector(".larger").offsetHeight > 0`)
	browser.SetFile(b, `.upload input[type=file]`, largePicture(t))
	b.Await("the picture to arrive", `() => !!document.querySelector("[name=licence_key]").value`)
	steps.WantPicture(b, `.upload img`)
}

// largePicture writes a picture of more than 5 MB that no compression makes smaller, and returns its path.
func largePicture(t *testing.T) string {
	t.Helper()
	noise := image.NewNRGBA(image.Rect(0, 0, 1600, 1200))
	source := rand.NewChaCha8([32]byte{})
	_, _ = source.Read(noise.Pix) // never fails
	for i := 3; i < len(noise.Pix); i += 4 {
		noise.Pix[i] = 255
	}
	path := filepath.Join(t.TempDir(), "licence.png")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err := png.Encode(file, noise); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() <= 5<<20 {
		t.Fatalf("%v, %v", info, err)
	}
	return path
}
