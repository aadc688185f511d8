package portal

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

// deviceOrNew returns the browser's own id, a new one when it has none.
func (b Browser) deviceOrNew() string {
	if b.Device == "" {
		return randomToken(16)
	}
	return b.Device
}
