package e2e

import (
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"portico/store"
)

// applicant is somebody who wants to join a company.
type applicant struct {
	phone, company, name, reason string
	attached                     bool // the picture of the licence is
}

func newApplicant() applicant {
	number := newPhone()
	return applicant{phone: number, company: "餐馆" + number[7:], name: "食客" + number[7:], reason: "附近开店 " + number[7:]}
}

// applied adds an application that waits for its decision, and gives the address of where it stands.
func (s *site) applied(t *testing.T, h house, a applicant) string {
	t.Helper()
	db, id := s.seed(t), rand.Int64N(1<<52)+1
	ok, err := db.AddApplication(t.Context(), store.Application{
		ID: id, CompanyID: h.id, Phone: a.phone, State: store.ApplicationPending, CompanyName: a.company,
		ContactName: a.name, Position: "店长",
		Province: "330000", City: "330100", District: "330106", Address: "文三路 1 号", Reason: a.reason, Lang: "zh",
		CreatedAt: store.At(time.Now()),
	})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return s.at(h.host(), fmt.Sprintf("/register/result?id=%d", id))
}

// applications counts what a phone sent in.
func (s *site) applications(t *testing.T, a applicant) int {
	t.Helper()
	return s.count(t, "SELECT COUNT(*) FROM applications WHERE phone = ?", a.phone)
}

// The controls of these pages.
const (
	againLink        = `.state a.button`
	approveButton    = `button[name=action][value=approve]`
	rejectButton     = `button[name=action][value=reject]`
	applicationsLink = `.menu a[href$="/applications"]`
	regionButton     = `button[name=action][value=region]`

	openAccountButton = `#open .button`
	disableButton     = `button[name=action][value=disable]`
	endButton         = `button[name=action][value=end]`
	resumeButton      = `button[name=action][value=resume]`
	settingButton     = `#setting > .button`
	saveButton        = `button[name=action][value=save]`
	profileButton     = `#profile .button`
	roleLink          = `main a[href$="/role"]`
	previewButton     = `button[name=action][value=preview]`
)

// apply goes to a company's own host and proves the phone there, up to the form.
func (b *tab) apply(h house, a applicant) {
	b.t.Helper()
	b.visit(h.host(), "/register")
	b.fill("phone", a.phone)
	b.enterCode(b.askCode(a.phone))
	b.wantAt(h.host(), "/register/more")
	if !b.plain {
		b.await("the draft to be watched", `() => "ready" in document.forms.care.dataset`)
	}
}

// describeApplicant types what every company asks for.
func (b *tab) describeApplicant(a applicant) {
	b.t.Helper()
	b.fill("company_name", a.company)
	b.fill("contact_name", a.name)
}

// chooseRegion chooses 西湖区 as one does it here: from the sheet, from lists that fill themselves, or with the button.
func (b *tab) chooseRegion() {
	b.t.Helper()
	way := []struct{ name, code, text string }{{"province", "330000", "浙江省"}, {"city", "330100", "杭州市"}, {"district", "330106", "西湖区"}}
	if b.screen.mobile && !b.plain {
		b.press(`.opener`)
		for _, at := range way {
			b.await(at.text, `text => {
				const row = [...document.querySelectorAll(".picker li button")].find(e => e.innerText === text)
				if (row) row.id = "wanted"
				return !!row
			}`, at.text)
			b.press("#wanted")
		}
		b.await("the way in words", `text => document.querySelector(".opener").innerText.includes(text)`, "浙江省 / 杭州市 / 西湖区")
		return
	}
	for i, at := range way {
		b.await("the list of "+at.name, `(s, code) => [...document.querySelector(s).options].some(o => o.value === code)`, field(at.name), at.code)
		ask[any](b, `(s, code) => {
			const e = document.querySelector(s)
			e.value = code
			for (const what of ["input", "change"]) e.dispatchEvent(new Event(what, {bubbles: true}))
		}`, field(at.name), at.code)
		if b.plain && i < 2 {
			b.follow(regionButton)
			b.wantStatus(200)
		}
	}
}

