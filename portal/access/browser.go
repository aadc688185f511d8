package access

// Browser is what a request says about the browser that sent it. A session made for it keeps these facts.
type Browser struct {
	Place    Place
	Lighting bool   // the address has ?edition=lighting
	Remember bool   `form:"remember"` // the person asked to stay signed in on this browser
	Device   string // the browser's id from its signed cookie, "" when it has none
	Width    int    // CSS pixels that the page reported, 0 unknown

	// The ids u and c of the shared link that the browser opened first, 0 when there was none.
	ShareUser, ShareClient int64
}

// DeviceOrNew returns the browser's id, or a new random one when it has none.
func (b Browser) DeviceOrNew() string {
	if b.Device == "" {
		return RandomToken(16)
	}
	return b.Device
}

// PasswordTry is one attempt at a password, with the answers to the question or proof of work that an earlier refusal
// carried.
type PasswordTry struct {
	Password string
	Question string // the token of a question that was asked
	Answer   string
	Proof    string // Token of the Work that was set
	Work     string // the number that solves it
	Device   string // the browser's own id, "" when it has none
	SignedIn bool   // a signed-in person confirms the password
}
