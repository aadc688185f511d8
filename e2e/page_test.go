package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
)

// try evaluates a function in the page as it now is.
func (b *tab) try(function string, args ...any) (json.RawMessage, error) {
	return b.tryFor(patience, function, args...)
}

// tryFor is try with a limit on the time that the page has to answer.
func (b *tab) tryFor(limit time.Duration, function string, args ...any) (json.RawMessage, error) {
	given, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(b.GetContext(), limit)
	defer cancel()
	answer, err := proto.RuntimeEvaluate{
		Expression: "(" + function + ")(..." + string(given) + ")", ReturnByValue: true, AwaitPromise: true, UserGesture: true,
	}.Call(b.Context(ctx))
	if err != nil {
		return nil, err
	}
	if trouble := answer.ExceptionDetails; trouble != nil {
		text := trouble.Text
		if trouble.Exception != nil {
			text += " " + trouble.Exception.Description
		}
		return nil, fmt.Errorf("%s: %s", function, text)
	}
	return json.Marshal(answer.Result.Value)
}

// ask evaluates a function and reads its answer into a value of the type asked for. The function may run twice, when the
// page changes meanwhile: it must not lead to another page (see run).
func ask[T any](b *tab, function string, args ...any) T {
	b.t.Helper()
	var value T
	answer, err := b.try(function, args...)
	if changedDocument(err) {
		answer, err = b.try(function, args...)
	}
	b.must(err)
	b.must(json.Unmarshal(answer, &value))
	return value
}

// run evaluates a function that leads to another page, exactly once. On a busy machine the browser may change documents
// before the old one has answered: then the function did what it was called for, and going back once more would lead to
// the page before.
func (b *tab) run(function string, args ...any) {
	b.t.Helper()
	if _, err := b.try(function, args...); !changedDocument(err) {
		b.must(err)
	}
}

// changedDocument reports whether an evaluation failed because the tab went to another document.
func changedDocument(err error) bool {
	return err != nil && strings.Contains(err.Error(), "navigated")
}

// await waits until a function of the page is true.
func (b *tab) await(what, function string, args ...any) {
	b.t.Helper()
	b.waitFor(what, func(answer string) bool { return answer == "true" }, function, args...)
}

// waitFor asks a function of the page until its answer is as wanted: less and less often, for asking takes time from the
// page. An evaluation that gets no answer is given up and made again, because a page that the browser keeps aside to go
// back to never answers.
func (b *tab) waitFor(what string, wanted func(answer string) bool, function string, args ...any) json.RawMessage {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for pause := 10 * time.Millisecond; ; pause = min(pause+5*time.Millisecond, 50*time.Millisecond) {
		answer, err := b.tryFor(answerTime, function, args...)
		if err == nil && wanted(string(answer)) {
			return answer
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("waited in vain for %s at %s (%v)\n%s", what, b.here(), err, b.seen())
		}
		time.Sleep(pause)
	}
}

// here is where the tab is, for messages.
func (b *tab) here() string {
	return b.words(`() => location.href`)
}

// seen is what a person reads, for messages.
func (b *tab) seen() string {
	return b.words(`() => document.body.innerText`)
}

func (b *tab) words(function string) string {
	answer, err := b.try(function)
	var text string
	if err == nil {
		err = json.Unmarshal(answer, &text)
	}
	if err != nil {
		return err.Error()
	}
	return text
}

// leave does what leads to another page, and waits for it.
func (b *tab) leave(action func()) {
	b.t.Helper()
	b.steps++
	ask[any](b, `n => { window.left = n }`, b.steps)
	action()
	b.settle(b.steps)
}

// settle waits for the page after a step to be complete and its islands alive.
func (b *tab) settle(step int) {
	b.t.Helper()
	b.await("the next page", `(n, plain) => window.left !== n && document.readyState === "complete" && location.protocol !== "about:" &&
		(plain || [...document.querySelectorAll("[data-island]")].every(e => "ready" in e.dataset))`, step, b.plain || !scripted)
}

func (b *tab) visit(host, path string) { b.t.Helper(); b.visitURL(b.site.at(host, path)) }

func (b *tab) visitURL(address string) {
	b.t.Helper()
	b.leave(func() {
		b.t.Helper()
		answer, err := proto.PageNavigate{URL: address}.Call(b)
		b.must(err)
		if answer.ErrorText != "" {
			b.t.Fatalf("%s: %s", address, answer.ErrorText)
		}
	})
}

func (b *tab) back()   { b.t.Helper(); b.leave(func() { b.run(`() => history.back()`) }) }
func (b *tab) reload() { b.t.Helper(); b.leave(func() { b.must(proto.PageReload{}.Call(b)) }) }

// find waits for an element one can press and gives its middle.
func (b *tab) find(selector string) proto.Point {
	b.t.Helper()
	answer := b.waitFor(selector, func(answer string) bool { return answer != "null" }, `s => {
		const e = document.querySelector(s)
		if (!e) return null
		e.scrollIntoView({block: "center"})
		const r = e.getBoundingClientRect(), at = {x: r.x + r.width / 2, y: r.y + r.height / 2}, hit = document.elementFromPoint(at.x, at.y)
		return hit && e.contains(hit) ? at : null
	}`, selector)
	var at proto.Point
	b.must(json.Unmarshal(answer, &at))
	return at
}

