package core_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store/storetest"
)

func TestARememberedLoginIsReadableOnlyByTheServer(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	sealed, err := p.Sealing.Remember("13800000001")
	portaltest.NoError(t, err)
	if got := p.Sealing.Remembered(sealed); got != "13800000001" {
		t.Errorf("remembered %q", got)
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	portaltest.NoError(t, err)
	if strings.Contains(sealed+string(raw), "1380000") {
		t.Error("the number can be read")
	}
	if again, _ := p.Sealing.Remember("13800000001"); again == sealed {
		t.Error("sealing twice gave the same value: equal names can be recognised")
	}
}

func TestAChangedSealedValueIsRefused(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	sealed, err := p.Sealing.Remember("buyer1")
	portaltest.NoError(t, err)
	for i := range len(sealed) {
		for _, c := range []byte("Aa0_") {
			changed := sealed[:i] + string(c) + sealed[i+1:]
			if changed != sealed && p.Sealing.Remembered(changed) != "" {
				t.Fatalf("position %d as %c is accepted", i, c)
			}
		}
		if p.Sealing.Remembered(sealed[:i]) != "" {
			t.Fatalf("accepted when cut at %d", i)
		}
	}
	for _, changed := range []string{
		"", "A", sealed + "A", sealed + "=", sealed + "AAAA", "=" + sealed, strings.Repeat("A", 40), "\x00",
		sealed + sealed,
	} {
		if p.Sealing.Remembered(changed) != "" {
			t.Errorf("%q is accepted", changed)
		}
	}
}

func TestAnotherSecretOpensNoSealedValue(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	sealed, err := p.Sealing.Remember("buyer1")
	portaltest.NoError(t, err)
	form, device := p.Sessions.BrowserTag("session"), p.Sessions.DeviceCookie(strings.Repeat("d", 22))
	p.Restart(func(o *portal.Options) { o.Secret = []byte("another secret of 32 bytes or so") })
	if p.Sealing.Remembered(sealed) != "" || p.Sessions.BrowserTag("session") == form ||
		p.Sessions.DeviceID(device) != "" {
		t.Error("the other secret opened something")
	}
}

func TestAValueSealedForOnePurposeDoesNotOpenForAnother(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	signed := p.SignIn(portaltest.AccountHost, "buyer1")
	destination := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
	if got := p.Sealing.Remembered(destination.Code); got != "" {
		t.Errorf("an auth code is remembered as %q", got)
	}
	remember, err := p.Sealing.Remember("buyer1")
	portaltest.NoError(t, err)
	_, err = p.Landing.Redeem(
		t.Context(), signin.RedeemInput{Code: remember, Place: p.Place("m.portico.test"), Slot: destination.Slot},
	)
	portaltest.Refused(t, err, access.RedirectFailed)
}

func TestAShortSecretIsRefused(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	for length, accepted := range map[int]bool{31: false, 32: true} {
		p.Options.Secret = []byte(strings.Repeat("s", length))
		if _, err := portal.New(p.Options); (err == nil) != accepted {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}

func TestAForgedDeviceCookieNamesNoDevice(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	device := p.SignIn(portaltest.AccountHost, "buyer1").Device
	cookie := p.Sessions.DeviceCookie(device)
	if got := p.Sessions.DeviceID(cookie); got != device {
		t.Fatalf("the true cookie names %q", got)
	}
	other := "B" + device[1:]
	if device[0] == 'B' {
		other = "C" + device[1:]
	}
	for name, forged := range map[string]string{
		"nothing": "", "the id alone": device, "no signature": device + ".", "another id": other + cookie[len(device):],
		"cut": cookie[:len(cookie)-1], "longer": cookie + "A", "upper case": strings.ToUpper(cookie),
		"another purpose": device + "." + p.Sessions.BrowserTag(device),
		"no dot":          device + cookie[len(device)+1:], "space": cookie + " ", "long": strings.Repeat("a", 1<<20),
	} {
		if got := p.Sessions.DeviceID(forged); got != "" {
			t.Errorf("%s: taken for %q", name, got)
		}
	}
}

func TestABrowserTagBelongsToOneCookie(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	first, again := p.Sessions.BrowserTag("a"), p.Sessions.BrowserTag("a")
	if first == p.Sessions.BrowserTag("b") || first != again || first == "" {
		t.Error("tags do not follow the cookie")
	}
}
