package e2e

import (
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func TestACustomerAppliesToACompany(t *testing.T) {
	t.Parallel()
	eachManner(t, func(b *tab, text func(string) string) {
		h, boss := b.site.house(b.t, b.lang, "region reason licence", true), b.someone()
		a := newApplicant()
		b.speak(h.host())
		b.apply(h, a)
		b.wantLang(b.lang)
		b.wantText(filled(text("apply.heading"), "company", h.company))
		b.describeApplicant(a)
		b.chooseRegion()
		b.attach(&a)
		if !b.plain {
			b.wantToast(text("upload.done"))
		}
		b.follow(careButton)
		b.wantMistakes("reason")
		b.wantText(text("problem.field_required"))
		b.wantDetails(a)
		b.fill("reason", a.reason)
		b.follow(careButton)
		standing := b.wantStanding(text, h, "pending")
		b.wantToast(text("apply.sent"))
		b.reload()
		b.wantStanding(text, h, "pending")
		b.wantText(a.company, a.reason, "杭州市", grouped(a.phone))
		b.wantPicture(`.licence img`)

		boss.signIn(h.phone)
		boss.wantText("1\n" + text("office.pending"))
		boss.openApplication(a)
		boss.wantPicture(`.licence img`)
		boss.follow(rejectButton)
		boss.wantRefusedWith("reason", text("problem.field_required"))
		boss.fill("reason", "字迹不清 <b>\n¿Otra foto?")
		boss.follow(rejectButton)
		boss.wantToast(text("application.decided_toast"))
		boss.wantText(text("application.rejected"), "¿Otra foto?")

		b.wantNews(text, h, a, filled(text("sms.notice.application_rejected"), "way", standing))
		b.reload()
		b.wantStanding(text, h, "rejected")
		b.wantText("字迹不清 <b>", "¿Otra foto?")
		b.find(fmt.Sprintf(`main a[href="tel:%s"]`, h.phone))
		b.follow(againLink)
		b.wantText(text("apply.again_note"))
		b.wantDetails(a)
		b.wantTyped("reason", a.reason)
		a.reason = "照片更清楚了"
		b.fill("reason", a.reason)
		b.follow(careButton)
		b.wantStanding(text, h, "pending")
		b.wantText(text("application.earlier"))
		if n := b.site.applications(b.t, a); n != 2 {
			b.t.Errorf("%d applications, want 2", n)
		}

		boss.openApplication(a)
		boss.wantText(a.reason, text("application.earlier"))
		late := boss.beside()
		late.visitURL(boss.here())
		boss.toFront()
		boss.follow(approveButton)
		boss.wantToast(text("application.decided_toast"))
		late.toFront()
		late.fill("reason", "字迹不清") // the same decision twice would hold
		late.follow(rejectButton)
		late.wantStatus(409)
		late.wantText(text("application.decided_before"), text("application.approved"))
		late.wantCount(approveButton, 0)
		boss.wantNoSecrets()

		b.wantNews(text, h, a, filled(text("sms.notice.application_approved"), "way", b.site.at(h.host(), "/register/complete")))
		b.reload()
		b.wantStanding(text, h, "approved")
		b.follow(againLink)
		b.wantAt(h.host(), "/register/complete")
		b.setUp(a)
		b.wantArrived(b.shop(h, a))
		b.wantToast(text("enter.entered"))
		b.wantLang(b.lang)
		b.wantNoSecrets()
		b.follow(signOutButton)
		b.signInAt(h.host(), a.phone, newPassword)
		b.wantArrived(b.shop(h, a))
		if sent := b.codesOf(a.phone); len(sent) != 1 {
			b.t.Errorf("%d codes were sent", len(sent))
		}
	})
}

func TestWhatAnApplicantTypedSurvivesTheTab(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		h, a := b.site.house(b.t, b.lang, "", true), newApplicant()
		b.speak(h.host())
		b.apply(h, a)
		b.describeApplicant(a)
		b.chooseRegion() // without scripts its button keeps the rest
		if b.plain {
			other := map[string]string{"zh": "es", "es": "en", "en": "zh"}[b.lang]
			b.follow(languageButton(other))
			b.wantLang(other)
			b.wantDetails(a)
			b.fill("reason", a.reason)
			b.follow(languageButton(b.lang))
		} else {
			b.attach(&a)
			b.fill("reason", a.reason)
			b.await("the draft to be kept", `text => document.querySelector("[data-draft-status]").textContent === text`, text("draft.saved"))
			b.await("the draft to hold it all", `async text => (await (await fetch("/register/more")).text()).includes(text)`, a.reason)
		}
		next := b.beside()
		b.must(b.Close())
		next.visit(h.host(), "/register/more")
		next.wantLang(b.lang)
		next.wantDetails(a)
		next.wantTyped("reason", a.reason)
		next.wantNoSecrets()
	})
}

