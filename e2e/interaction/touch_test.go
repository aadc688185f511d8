package e2e

import (
	"slices"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

// heldTimers keeps what a page would do a second later or more until elapse says so.
const heldTimers = `(() => {
	const set = window.setTimeout, clear = window.clearTimeout, held = []
	window.setTimeout = (run, ms, ...rest) => ms >= 1000 ? -held.push({ms, run: () => run(...rest)}) : set(run, ms, ...rest)
	window.clearTimeout = id => id < 0 ? delete held[-id - 1] : clear(id)
	window.elapse = ms => held.forEach((timer, i) => { if (timer.ms <= ms) { delete held[i]; timer.run() } })
})()`

func (b *tab) finger(kind proto.InputDispatchTouchEventType, y float64) {
	b.t.Helper()
	event := proto.InputDispatchTouchEvent{Type: kind, TouchPoints: []*proto.InputTouchPoint{}}
	if kind != proto.InputDispatchTouchEventTypeTouchEnd {
		event.TouchPoints = append(event.TouchPoints, &proto.InputTouchPoint{X: 180, Y: y})
	}
	b.must(event.Call(b))
}

func (b *tab) wantPulled(state, words string) {
	b.t.Helper()
	b.await("the state "+state, `(state, words) => document.querySelector(".pull").dataset.pull === state && document.querySelector(".pulling").textContent === words`, state, words)
}

func TestPullingToastsAndCardsGoByTheConstants(t *testing.T) {
	t.Parallel()
	b, text := scriptedTab(t, normal, phone), texts(t, "zh")
	_, err := proto.PageAddScriptToEvaluateOnNewDocument{Source: heldTimers}.Call(b)
	b.must(err)
	b.signIn("13800000003")
	b.wantAt("account", "/company")
	b.press(`input[name=default]`)
	ask[any](b, `() => {
		window.seen = []
		new MutationObserver(() => seen.push(document.querySelector(".pull").dataset.pull)).observe(document.querySelector(".pull"), {attributeFilter: ["data-pull"]})
	}`)
	b.finger(proto.InputDispatchTouchEventTypeTouchStart, 200)
	for y := 210.0; y <= 230; y += 10 {
		b.finger(proto.InputDispatchTouchEventTypeTouchMove, y)
	}
	b.wantPulled("deactivate", text("pull.deactivate"))
	for y := 240.0; y <= 330; y += 10 {
		b.finger(proto.InputDispatchTouchEventTypeTouchMove, y)
	}
	b.wantPulled("activate", text("pull.activate"))
	b.finger(proto.InputDispatchTouchEventTypeTouchEnd, 0)
	b.wantPulled("finish", text("pull.finish"))
	ask[any](b, `() => elapse(1000)`)
	b.wantPulled("", "")
	if seen := slices.Compact(ask[[]string](b, `() => seen`)); !slices.Equal(seen, []string{"deactivate", "activate", "release", "finish", ""}) {
		t.Errorf("the states were %q", seen)
	}
	if !ask[bool](b, `() => document.querySelector("input[name=default]").checked && document.querySelector("input[name=default]").form.contains(document.querySelector("button.card"))`) {
		t.Error("what was ticked is lost, or the companies have come without their form")
	}

	h := normal.house(t, "zh", "", true)
	boss := scriptedTab(t, normal, phone)
	_, err = proto.PageAddScriptToEvaluateOnNewDocument{Source: heldTimers}.Call(boss)
	boss.must(err)
	boss.signIn(h.phone)
	boss.officePage(h, "/settings/bank")
	boss.fill("bank_holder", h.company)
	boss.fill("bank_name", "示例银行")
	boss.fill("bank_card", "6222-0212 3x4")
	for _, key := range "567" {
		boss.must(boss.InsertText(string(key)))
	}
	if got := boss.value("bank_card"); got != "6222 0212 3456 7" {
		t.Errorf("the card reads %q", got)
	}
	ask[any](boss, `s => document.querySelector(s).setSelectionRange(2, 2)`, field("bank_card"))
	boss.must(boss.InsertText("9"))
	if got, caret := boss.value("bank_card"), ask[int](boss, `s => document.querySelector(s).selectionStart`, field("bank_card")); got != "6292 2021 2345 67" || caret != 3 {
		t.Errorf("the card reads %q, the caret is at %d", got, caret)
	}
	boss.follow(`#bank .button`)
	boss.wantToast(text("settings.saved"))
	if got := boss.value("bank_card"); got != "6292 2021 2345 67" {
		t.Errorf("the card reads %q afterwards", got)
	}
	hidden := func() bool {
		return ask[bool](boss, `() => new Promise(done => setTimeout(() => done(document.querySelector(".toast").hidden), 300))`)
	}
	ask[any](boss, `() => elapse(2999)`)
	if hidden() {
		t.Error("the toast goes before its 3 s")
	}
	ask[any](boss, `() => elapse(3000)`)
	if !hidden() {
		t.Error("the toast stays after its 3 s")
	}
}