// press clicks or taps, by the screen.
func (b *tab) press(selector string) {
	b.t.Helper()
	b.must(b.pressAt(b.Page, b.find(selector), 1))
}

// pressTwice is an impatient double press. When the first one has led to another page, the browser may never answer the
// second one.
func (b *tab) pressTwice(selector string) {
	b.t.Helper()
	at := b.find(selector)
	b.must(b.pressAt(b.Page, at, 1))
	if err := b.pressAt(b.Timeout(answerTime), at, 2); !errors.Is(err, context.DeadlineExceeded) {
		b.must(err)
	}
}

// answerTime is how long the browser may take to answer one question that is asked again, or the second press.
const answerTime = 10 * time.Second

// pressAt clicks or taps at a place; count is 2 for the second of two clicks. page limits the time. rod's own mouse and
// touch screen would wait for the browser for ever.
func (b *tab) pressAt(page *rod.Page, at proto.Point, count int) error {
	if b.screen.mobile {
		start := proto.InputDispatchTouchEvent{
			Type:        proto.InputDispatchTouchEventTypeTouchStart,
			TouchPoints: []*proto.InputTouchPoint{{X: at.X, Y: at.Y}},
		}
		end := proto.InputDispatchTouchEvent{
			Type: proto.InputDispatchTouchEventTypeTouchEnd, TouchPoints: []*proto.InputTouchPoint{},
		}
		return errors.Join(start.Call(page), end.Call(page))
	}
	for _, kind := range []proto.InputDispatchMouseEventType{
		proto.InputDispatchMouseEventTypeMouseMoved, proto.InputDispatchMouseEventTypeMousePressed,
		proto.InputDispatchMouseEventTypeMouseReleased,
	} {
		held := 0
		event := proto.InputDispatchMouseEvent{Type: kind, X: at.X, Y: at.Y, Buttons: &held}
		if kind != proto.InputDispatchMouseEventTypeMouseMoved {
			event.Button, event.ClickCount = proto.InputMouseButtonLeft, count
		}
		if kind == proto.InputDispatchMouseEventTypeMousePressed {
			held = 1
		}
		if err := event.Call(page); err != nil {
			return err
		}
	}
	return nil
}

// follow presses what leads to another page.
func (b *tab) follow(selector string) {
	b.t.Helper()
	b.leave(func() { b.t.Helper(); b.press(selector) })
}

// fill replaces what a field holds by typing.
func (b *tab) fill(name, text string) {
	b.t.Helper()
	b.await("the field "+name, `s => {
		const e = document.querySelector(s)
		if (!e) return false
		e.focus()
		e.select()
		return document.activeElement === e
	}`, field(name))
	if text == "" {
		b.must(b.Keyboard.Type(input.Backspace))
		return
	}
	b.must(b.InsertText(text))
}

func field(name string) string {
	return fmt.Sprintf(`:is(input, select, textarea)[name="%s"]:not([type=hidden])`, name)
}

func (b *tab) value(name string) string {
	b.t.Helper()
	return ask[string](b, `s => document.querySelector(s).value`, field(name))
}

func (b *tab) has(selector string) bool {
	b.t.Helper()
	return ask[bool](b, `s => !!document.querySelector(s)`, selector)
}

// The buttons of the pages, by what they do.
const (
	signInButton  = `form:has(input[name=password]) button:not([type=button])`
	signOutButton = `form[action="/logout"] button`
	skipButton    = `button[name=action][value=skip]`
)

func companyButton(id int) string   { return fmt.Sprintf(`button[name=company_id][value="%d"]`, id) }
func sideButton(side string) string { return fmt.Sprintf(`button[name=side][value="%s"]`, side) }

func languageButton(lang string) string {
	return fmt.Sprintf(`button[name=lang][value="%s"], footer a[href$="?lang=%s"]`, lang, lang)
}

// signIn signs in on the account site by the fitting door and goes where that leads.
func (b *tab) signIn(who string) {
	b.t.Helper()
	b.signInAt("account", who, password)
}

func (b *tab) signInAt(host, who, with string) {
	b.t.Helper()
	path, name := doorOf(who)
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		b.visit(host, path)
		b.fill(name, who)
		b.fill("password", with)
		b.follow(signInButton)
		if !b.isTurnedAway() || time.Now().After(end) {
			return
		}
	}
}

// isTurnedAway reports whether the server had no time to check the password (503), which happens on a busy machine: a
// person then tries again. The console's line about it is no failure of the test.
func (b *tab) isTurnedAway() bool {
	b.t.Helper()
	if ask[int](b, `() => performance.getEntriesByType("navigation")[0].responseStatus`) != http.StatusServiceUnavailable {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turnedAway = true
	return true
}