// attach chooses a picture of the licence; scripts send it ahead of the form.
func (b *tab) attach(a *applicant) {
	b.t.Helper()
	b.setFile(`.upload input[type=file]`, aPicture(b.t))
	a.attached = true
	if !b.plain {
		b.await("the picture to arrive", `() => !!document.querySelector("[name=licence_key]").value`)
		b.wantPicture(`.upload img`)
	}
}

// setFile chooses a file in a file control.
func (b *tab) setFile(selector, path string) {
	b.t.Helper()
	control, err := b.Element(selector)
	b.must(err)
	b.must(control.SetFiles([]string{path}))
}

// aPicture makes a photo.
func aPicture(t *testing.T) string {
	t.Helper()
	photo := image.NewRGBA(image.Rect(0, 0, 640, 480))
	for x := range 640 {
		for y := range 480 {
			photo.Set(x, y, color.RGBA{uint8(x / 3), uint8(y / 2), uint8(x ^ y), 255})
		}
	}
	path := filepath.Join(t.TempDir(), "licence.jpg")
	file, err := os.Create(path)
	if err == nil {
		err = jpeg.Encode(file, photo, nil)
		_ = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// wantPicture waits until a picture has really come.
func (b *tab) wantPicture(selector string) {
	b.t.Helper()
	b.await("the picture "+selector, `s => {
		const e = document.querySelector(s)
		e?.scrollIntoView({block: "center"})
		return !!e?.complete && e.naturalWidth > 0
	}`, selector)
	if !ask[bool](b, `s => {
		const e = document.querySelector(s), coming = e.cloneNode()
		coming.src = coming.alt = ""
		e.after(coming)
		const isSame = coming.offsetHeight === e.offsetHeight
		coming.remove()
		return isSame
	}`, selector) {
		b.t.Errorf("%s pushes away what stands below when it comes", selector)
	}
}

// wantDetails checks that nothing of an application was lost.
func (b *tab) wantDetails(a applicant) {
	b.t.Helper()
	b.wantTyped("company_name", a.company, "contact_name", a.name, "province", "330000", "city", "330100", "district", "330106")
	if a.attached {
		b.wantPicture(`.upload img`)
	}
}

// wantStanding checks where an application stands, and gives the address.
func (b *tab) wantStanding(text func(string) string, h house, state string) string {
	b.t.Helper()
	b.wantAt(h.host(), "/register/result")
	b.wantLang(b.lang)
	b.wantText(text("standing."+state), filled(text("standing."+state+"_body"), "company", h.company), text("application."+state))
	return b.here()
}

// wantNews waits for a message to an applicant.
func (b *tab) wantNews(text func(string) string, h house, a applicant, what string) {
	b.t.Helper()
	news := filled(filled(text("sms.notice_at"), "platform", text("platform")), "company", h.company)
	want := filled(news, "what", what)
	deadline := time.Now().Add(patience)
	for {
		list, err := b.site.inbox(a.phone)
		b.must(err)
		if len(list) > 0 && list[0].Text == want {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("the messages are %q, want %q first", list, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// openApplication opens the newest application to a company from its back office.
func (b *tab) openApplication(a applicant) {
	b.t.Helper()
	b.follow(applicationsLink)
	b.wantText(a.company, a.name)
	b.follow(`main .list a.line`)
	b.wantText(a.company, a.name, grouped(a.phone))
}

// setUp sets the account up whose phone was just proven.
func (b *tab) setUp(a applicant) {
	b.t.Helper()
	for _, name := range []string{"phone", "code"} {
		b.wantCount(field(name), 0)
	}
	b.fill("name", a.name)
	b.fill("password", newPassword)
	b.fill("confirm_password", newPassword)
	b.follow(careButton)
}

// shop is where a customer of a company arrives.
func (b *tab) shop(h house, a applicant) arrival {
	host, path := b.sideOf("shop", h.id)
	return arrival{host, path, a.name, h.company}
}
