package components

import "encoding/json"

// Native is the data of a page for islands/native/bridge.ts, which talks to the native app that wraps the page
// (docs/native-bridge.md).
type Native struct {
	On     string   `json:"on"`              // the variant of the app's object: "ios" or "android"
	APIs   []string `json:"apis"`            // the origins that an app may name as its API
	Title  string   `json:"title,omitempty"` // title of the app bar; "" for the page's heading
	Color  string   `json:"color"`           // "#rrggbb"
	First  bool     `json:"first,omitempty"` // the app shows no back button
	User   any      `json:"user,omitempty"`  // who is signed in to this side, nil for nobody
	Code   string   `json:"code,omitempty"`  // URL that returns the one-time code for User
	Token  string   `json:"token,omitempty"` // form token for that request
	SignIn string   `json:"sign_in,omitempty"`
	Enter  string   `json:"enter,omitempty"` // URL where the app's own token signs in, "" when it cannot
	// Notices is the URL that stores the answer to the offer of notifications, "" for no offer.
	Notices string            `json:"notices,omitempty"`
	Texts   map[string]string `json:"texts"`
	Script  string            `json:"-"` // URL of a script that simulates the app, in development; "" for none
	Old     bool              `json:"-"` // the app needs an update
}

// props returns Native as JSON for the island.
func (n Native) props() string {
	text, err := json.Marshal(n)
	if err != nil {
		return "{}" // cannot happen: plain values always marshal
	}
	return string(text)
}
