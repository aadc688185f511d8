package browser

import (
	"strings"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
)

// TabTo presses Tab until an element has the focus. The focus must be visible at every element on the way.
func TabTo(b *Tab, selector string) {
	b.T.Helper()
	const most = 60
	var passed []string
	for range most {
		PressKey(b, input.Tab)
		WantFocusVisible(b)
		if Eval[bool](b, `s => document.activeElement.matches(s)`, selector) {
			return
		}
		passed = append(passed, Eval[string](b, `() => document.activeElement.outerHTML.slice(0, 60)`))
	}
	b.T.Fatalf("the Tab key does not reach %s at %s:\n%s", selector, b.Address(), strings.Join(passed, "\n"))
}

// WantFocusVisible checks that the element with the focus is in view and has a ring.
func WantFocusVisible(b *Tab) {
	b.T.Helper()
	unseen := Eval[string](b, `() => {
		const e = document.activeElement
		if (!e || e === document.body || e === document.documentElement) return ""
		const s = getComputedStyle(e), r = e.getBoundingClientRect()
		const ringed = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2
		const inView = r.width > 0 && r.height > 0 && r.bottom > 0 && r.top < innerHeight && r.right > 0 &&
			r.left < innerWidth
		return ringed && inView ? "" : e.outerHTML.slice(0, 120)
	}`)
	if unseen != "" {
		b.T.Errorf("the focus is not visible at %s on %s", b.Address(), unseen)
	}
}

// PressKey presses a key.
func PressKey(b *Tab, key input.Key) { b.T.Helper(); b.Must(b.Keyboard.Type(key)) }

// TypeKeys types a text key by key.
func TypeKeys(b *Tab, text string) {
	b.T.Helper()
	for _, r := range text {
		PressKey(b, input.Key(r))
	}
}

// PressEnter presses Enter where that leads to another page, and waits for that page.
func PressEnter(b *Tab) { b.T.Helper(); b.LeavePage(func() { b.T.Helper(); PressKey(b, input.Enter) }) }

// Paste puts a text on the clipboard and pastes it into the field with a name.
func Paste(b *Tab, name, text string) {
	b.T.Helper()
	b.Fill(name, "")
	b.Must(
		proto.BrowserGrantPermissions{
			BrowserContextID: b.Browser().BrowserContextID,
			Permissions: []proto.BrowserPermissionType{
				proto.BrowserPermissionTypeClipboardReadWrite, proto.BrowserPermissionTypeClipboardSanitizedWrite,
			},
		}.Call(b.Browser()),
	)
	Eval[any](b, `text => navigator.clipboard.writeText(text)`, text)
	b.Must(
		proto.InputDispatchKeyEvent{
			Type:      proto.InputDispatchKeyEventTypeKeyDown,
			Key:       "v",
			Code:      "KeyV",
			Modifiers: input.ModifierControl,
			Commands:  []string{"paste"},
		}.Call(b),
	)
	b.Must(
		proto.InputDispatchKeyEvent{
			Type:      proto.InputDispatchKeyEventTypeKeyUp,
			Key:       "v",
			Code:      "KeyV",
			Modifiers: input.ModifierControl,
		}.Call(b),
	)
}
