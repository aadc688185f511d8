package access

import "portico/store"

// Device is what a request says about the screen of its browser.
type Device struct {
	Width       int  // CSS pixels that the page or a client hint reported, 0 unknown
	MobileAgent bool // the User-Agent or a client hint is a phone's
	WorkChat    bool // the page is open in WeCom
}

// Mobile says whether the person gets the mobile sites: on a phone, in WeCom, or in a narrow window. One of them is
// enough, so a phone that is held sideways stays a phone, however wide it is.
func (d Device) Mobile() bool {
	return d.MobileAgent || d.WorkChat || d.Width > 0 && d.Width < MobileWidth
}

// EnterInput is the input for entering one of the person's accounts.
type EnterInput struct {
	Session   store.Session
	AccountID int64 `form:"account_id"`
	Place     Place
	Device    Device
	Lang      string     // the language the person chose, "" for none; the landing site uses it too
	Slot      store.Slot // the side to enter; "" chooses by the device

	// Arrive has the path to open on each side that may be entered. The other sides open at their first page.
	Arrive map[store.Slot]string

	// Notice names the message that the side shows the person on arrival. Package web defines the names.
	Notice string

	By string // signin.SealedCode.By
}

// DeviceKind is the kind of device on which a page was shown. Its label is the locale key "visits.on_" + its value.
type DeviceKind string

// Client is the kind of program that calls the API (header X-Token-Type). A token works only for the kind that it was
// made for.
type Client string

// ClientPC is a program on a desktop computer.
const ClientPC Client = "PC"
