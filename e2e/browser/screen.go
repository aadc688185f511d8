package browser

import (
	"strconv"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// Screen is the screen that a page is shown on. Width and height are in CSS pixels.
type Screen struct {
	Name          string
	Width, height int
	scale         float64
	Mobile        bool
}

// The screens of tests.
var (
	// Phone is a common phone.
	Phone = Screen{"phone", 360, 740, 1, true}
	// Desktop is a laptop's window.
	Desktop = Screen{"desktop", 1280, 800, 1, false}
	// Screens are the two on which most tests run.
	Screens = []Screen{Phone, Desktop}
	// Narrow is the narrowest phone.
	Narrow = Screen{"320 px", 320, 640, 1, true}
	// Zoomed is a desktop window at 200 % zoom.
	Zoomed = Screen{"200 %", 640, 400, 2, false}
	// Window and Handset are what the pictures of the product show: the top of a desktop window, a small phone.
	Window  = Screen{"window", 960, 540, 1, false}
	Handset = Screen{"handset", 320, 560, 1, true}
)

// Wide returns a screen of a width in CSS pixels: a phone below 750, a window from there on.
func Wide(width int) Screen {
	s := Screen{Name: strconv.Itoa(width) + " px", Width: width, height: Desktop.height, scale: 1}
	if s.Mobile = width < 750; s.Mobile {
		s.height = Phone.height
	}
	return s
}

const (
	// tabLife limits the life of a tab. It is longer than any test takes on a busy machine.
	tabLife = 15 * time.Minute

	// MobileAgent is the User-Agent of phones.
	MobileAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Chrome/120.0.0.0 Mobile Safari/537.36"
)

// SetScreen moves the tab to another screen.
func (b *Tab) SetScreen(s Screen) {
	b.T.Helper()
	b.Screen = s
	b.Must(
		proto.EmulationSetDeviceMetricsOverride{
			Width:             s.Width,
			Height:            s.height,
			DeviceScaleFactor: s.scale,
			Mobile:            s.Mobile,
		}.Call(b),
	)
	b.Must(proto.EmulationSetTouchEmulationEnabled{Enabled: s.Mobile}.Call(b))
	agent := proto.EmulationSetUserAgentOverride{
		UserAgent:         MobileAgent,
		UserAgentMetadata: &proto.EmulationUserAgentMetadata{Mobile: true, Platform: "Android"},
	}
	if !s.Mobile {
		agent = proto.EmulationSetUserAgentOverride{}
	}
	if b.Agent != "" {
		agent = proto.EmulationSetUserAgentOverride{UserAgent: b.Agent}
	}
	b.Must(agent.Call(b))
	Eval[any](b, `() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`)
}

// SetColourScheme chooses "light" or "dark" and switches animations off.
func SetColourScheme(b *Tab, scheme string) {
	b.T.Helper()
	b.Must(proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}.Call(b))
}

// SetMotion switches animations and page transitions on or off.
func (b *Tab) SetMotion(on bool) {
	b.T.Helper()
	wish := map[bool]string{true: "no-preference", false: "reduce"}[on]
	b.Must(
		proto.EmulationSetEmulatedMedia{
			Features: []*proto.EmulationMediaFeature{{Name: "prefers-reduced-motion", Value: wish}},
		}.Call(b),
	)
}
