package access

// Browser is what a request says about the browser that sent it. A session made for it keeps these facts.
type Browser struct {
	Place    Place
	Lighting bool   // the lighting edition is asked for
	Remember bool   `form:"remember"` // the person asked to stay signed in on this browser
	Device   string // the browser's own id from its signed cookie, "" when it has none
	Width    int    // CSS pixels that the page reported, 0 unknown

	// The ids u and c of the shared link that the browser opened first, 0 when there was none.
	ShareUser, ShareClient int64
}

// DeviceOrNew returns the browser's own id, a new one when it has none.
func (b Browser) DeviceOrNew() string {
	if b.Device == "" {
		return RandomToken(16)
	}
	return b.Device
}

// PasswordTry is one attempt at a password, with the answers to what an earlier refusal asked for.
type PasswordTry struct {
	Password string
	Question string // the token of a question that was asked
	Answer   string
	Proof    string // the token of a proof of work that was set
	Work     string // the number that proves it
	Device   string // the browser's own id, "" when it has none
	SignedIn bool   // a signed-in person confirms the password
}
