package e2e

import (
	"testing"
	"time"

	"portico/store"
)

// invite opens an account of company 1001's mall for a phone that has no password yet.
func (s *site) invite(t *testing.T) newcomer {
	t.Helper()
	db, who := s.seed(t), s.nameless()
	var err error
	if who.phoneID, err = db.AddPhone(t.Context(), store.Phone{Phone: who.phone, CreatedAt: store.At(time.Now())}); err != nil {
		t.Fatal(err)
	}
	who.accountID, err = db.AddAccount(t.Context(), store.Account{
		CompanyID: 1001, Side: store.Shop, Type: store.TypeShop, Login: who.login, PhoneID: who.phoneID, ClientID: 2001,
		State: store.AccountActive, Invited: true, CreatedAt: store.At(time.Now()),
	})
	if err != nil || who.accountID == 0 {
		t.Fatal(who.accountID, err)
	}
	return who
}

func TestAnInvitedCustomerSetsUpTheAccount(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		who := b.site.invite(b.t)
		b.visit("store1001", "/register/complete")
		b.wantLang(b.lang)
		b.wantText(text("complete.heading"), filled(text("complete.lead"), "company", "金穗粮油"))
		b.follow(careButton)
		b.wantMistakes("phone", "code", "name")
		b.fill("phone", who.phone)
		code := b.askCode(who.phone)
		b.visit("store1001", "/register/complete")
		b.wantWaiting()
		b.wantTyped("phone", grouped(who.phone))
		b.fill("name", who.name)
		b.fill("password", newPassword)
		b.fill("confirm_password", password)
		b.enterCode(code)
		b.wantRefusedWith("confirm_password", text("problem.passwords_differ"))
		b.wantTyped("phone", grouped(who.phone), "code", code, "name", who.name, "password", "", "confirm_password", "")
		b.fill("password", newPassword)
		b.fill("confirm_password", newPassword)
		b.follow(careButton)
		b.wantArrived(who.landing(b.screen))
		b.wantToast(text("enter.entered"))
		b.wantNoSecrets()
		b.forget()
		b.signInAt("account", who.phone, newPassword)
		b.wantArrived(who.landing(b.screen))
	})
}

func TestAnUninvitedPhoneIsToldSo(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		number := newPhone()
		b.visit("store1001", "/register/complete")
		b.fill("phone", number)
		if b.plain {
			b.follow(sendButton)
			b.wantRefusedWith("phone", text("error.not_in_company"))
			b.wantPhone(number)
		} else {
			b.press(sendButton)
			b.await("the refusal", `text => document.getElementById("care").innerText.includes(text)`, text("error.not_in_company"))
		}
		if codes := b.codesOf(number); len(codes) > 0 {
			b.t.Errorf("%d codes were sent", len(codes))
		}
		b.visit("account", "/register/complete")
		b.wantStatus(404)
		b.wantText(text("complete.no_link"), text("complete.no_link_body"))
		b.visit("account", "/register/complete?invite=made-up")
		b.wantStatus(404)
		b.wantText(text("complete.no_link"))
	})
}
