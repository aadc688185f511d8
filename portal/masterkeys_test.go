package portal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"portico/portal"
	"portico/store/storetest"
)

var formerKey, newKey = []byte("0123456789abcdef0123456789abcdef"), []byte("fedcba9876543210fedcba9876543210")

func offersWeChat(p *chatter) bool {
	return slices.Contains(p.Doors(p.place(host1001), inWeChat, true), portal.DoorWeChat)
}

// rotate restarts with a new master key in front of the former ones.
func rotate(p *platform, keys ...[]byte) {
	p.restart(func(o *portal.Options) { o.Secret, o.FormerSecrets = keys[0], keys[1:] })
}

func TestAChangedMasterKeyLosesNothing(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		sealed, err := p.Remember("buyer1")
		noError(t, err)
		device := p.DeviceCookie(strings.Repeat("d", 22))
		check := func(when string) {
			t.Helper()
			if p.DeviceID(device) == "" {
				t.Error(when + ": the browser is not known any more")
			}
			if !offersWeChat(p) {
				t.Error(when + ": the company's own WeChat sign-in is gone")
			}
		}
		rotate(p.platform, newKey, formerKey)
		check("with both keys")
		if p.Remembered(sealed) != "buyer1" {
			t.Error("the former key does not open what it sealed")
		}
		done, err := p.Reseal(t.Context())
		noError(t, err)
		if done.Credentials != 1 || done.Lost != 0 {
			t.Errorf("resealed %+v", done)
		}
		rotate(p.platform, newKey)
		check("after portico reseal, with the new key alone")
	})
}

func TestCredentialsThatNoKeyOpensCountAsNotSetUp(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		rotate(p.platform, newKey)
		noError(t, p.Start(t.Context()))
		defer p.Stop(t.Context())
		if offersWeChat(p) {
			t.Error("the sign-in is offered")
		}
		_, err := p.BeginAuthorisation(t.Context(), portal.BeginAuthorisationInput{
			Provider: portal.WeChat, Place: p.place(host1001), Agent: inWeChat, Mobile: true, Flow: portal.NewFlow(),
		})
		refused(t, err, portal.WeChatFailed)
		done, err := p.Reseal(t.Context())
		noError(t, err)
		if done.Credentials != 0 || done.Lost != 1 {
			t.Errorf("resealed %+v", done)
		}

		rotate(p.platform, newKey, formerKey) // the operator found the former key again
		if _, err := p.Reseal(t.Context()); err != nil {
			t.Fatal(err)
		}
		rotate(p.platform, newKey)
		if !offersWeChat(p) {
			t.Error("the sign-in is not offered after the former key was given")
		}
	})
}

func TestAnEarlierVersionsSealedValueIsOpened(t *testing.T) {
	// Sealed by a version that wrote no key id, with formerKey, for the purpose "remember".
	const sealed = "mP9MOCKt5_oAZ1cZiwv0mWVVap4Ti76EyE4Ok1ZBnvwkRo9fbOvAn6A"
	p := newPlatform(t, storetest.SQLite(t))
	if p.Remembered(sealed) != "13800000001" {
		t.Error("not opened")
	}
	rotate(p, newKey, formerKey)
	if p.Remembered(sealed) != "13800000001" {
		t.Error("not opened with the key in second place")
	}
	rotate(p, newKey)
	if p.Remembered(sealed) != "" {
		t.Error("opened without its key")
	}
}

func TestEveryMasterKeyMustBeLong(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	p.options.FormerSecrets = [][]byte{[]byte(strings.Repeat("k", 31))}
	if _, err := portal.New(p.options); err == nil || errors.Is(err, portal.Internal) {
		t.Errorf("31 bytes: %v", err)
	}
}
