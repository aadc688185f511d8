package interaction

import (
	"slices"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// delayedTimers keeps every timer of a second or more until the test calls elapse.
const delayedTimers = `(() => {
	const set = window.setTimeout, clear = window.clearTimeout, held = []
	window.setTimeout = (run, ms, ...rest) =>
		ms >= 1000 ? -held.push({ms, run: () => run(...rest)}) : set(run, ms, ...rest)
	window.clearTimeout = id => id < 0 ? delete held[-id - 1] : clear(id)
	window.elapse = ms => held.forEach((timer, i) => { if (timer.ms <= ms) { delete held[i]; timer.run() } })
})()`

// touch puts a finger on the screen, moves it to a height or lifts it.
func touch(b *browser.Tab, kind proto.InputDispatchTouchEventType, y float64) {
	b.T.Helper()
	event := proto.InputDispatchTouchEvent{Type: kind, TouchPoints: []*proto.InputTouchPoint{}}
	if kind != proto.InputDispatchTouchEventTypeTouchEnd {
		event.TouchPoints = append(event.TouchPoints, &proto.InputTouchPoint{X: 180, Y: y})
	}
	b.Must(event.Call(b))
}

// wantPulled waits for a state and the text of pulling to refresh.
func wantPulled(b *browser.Tab, state, words string) {
	b.T.Helper()
	b.Await(
		"the state "+state,
		`(state, words) => document.querySelector(".pull").dataset.pull === state &&
			document.querySelector(".pulling").textContent === words`,
		state,
		words,
	)
}

func TestPullToRefreshToastsAndCardNumbersFollowTheConstants(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	b, text := browser.NewScriptedTab(t, browser.Normal, browser.Phone), program.Texts(t, "zh")
	_, err := proto.PageAddScriptToEvaluateOnNewDocument{Source: delayedTimers}.Call(b)
	b.Must(err)
	steps.SignIn(b, "13800000003")
	b.WantAt("account", "/company")
	browser.Eval[any](b, `() => {
		window.seen = []
		new MutationObserver(() => seen.push(document.querySelector(".pull").dataset.pull))
			.observe(document.querySelector(".pull"), {attributeFilter: ["data-pull"]})
	}`)
	touch(b, proto.InputDispatchTouchEventTypeTouchStart, 200)
	for y := 210.0; y <= 230; y += 10 {
		touch(b, proto.InputDispatchTouchEventTypeTouchMove, y)
	}
	wantPulled(b, "deactivate", text("pull.deactivate"))
	for y := 240.0; y <= 330; y += 10 {
		touch(b, proto.InputDispatchTouchEventTypeTouchMove, y)
	}
	wantPulled(b, "activate", text("pull.activate"))
	touch(b, proto.InputDispatchTouchEventTypeTouchEnd, 0)
	wantPulled(b, "finish", text("pull.finish"))
	browser.Eval[any](b, `() => elapse(1000)`)
	wantPulled(b, "", "")
	if seen := slices.Compact(browser.Eval[[]string](b, `() => seen`)); !slices.Equal(
		seen, []string{"deactivate", "activate", "release", "finish", ""},
	) {
		t.Errorf("the states were %q", seen)
	}
	if !browser.Eval[bool](
		b,
		`() => document.querySelectorAll(".pulled form button[name=company_id]").length === 4`,
	) {
		t.Error("the new list of companies is not there")
	}

	company := browser.Normal.AddCompany(t, "zh", "", true)
	boss := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	_, err = proto.PageAddScriptToEvaluateOnNewDocument{Source: delayedTimers}.Call(boss)
	boss.Must(err)
	steps.SignIn(boss, company.Phone)
	steps.OfficePage(boss, company, "/settings/bank")
	boss.Fill("bank_holder", company.Name)
	boss.Fill("bank_name", "示例银行")
	boss.Fill("bank_card", "6222-0212 3x4")
	for _, key := range "567" {
		boss.Must(boss.InsertText(string(key)))
	}
	if got := boss.Value("bank_card"); got != "6222 0212 3456 7" {
		t.Errorf("the card reads %q", got)
	}
	browser.Eval[any](boss, `s => document.querySelector(s).setSelectionRange(2, 2)`, browser.Field("bank_card"))
	boss.Must(boss.InsertText("9"))
	if got, caret := boss.Value("bank_card"), browser.Eval[int](
		boss, `s => document.querySelector(s).selectionStart`, browser.Field("bank_card"),
	); got != "6292 2021 2345 67" ||
		caret != 3 {
		t.Errorf("the card reads %q, the caret is at %d", got, caret)
	}
	boss.Follow(`#bank .button`)
	boss.WantToast(text("settings.saved"))
	if got := boss.Value("bank_card"); got != "6292 2021 2345 67" {
		t.Errorf("the card reads %q afterwards", got)
	}
	hidden := func() bool {
		return browser.Eval[bool](
			boss, `() => new Promise(done => setTimeout(() => done(document.querySelector(".toast").hidden), 300))`,
		)
	}
	browser.Eval[any](boss, `() => elapse(2999)`)
	if hidden() {
		t.Error("the toast is hidden before its 3 s")
	}
	browser.Eval[any](boss, `() => elapse(3000)`)
	if !hidden() {
		t.Error("the toast stays after its 3 s")
	}
}