func TestWithoutReviewAnApplicantIsInAtOnce(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		h := b.site.house(b.t, b.lang, "", false)
		a := newApplicant()
		b.speak(h.host())
		b.apply(h, a)
		b.wantText(text("apply.lead_at_once"))
		b.describeApplicant(a)
		b.follow(careButton)
		b.wantAt(h.host(), "/register/complete")
		b.setUp(a)
		b.wantArrived(b.shop(h, a))
		b.wantNoSecrets()
	})
}

func TestAClosedCompanySaysWhomToCall(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		b.speak("store1003")
		for _, path := range []string{"/register", "/register/more"} {
			b.visit("store1003", path)
			b.wantLang(b.lang)
			b.wantText(text("error.registration_closed"), "Alan Reed")
			b.find(`main a[href="tel:13700000003"]`)
			b.wantCount(`#care`, 0)
		}
		b.visit("account", "/register/more")
		b.wantStatus(200)
		b.wantText(text("apply.no_company"), text("apply.no_company_body"))
		b.fill("site", "store1003."+b.site.base)
		b.follow(careButton)
		b.wantAt("store1003", "/register/more")
	})
}

func TestAStrangerWithTheLinkSeesLittle(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		h, a := b.site.house(b.t, b.lang, "", true), newApplicant()
		link := b.site.applied(b.t, h, a)
		b.speak(h.host())
		b.visitURL(link)
		b.wantStanding(text, h, "pending")
		for _, secret := range []string{a.company, a.name, a.reason, a.phone, grouped(a.phone), masked(a.phone)} {
			if b.holds(secret) {
				b.t.Errorf("%s tells %q", b.here(), secret)
			}
		}
		b.follow(`main a[href$="prove=1"]`)
		b.wantText(text("standing.prove"))
		wrongly := newPhone()
		b.fill("phone", wrongly)
		b.enterCode(b.askCode(wrongly))
		b.wantRefusedWith("phone", text("problem.phone_not_applicant"))
		b.forget() // the countdown, too
		b.speak(h.host())
		b.visitURL(link + "&prove=1")
		b.fill("phone", a.phone)
		b.enterCode(b.askCode(a.phone))
		b.wantStanding(text, h, "pending")
		b.wantText(a.company, a.name, a.reason, grouped(a.phone))
		b.wantNoSecrets()
		b.visit(h.host(), "/register/result?id=1")
		b.wantStatus(404)
	})
}

func TestPressingTwiceSendsOneApplication(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		h, a := b.site.house(b.t, b.lang, "", true), newApplicant()
		b.speak(h.host())
		b.apply(h, a)
		b.describeApplicant(a)
		b.leave(func() { b.pressTwice(careButton) })
		b.visit(h.host(), "/register/more")
		b.wantStanding(text, h, "pending")
		b.wantText(a.company)
		if n := b.site.applications(b.t, a); n != 1 {
			b.t.Errorf("%d applications, want 1", n)
		}
	})
}

// The server accepts at most 5 MB.
func TestAPhotoOfMoreThanFiveMegabytesIsMadeSmallerFirst(t *testing.T) {
	t.Parallel()
	b := newTab(t, normal, phone)
	a, h := newApplicant(), normal.house(t, "en", "licence", true)
	b.apply(h, a)
	b.await("the page to say so", `() => document.querySelector(".larger").offsetHeight > 0`)
	b.setFile(`.upload input[type=file]`, aLargePicture(t))
	b.await("the picture to arrive", `() => !!document.querySelector("[name=licence_key]").value`)
	b.wantPicture(`.upload img`)
}

// aLargePicture makes a picture of more than 5 MB, which no compression makes smaller.
func aLargePicture(t *testing.T) string {
	t.Helper()
	noise := image.NewNRGBA(image.Rect(0, 0, 1600, 1200))
	source := rand.NewChaCha8([32]byte{})
	_, _ = source.Read(noise.Pix) // never fails
	for i := 3; i < len(noise.Pix); i += 4 {
		noise.Pix[i] = 255
	}
	path := filepath.Join(t.TempDir(), "licence.png")
	file, err := os.Create(path)
	if err == nil {
		err = png.Encode(file, noise)
		_ = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() <= 5<<20 {
		t.Fatalf("%v, %v", info, err)
	}
	return path
}
