package e2e

import (
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

func TestAFormIsHeldWhileThereIsNoConnection(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"zh", "es", "en"} {
		t.Run(lang, func(t *testing.T) {
			text, b := texts(t, lang), scriptedTab(t, normal, phone)
			b.lang = lang
			b.forget()
			b.visit("account", "/register")
			b.fill("company_name", "离线粮油")
			// The page asks for this address to learn whether it can reach the server.
			b.expectBlocked(b.site.at("account", "/robots.txt"), false)
			b.connected(false)
			b.wantTold(text("offline.lost"))
			b.press(careButton)
			b.wantTold(text("offline.held"))
			b.wantTyped("company_name", "离线粮油")
			b.connected(true)
			b.wantTold(text("offline.back"))
			b.follow(careButton)
			b.wantStatus(422)
			b.wantTyped("company_name", "离线粮油")
		})
	}
}

// wantHeld: the first page of a sign-in goes without what holds forms, to be as light as it can; a refused one has it.
func wantHeld(t *testing.T, seen []sight) {
	t.Helper()
	for _, s := range seen {
		if s.unheld {
			t.Errorf("%s sends its form without a connection", s.name)
		}
	}
}

const sendsUnheld = `() => !!document.querySelector("main form[method=post]") && !document.querySelector("[data-island=offline]") &&
	!(["/login", "/login/account"].includes(location.pathname) && !document.querySelector("[aria-invalid]"))`

// The connection ends when a form is on its way: the server has not seen it, or its answer is lost. The browser shows a page of
// its own in the form's place, which holds what was typed: loaded again, it sends that again, and one page back is the form.
func TestALostAnswerLosesNoForm(t *testing.T) {
	t.Parallel()
	for _, at := range []proto.FetchRequestStage{proto.FetchRequestStageRequest, proto.FetchRequestStageResponse} {
		t.Run(string(at), func(t *testing.T) {
			b := scriptedTab(t, normal, desktop)
			h := b.site.house(t, "zh", "", true)
			b.visit("account", "/forget/account")
			b.fill("login", "wanderer")
			b.lose(at, careButton)
			b.back()
			b.wantTyped("login", "wanderer")
			b.follow(careButton)
			b.wantRefusedWith("login", texts(t, "zh")("error.account_not_found"))

			b.signInAt("account", h.phone, password)
			b.officePage(h, "/people/new")
			b.fill("name", "小二")
			b.lose(at, openAccountButton)
			b.reload()
			b.wantStatus(200)
			if n := b.site.count(t, "SELECT COUNT(*) FROM accounts WHERE company_id = ? AND name = ?", h.id, "小二"); n != 1 {
				t.Errorf("%d accounts, want 1", n)
			}
		})
	}
}

// lose sends a form by its button, whose answer does not come.
func (b *tab) lose(at proto.FetchRequestStage, button string) {
	b.t.Helper()
	restored := b.losing(at)
	b.press(button)
	b.await("the browser's own page of what went wrong", `() => !document.querySelector("main")`)
	restored()
}

const unlimited = -1 // of a connection's bytes a second

// connected takes the tab's connection away or gives it back, as the browser notices it.
func (b *tab) connected(is bool) {
	b.t.Helper()
	b.must(proto.NetworkEnable{}.Call(b))
	b.must(proto.NetworkEmulateNetworkConditions{Offline: !is, DownloadThroughput: unlimited, UploadThroughput: unlimited}.Call(b))
}

// wantTold checks the notice of the connection.
func (b *tab) wantTold(words string) {
	b.t.Helper()
	b.await(words, `words => {
		const note = document.querySelector("[data-island=offline]"), box = note.getBoundingClientRect()
		return note.innerText === words && box.top >= 0 && box.bottom <= innerHeight
	}`, words)
}

// losing ends the connection under the next page that is asked for: before the server is, or before it has answered.
func (b *tab) losing(at proto.FetchRequestStage) (restored func()) {
	b.t.Helper()
	lost := b.EachEvent(func(e *proto.FetchRequestPaused) bool {
		_ = proto.FetchFailRequest{RequestID: e.RequestID, ErrorReason: proto.NetworkErrorReasonConnectionReset}.Call(b)
		return true
	})
	b.must(proto.FetchEnable{Patterns: []*proto.FetchRequestPattern{{ResourceType: proto.NetworkResourceTypeDocument, RequestStage: at}}}.Call(b))
	done := make(chan struct{})
	go func() {
		defer close(done)
		lost()
	}()
	return func() {
		b.t.Helper()
		<-done
		b.must(proto.FetchDisable{}.Call(b))
	}
}
