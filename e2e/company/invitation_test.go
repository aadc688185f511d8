package company

import (
	"testing"
	"time"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
	"portico/store"
)

// inviteCustomer opens a shop account at company 1001 for a phone that has no password yet.
func inviteCustomer(t *testing.T, s *program.Server) program.Person {
	t.Helper()
	db, who := s.Database(t), program.NewPerson()
	var err error
	if who.PersonID, err = db.Persons.Add(
		t.Context(), store.Person{Phone: who.Phone, CreatedAt: store.At(time.Now())},
	); err != nil {
		t.Fatal(err)
	}
	who.AccountID, err = db.Accounts.Add(t.Context(), store.Account{
		CompanyID: 1001, Side: store.Shop, Type: store.TypeShop, Login: who.Login, PersonID: who.PersonID,
		ClientID: 2001,
		State:    store.AccountActive, Invited: true, CreatedAt: store.At(time.Now()),
	})
	if err != nil || who.AccountID == 0 {
		t.Fatal(who.AccountID, err)
	}
	return who
}

func TestInvitedCustomerSetsUpTheAccount(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		who := inviteCustomer(b.T, b.Server)
		b.Visit("store1001", "/register/complete")
		b.WantLang(b.Lang)
		b.WantText(text("complete.heading"), program.FillIn(text("complete.lead"), "company", "金穗粮油"))
		b.Follow(steps.MainButton)
		steps.WantMistakes(b, "phone", "code", "name")
		b.Fill("phone", who.Phone)
		code := steps.RequestCode(b, who.Phone)
		b.Visit("store1001", "/register/complete")
		steps.WantCountdown(b)
		steps.WantTyped(b, "phone", program.Grouped(who.Phone))
		b.Fill("name", who.Name)
		b.Fill("password", program.NewPassword)
		b.Fill("confirm_password", program.Password)
		steps.EnterCode(b, code)
		steps.WantRefusedWith(b, "confirm_password", text("problem.passwords_differ"))
		steps.WantTyped(
			b,
			"phone",
			program.Grouped(who.Phone),
			"code",
			code,
			"name",
			who.Name,
			"password",
			"",
			"confirm_password",
			"",
		)
		b.Fill("password", program.NewPassword)
		b.Fill("confirm_password", program.NewPassword)
		b.Follow(steps.MainButton)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.WantNoSecrets()
		b.ClearCookies()
		steps.SignInAt(b, "account", who.Phone, program.NewPassword)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
	})
}

func TestSettingUpWithAnUninvitedPhoneIsRefused(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		number := program.NewPhone()
		b.Visit("store1001", "/register/complete")
		b.Fill("phone", number)
		if b.NoScripts {
			b.Follow(steps.SendCodeButton)
			steps.WantRefusedWith(b, "phone", text("error.not_in_company"))
			wantPhone(b, number)
		} else {
			b.Press(steps.SendCodeButton)
			b.Await(
				"the refusal",
				`text => document.getElementById("care").innerText.includes(text)`,
				text("error.not_in_company"),
			)
		}
		if codes := steps.CodesSentTo(b, number); len(codes) > 0 {
			b.T.Errorf("%d codes were sent", len(codes))
		}
		b.Visit("account", "/register/complete")
		b.WantStatus(200)
		b.WantText(text("complete.heading"), text("complete.by_link"))
		b.Visit("account", "/register/complete?invite=made-up")
		b.WantStatus(404)
		b.WantText(text("complete.no_link"), text("complete.no_link_body"))
	})
}
