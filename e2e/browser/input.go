package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/program"
)

// SetFile chooses a file in a file input.
func SetFile(b *Tab, selector, path string) {
	b.T.Helper()
	control, err := b.Timeout(program.Patience).Element(selector)
	b.Must(err)
	b.Must(control.CancelTimeout().SetFiles([]string{path}))
}

// Find waits until an element can be pressed and returns its centre.
func (b *Tab) Find(selector string) proto.Point {
	b.T.Helper()
	answer := b.waitFor(selector, func(answer string) bool { return answer != "null" }, `s => {
		const e = document.querySelector(s)
		if (!e) return null
		e.scrollIntoView({block: "center"})
		const r = e.getBoundingClientRect(), at = {x: r.x + r.width / 2, y: r.y + r.height / 2},
			hit = document.elementFromPoint(at.x, at.y)
		return hit && e.contains(hit) ? at : null
	}`, selector)
	var at proto.Point
	b.Must(json.Unmarshal(answer, &at))
	return at
}

// Press clicks an element, or taps it on a phone.
func (b *Tab) Press(selector string) {
	b.T.Helper()
	b.Must(b.pressAt(b.Page, b.Find(selector), 1))
}

// PressTwice presses an element twice without waiting, as an impatient person does. If the first press has led to
// another page, the browser may never answer the second.
func (b *Tab) PressTwice(selector string) {
	b.T.Helper()
	at := b.Find(selector)
	b.Must(b.pressAt(b.Page, at, 1))
	if err := b.pressAt(b.Timeout(answerTime), at, 2); !errors.Is(err, context.DeadlineExceeded) {
		b.Must(err)
	}
}

// pressAt clicks or taps at a point. count is 2 for the second of two clicks. page limits the time; the mouse and touch
// screen of rod would wait for the browser without a limit.
func (b *Tab) pressAt(page *rod.Page, at proto.Point, count int) error {
	if b.Screen.Mobile {
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
		buttons := 0 // that are down
		event := proto.InputDispatchMouseEvent{Type: kind, X: at.X, Y: at.Y, Buttons: &buttons}
		if kind != proto.InputDispatchMouseEventTypeMouseMoved {
			event.Button, event.ClickCount = proto.InputMouseButtonLeft, count
		}
		if kind == proto.InputDispatchMouseEventTypeMousePressed {
			buttons = 1
		}
		if err := event.Call(page); err != nil {
			return err
		}
	}
	return nil
}

// Follow presses an element that leads to another page and waits for that page.
func (b *Tab) Follow(selector string) {
	b.T.Helper()
	b.LeavePage(func() { b.T.Helper(); b.Press(selector) })
}

// Fill replaces the value of the field with a name, as if typed.
func (b *Tab) Fill(name, text string) {
	b.T.Helper()
	b.Await("the field "+name, `s => {
		const e = document.querySelector(s)
		if (!e) return false
		e.focus()
		e.select()
		return document.activeElement === e
	}`, Field(name))
	if text == "" {
		b.Must(b.Keyboard.Type(input.Backspace))
		return
	}
	b.Must(b.InsertText(text))
}

// Field is the selector of the form field with a name.
func Field(name string) string {
	return fmt.Sprintf(`:is(input, select, textarea)[name="%s"]:not([type=hidden])`, name)
}

// Value returns the value of the field with a name.
func (b *Tab) Value(name string) string {
	b.T.Helper()
	return Eval[string](b, `s => document.querySelector(s).value`, Field(name))
}

// Has reports whether the page has an element.
func (b *Tab) Has(selector string) bool {
	b.T.Helper()
	return Eval[bool](b, `s => !!document.querySelector(s)`, selector)
}
