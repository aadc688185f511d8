package browser

import (
	"strings"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
)

// TabTo presses Tab until an element has the focus. At every stop on the way one can see where one is.
func TabTo(b *Tab, selector string) {
	b.T.Helper()
	const most = 60
	var passed []string
	for range most {
		Keyboard(b, input.Tab)
		WantFocusSeen(b)
		if Ask[bool](b, `s => document.activeElement.matches(s)`, selector) {
			return
		}
		passed = append(passed, Ask[string](b, `() => document.activeElement.outerHTML.slice(0, 60)`))
	}
	b.T.Fatalf("the Tab key does not reach %s at %s:\n%s", selector, b.Address(), strings.Join(passed, "\n"))
}

func WantFocusSeen(b *Tab) {
	b.T.Helper()
	unseen := Ask[string](b, `() => {
		const e = document.activeElement
		if (!e || e === document.body || e === document.documentElement) return ""
		const s = getComputedStyle(e), r = e.getBoundingClientRect()
		const ringed = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2
		const inView = r.width > 0 && r.height > 0 && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth
		return ringed && inView ? "" : e.outerHTML.slice(0, 120)
	}`)
	if unseen != "" {
		b.T.Errorf("no focus to be seen at %s on %s", b.Address(), unseen)
	}
}

func Keyboard(b *Tab, key input.Key) { b.T.Helper(); b.Must(b.Keyboard.Type(key)) }

// Keys types a text key by key.
func Keys(b *Tab, text string) {
	b.T.Helper()
	for _, r := range text {
		Keyboard(b, input.Key(r))
	}
}

// EnterKey presses Enter where that leads to another page.
func EnterKey(b *Tab) { b.T.Helper(); b.LeavePage(func() { b.T.Helper(); Keyboard(b, input.Enter) }) }

// Paste puts a text on the clipboard and from there into a field.
func Paste(b *Tab, name, text string) {
	b.T.Helper()
	b.Fill(name, "")
	b.Must(proto.BrowserGrantPermissions{BrowserContextID: b.Browser().BrowserContextID, Permissions: []proto.BrowserPermissionType{
		proto.BrowserPermissionTypeClipboardReadWrite, proto.BrowserPermissionTypeClipboardSanitizedWrite,
	}}.Call(b.Browser()))
	Ask[any](b, `text => navigator.clipboard.writeText(text)`, text)
	b.Must(proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeKeyDown, Key: "v", Code: "KeyV", Modifiers: input.ModifierControl, Commands: []string{"paste"}}.Call(b))
	b.Must(proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeKeyUp, Key: "v", Code: "KeyV", Modifiers: input.ModifierControl}.Call(b))
}
