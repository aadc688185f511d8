package components

import "encoding/json"

// Native is what a page tells the bridge to the app that wraps it (docs/native-bridge.md); islands/native/bridge.ts reads it.
type Native struct {
	On     string   `json:"on"`              // the variant of the app's object: "ios" or "android"
	APIs   []string `json:"apis"`            // the origins that an app may name as its API
	Title  string   `json:"title,omitempty"` // of the app bar; "" for the page's own heading
	Color  string   `json:"color"`           // "#rrggbb"
	First  bool     `json:"first,omitempty"` // there is no way back from here
	User   any      `json:"user,omitempty"`  // who is signed in to this side, nil for nobody
	Code   string   `json:"code,omitempty"`  // where the one-time code for User is asked for
	Token  string   `json:"token,omitempty"` // of the form that asks for it
	SignIn string   `json:"sign_in,omitempty"`
	Enter  string   `json:"enter,omitempty"` // where the app's own token signs in, "" where it does not
	// Notices is where an answer to the offer of notifications is kept, "" for no offer.
	Notices string            `json:"notices,omitempty"`
	Texts   map[string]string `json:"texts"`
	Script  string            `json:"-"` // a script that stands for the app, in dev; "" for none
	Old     bool              `json:"-"` // the app needs an update
}

// props is Native as the island reads it.
func (n Native) props() string {
	text, err := json.Marshal(n)
	if err != nil {
		return "{}" // plain values always marshal
	}
	return string(text)
}
