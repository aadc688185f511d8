package portal_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"portico/portal"
	"portico/store/storetest"
)

func TestARememberedLoginIsReadByTheServerAlone(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	sealed, err := p.Remember("13800000001")
	noError(t, err)
	if got := p.Remembered(sealed); got != "13800000001" {
		t.Errorf("remembered %q", got)
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	noError(t, err)
	if strings.Contains(sealed+string(raw), "138") {
		t.Error("the number can be read")
	}
	if again, _ := p.Remember("13800000001"); again == sealed {
		t.Error("sealed twice alike: equal numbers can be told")
	}
}

func TestWhatWasSealedIsRefusedAfterAnyChange(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	sealed, err := p.Remember("buyer1")
	noError(t, err)
	for i := range len(sealed) {
		for _, c := range []byte("Aa0_") {
			changed := sealed[:i] + string(c) + sealed[i+1:]
			if changed != sealed && p.Remembered(changed) != "" {
				t.Fatalf("position %d as %c is accepted", i, c)
			}
		}
		if p.Remembered(sealed[:i]) != "" {
			t.Fatalf("accepted when cut at %d", i)
		}
	}
	for _, changed := range []string{"", "A", sealed + "A", sealed + "=", sealed + "AAAA", "=" + sealed, strings.Repeat("A", 40), "\x00", sealed + sealed} {
		if p.Remembered(changed) != "" {
			t.Errorf("%q is accepted", changed)
		}
	}
}

func TestAnotherSecretOpensNothing(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	sealed, err := p.Remember("buyer1")
	noError(t, err)
	form, device := p.BrowserTag("session"), p.DeviceCookie(strings.Repeat("d", 22))
	p.restart(func(o *portal.Options) { o.Secret = []byte("another secret of 32 bytes or so") })
	if p.Remembered(sealed) != "" || p.BrowserTag("session") == form || p.DeviceID(device) != "" {
		t.Error("the other secret opened something")
	}
}

func TestWhatWasSealedForOnePurposeServesNoOther(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	signed := p.signIn(accountHost, "buyer1")
	destination := p.enter(signed, accountHost, "buyer1", phoneScreen)
	if got := p.Remembered(destination.Code); got != "" {
		t.Errorf("an auth code is remembered as %q", got)
	}
	remember, err := p.Remember("buyer1")
	noError(t, err)
	_, err = p.Redeem(t.Context(), portal.RedeemInput{Code: remember, Place: p.place("m.portico.test"), Slot: destination.Slot})
	refused(t, err, portal.RedirectFailed)
}

func TestAShortSecretStartsNoPortal(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	p.options.Secret = p.options.Secret[:portal.MinSecret-1]
	if _, err := portal.New(p.options); err == nil {
		t.Error("31 bytes are accepted")
	}
}

func TestADeviceCookieThatIsNotOursNamesNoDevice(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	device := p.signIn(accountHost, "buyer1").Device
	cookie := p.DeviceCookie(device)
	if got := p.DeviceID(cookie); got != device {
		t.Fatalf("the true cookie names %q", got)
	}
	other := "B" + device[1:]
	if device[0] == 'B' {
		other = "C" + device[1:]
	}
	for name, forged := range map[string]string{
		"nothing": "", "the id alone": device, "no signature": device + ".", "another id": other + cookie[len(device):],
		"cut": cookie[:len(cookie)-1], "longer": cookie + "A", "upper case": strings.ToUpper(cookie), "another purpose": device + "." + p.BrowserTag(device),
		"no dot": device + cookie[len(device)+1:], "space": cookie + " ", "long": strings.Repeat("a", 1<<20),
	} {
		if got := p.DeviceID(forged); got != "" {
			t.Errorf("%s: taken for %q", name, got)
		}
	}
}

func TestABrowserTagBelongsToOneCookie(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	first, again := p.BrowserTag("a"), p.BrowserTag("a")
	if first == p.BrowserTag("b") || first != again || first == "" {
		t.Error("tags do not follow the cookie")
	}
}
