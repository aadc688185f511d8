package browser

import (
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// The narrowest phone, and a desktop window at 200 % zoom.
var (
	Narrow = Screen{"320 px", 320, 640, 1, true}
	Zoomed = Screen{"200 %", 640, 400, 2, false}
)

// Screen is what a person holds or sits at.
type Screen struct {
	Name          string
	Width, height int
	scale         float64
	Mobile        bool
}

var (
	Phone   = Screen{"phone", 360, 740, 1, true}
	Desktop = Screen{"desktop", 1280, 800, 1, false}
	Screens = []Screen{Phone, Desktop}
)

const (
	tabLife     = 15 * time.Minute // longer than any test beside other work takes
	MobileAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36"
)

// SetScreen moves the tab to another screen.
func (b *Tab) SetScreen(s Screen) {
	b.T.Helper()
	b.Screen = s
	b.Must(proto.EmulationSetDeviceMetricsOverride{Width: s.Width, Height: s.height, DeviceScaleFactor: s.scale, Mobile: s.Mobile}.Call(b))
	b.Must(proto.EmulationSetTouchEmulationEnabled{Enabled: s.Mobile}.Call(b))
	agent := proto.EmulationSetUserAgentOverride{UserAgent: MobileAgent, UserAgentMetadata: &proto.EmulationUserAgentMetadata{Mobile: true, Platform: "Android"}}
	if !s.Mobile {
		agent = proto.EmulationSetUserAgentOverride{}
	}
	if b.Agent != "" {
		agent = proto.EmulationSetUserAgentOverride{UserAgent: b.Agent}
	}
	b.Must(agent.Call(b))
	Ask[any](b, `() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`) // the page has found its place
}

// SetColourScheme chooses light or dark, and leaves animations off.
func SetColourScheme(b *Tab, scheme string) {
	b.T.Helper()
	b.Must(proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}.Call(b))
}

// SetMotion switches animations and page transitions.
func (b *Tab) SetMotion(on bool) {
	b.T.Helper()
	wish := map[bool]string{true: "no-preference", false: "reduce"}[on]
	b.Must(proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-reduced-motion", Value: wish}}}.Call(b))
}
