package access

import "portico/store"

// Device is what a request says about the screen. Width is in CSS pixels, as the page reported it; 0 for no report.
type Device struct {
	Width       int
	Hint        *bool // of the client hints: a phone or not; nil without one
	MobileAgent bool
	WorkChat    bool
}

// Mobile says whether the screen is a phone's: by the width if it is known, else by the client hint, else by the
// User-Agent.
func (d Device) Mobile() bool {
	if d.Width > 0 {
		return d.Width < MobileWidth
	}
	if d.Hint != nil {
		return *d.Hint
	}
	return d.MobileAgent
}

// EnterInput asks to enter one of the person's accounts.
type EnterInput struct {
	Session   store.Session
	AccountID int64 `form:"account_id"`
	Place     Place
	Device    Device
	Lang      string     // the language the person chose, "" for none; the landing site uses it too
	Slot      store.Slot // the side to enter; "" lets the device decide

	// Arrive returns the path to open on the side that is entered, "" for its first page. nil means the first page.
	Arrive func(store.Slot) string

	// Notice names the message that the side shows the person on arrival. Package pages defines the names.
	Notice string

	By string // SealedCode.By
}

// DeviceKind is what a page was shown on; its name in words is the locale key "visits.on_" + the constant.
type DeviceKind string

// Client is the kind of program that calls the API; a token works for the kind it was made for (header
// X-Token-Type).
type Client string

const (
	ClientPC Client = "PC"
)
