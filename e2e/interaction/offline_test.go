package interaction

import (
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestFormIsNotSentWithoutAConnection(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"zh", "es", "en"} {
		t.Run(lang, func(t *testing.T) {
			text, b := program.Texts(t, lang), browser.NewScriptedTab(t, browser.Normal, browser.Phone)
			b.Lang = lang
			b.ClearCookies()
			b.Visit("account", "/register")
			b.Fill("company_name", "离线粮油")
			// The page requests this URL to find out whether it can reach the server.
			b.ExpectBlocked(b.Server.URL("account", "/robots.txt"), false)
			browser.SetConnected(b, false)
			wantNotice(b, text("offline.lost"))
			b.Press(steps.MainButton)
			wantNotice(b, text("offline.held"))
			steps.WantTyped(b, "company_name", "离线粮油")
			browser.SetConnected(b, true)
			wantNotice(b, text("offline.back"))
			b.Follow(steps.MainButton)
			b.WantStatus(422)
			steps.WantTyped(b, "company_name", "离线粮油")
		})
	}
}

// The connection ends while a form is sent: the server has not received it, or its response is lost. The browser shows
// an error page of its own instead. Reloading that page submits the form again, and going back shows the form.
func TestFormSurvivesALostResponse(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "badline loses the response to every form")
	for _, at := range []proto.FetchRequestStage{proto.FetchRequestStageRequest, proto.FetchRequestStageResponse} {
		t.Run(string(at), func(t *testing.T) {
			b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
			company := b.Server.AddCompany(t, "zh", "", true)
			b.Visit("account", "/forget/account")
			b.Fill("login", "wanderer")
			submitAndLoseResponse(b, at, steps.MainButton)
			b.Back()
			steps.WantTyped(b, "login", "wanderer")
			b.Follow(steps.MainButton)
			steps.WantRefusedWith(b, "login", program.Texts(t, "zh")("error.account_not_found"))

			steps.SignInAt(b, "account", company.Phone, program.Password)
			steps.OfficePage(b, company, "/people/new")
			b.Fill("name", "小二")
			submitAndLoseResponse(b, at, steps.OpenAccountButton)
			b.Reload()
			b.WantStatus(200)
			if n := b.Server.Count(
				t, "SELECT COUNT(*) FROM accounts WHERE company_id = ? AND name = ?", company.ID, "小二",
			); n != 1 {
				t.Errorf("%d accounts, want 1", n)
			}
		})
	}
}

// submitAndLoseResponse submits a form whose response does not arrive.
func submitAndLoseResponse(b *browser.Tab, at proto.FetchRequestStage, button string) {
	b.T.Helper()
	restored := breakConnection(b, at)
	b.Press(button)
	b.Await("the browser's own error page", `() => !document.querySelector("main")`)
	restored()
}

// wantNotice checks the notice about the connection.
func wantNotice(b *browser.Tab, words string) {
	b.T.Helper()
	b.Await(words, `words => {
		const note = document.querySelector("[data-island=offline]"), box = note.getBoundingClientRect()
		return note.innerText === words && box.top >= 0 && box.bottom <= innerHeight
	}`, words)
}

// breakConnection ends the connection at the next request for a page: before the server has received it, or before its
// response has arrived.
func breakConnection(b *browser.Tab, at proto.FetchRequestStage) (restored func()) {
	b.T.Helper()
	lost := b.EachEvent(func(e *proto.FetchRequestPaused) bool {
		_ = proto.FetchFailRequest{RequestID: e.RequestID, ErrorReason: proto.NetworkErrorReasonConnectionReset}.Call(b)
		return true
	})
	b.Must(
		proto.FetchEnable{
			Patterns: []*proto.FetchRequestPattern{{ResourceType: proto.NetworkResourceTypeDocument, RequestStage: at}},
		}.Call(b),
	)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lost()
	}()
	return func() {
		b.T.Helper()
		<-done
		b.Must(proto.FetchDisable{}.Call(b))
	}
}
