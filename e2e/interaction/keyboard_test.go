package e2e

import (
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/input"
)

func TestTheKeyboardAloneLeadsInAndOut(t *testing.T) {
	t.Parallel()
	for _, on := range screens {
		t.Run(on.name, func(t *testing.T) {
			eachWay(t, on, func(b *tab) {
				b.visit("account", "/login")
				b.tabTo(field("phone"))
				b.keys("13800000003")
				b.tabTo(field("password"))
				b.keys(password)
				b.tabTo(field("remember"))
				b.tabTo(signInButton)
				b.enterKey()
				b.wantAt("account", "/company")
				b.tabTo(companyButton(1001))
				b.enterKey()
				b.wantAt("account", "/enter")
				b.tabTo(sideButton("mgr"))
				b.enterKey()
				b.wantText("李伟", "金穗粮油")
				b.tabTo(signOutButton)
				b.enterKey()
				b.wantAt("account", "/login")
				b.wantToast(texts(b.t, "zh")("login.signed_out"))
			})
		})
	}
}

// Enter in a field sends the form by its main button, never by the language switch that belongs to it too.
func TestEnterInThePasswordSignsIn(t *testing.T) {
	t.Parallel()
	eachWay(t, desktop, func(b *tab) {
		b.visit("account", "/login/account")
		b.tabTo(field("login"))
		b.keys("nophone")
		b.tabTo(field("password"))
		b.keys(password)
		b.enterKey()
		b.wantAt("account", "/bind")
		b.tabTo(skipButton)
		b.enterKey()
		b.wantArrived(arrival{"store1001", "/home", "许静", "金穗粮油"})
	})
}

func TestTheKeyboardAloneSignsInByCodeAndBinds(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	eachWay(t, desktop, func(b *tab) {
		who := b.site.enroll(b.t)
		owner := b.site.register(b.t)
		b.visit("account", "/login")
		b.tabTo(`a[href="/login/code"]`)
		b.enterKey()
		b.keysToCode(owner.phone)
		b.wantArrived(owner.landing(desktop))

		b.visit("account", "/login/account")
		b.tabTo(field("login"))
		b.keys(who.login)
		b.tabTo(field("password"))
		b.keys(password)
		b.enterKey()
		b.wantAt("account", "/bind")
		b.keysToCode(who.phone)
		b.wantText(step(text, 2))
		b.tabTo(field("password"))
		b.keys(newPassword)
		b.tabTo(field("confirm_password"))
		b.keys(newPassword)
		b.tabTo(careButton)
		b.enterKey()
		b.wantToast(text("bind.done"))
	})
}

// keysToCode asks for a code and enters it, by the keyboard alone.
func (b *tab) keysToCode(number string) {
	b.t.Helper()
	b.tabTo(field("phone"))
	b.keys(number)
	b.tabTo(sendButton)
	if b.plain {
		b.enterKey()
		code := b.received(number, 1)
		b.tabTo(field("code"))
		b.keys(code)
		b.enterKey()
		return
	}
	b.keyboard(input.Enter)
	b.await("the focus in the code", `s => document.activeElement.matches(s)`, field("code"))
	b.wantFocusSeen()
	code := b.received(number, 1)
	b.leave(func() { b.t.Helper(); b.keys(code) })
}

func TestTheSkipLinkLeadsToTheContent(t *testing.T) {
	t.Parallel()
	b := newTab(t, normal, desktop)
	b.visit("account", "/login")
	b.keyboard(input.Tab)
	if !ask[bool](b, `() => document.activeElement.getAttribute("href") === "#main"`) {
		t.Fatal("the first stop of the Tab key is not the link to the content")
	}
	b.wantFocusSeen()
	b.keyboard(input.Enter)
	b.await("the content to be next", `() => location.hash === "#main"`)
	b.keyboard(input.Tab)
	if !ask[bool](b, `() => document.querySelector("main").contains(document.activeElement)`) {
		t.Error("the Tab key does not go on in the content")
	}
}

func TestARefusalTakesTheFocusAndItsLinksLeadToTheFields(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.visit("account", "/login")
		b.tabTo(signInButton)
		b.enterKey()
		b.wantStatus(422)
		for _, name := range []string{"phone", "password"} {
			b.await("the focus on the summary", `() => document.activeElement.getAttribute("role") === "alert"`)
			b.tabTo(`[role=alert] a[href="#` + name + `"]`)
			b.keyboard(input.Enter)
			b.await("the focus on the field "+name, `s => document.activeElement.matches(s)`, field(name))
			if !ask[bool](b, `() => {
				const e = document.activeElement, notes = (e.getAttribute("aria-describedby") || "").split(" ").map(id => document.getElementById(id))
				return e.getAttribute("aria-invalid") === "true" && notes.every(n => n && n.innerText)
			}`) {
				b.t.Errorf("the field %s is not tied to its message", name)
			}
			ask[any](b, `() => document.querySelector("[role=alert]").focus()`)
		}
	})
}

func TestTheEyeShowsThePasswordByKeyboard(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, desktop)
	b.visit("account", "/login")
	b.tabTo(field("password"))
	b.keys(password)
	for _, kind := range []string{"text", "password"} {
		b.tabTo(field("password") + ` ~ button[type=button]`)
		b.keyboard(input.Space)
		b.await("a field of type "+kind, `(s, kind) => document.querySelector(s).type === kind`, field("password"), kind)
	}
	if got := b.value("password"); got != password {
		t.Errorf("the field holds %q", got)
	}
}

// tabTo presses Tab until an element has the focus. At every stop on the way one can see where one is.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	const most = 60
	var passed []string
	for range most {
		b.keyboard(input.Tab)
		b.wantFocusSeen()
		if ask[bool](b, `s => document.activeElement.matches(s)`, selector) {
			return
		}
		passed = append(passed, ask[string](b, `() => document.activeElement.outerHTML.slice(0, 60)`))
	}
	b.t.Fatalf("the Tab key does not reach %s at %s:\n%s", selector, b.here(), strings.Join(passed, "\n"))
}

func (b *tab) wantFocusSeen() {
	b.t.Helper()
	unseen := ask[string](b, `() => {
		const e = document.activeElement
		if (!e || e === document.body || e === document.documentElement) return ""
		const s = getComputedStyle(e), r = e.getBoundingClientRect()
		const ringed = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2
		const inView = r.width > 0 && r.height > 0 && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth
		return ringed && inView ? "" : e.outerHTML.slice(0, 120)
	}`)
	if unseen != "" {
		b.t.Errorf("no focus to be seen at %s on %s", b.here(), unseen)
	}
}

func (b *tab) keyboard(key input.Key) { b.t.Helper(); b.must(b.Keyboard.Type(key)) }

// keys types a text key by key.
func (b *tab) keys(text string) {
	b.t.Helper()
	for _, r := range text {
		b.keyboard(input.Key(r))
	}
}

// enterKey presses Enter where that leads to another page.
func (b *tab) enterKey() { b.t.Helper(); b.leave(func() { b.t.Helper(); b.keyboard(input.Enter) }) }
