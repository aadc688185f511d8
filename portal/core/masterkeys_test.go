package core_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
	"portico/store/storetest"
)

// Two master keys.
var FormerKey, NewKey = []byte("0123456789abcdef0123456789abcdef"), []byte("fedcba9876543210fedcba9876543210")

// OffersWeChat says whether company 1001 offers signing in by WeChat.
func OffersWeChat(p *chattest.ChatPlatform) bool {
	return slices.Contains(
		p.Chatapps.Methods(p.Place(chattest.Host1001), chattest.InWeChat, true), signin.MethodWeChat,
	)
}

// Rotate restarts with a new master key in front of the former ones.
func Rotate(p *portaltest.Platform, keys ...[]byte) {
	p.Restart(func(o *portal.Options) { o.Secret, o.FormerSecrets = keys[0], keys[1:] })
}

func TestAChangedMasterKeyLosesNothing(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		sealed, err := p.Sealing.Remember("buyer1")
		portaltest.NoError(t, err)
		device := p.Sessions.DeviceCookie(strings.Repeat("d", 22))
		check := func(when string) {
			t.Helper()
			if p.Sessions.DeviceID(device) == "" {
				t.Error(when + ": the browser is not known any more")
			}
			if !OffersWeChat(p) {
				t.Error(when + ": the company's own WeChat sign-in is gone")
			}
		}
		Rotate(p.Platform, NewKey, FormerKey)
		check("with both keys")
		if p.Sealing.Remembered(sealed) != "buyer1" {
			t.Error("the former key does not open what it sealed")
		}
		done, err := p.Sealing.Reseal(t.Context())
		portaltest.NoError(t, err)
		if done.Credentials != 1 || done.Lost != 0 {
			t.Errorf("resealed %+v", done)
		}
		Rotate(p.Platform, NewKey)
		check("after portico reseal, with the new key alone")
	})
}

func TestCredentialsThatNoKeyOpensCountAsNotSetUp(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		Rotate(p.Platform, NewKey)
		portaltest.NoError(t, p.Start(t.Context()))
		defer p.Stop(t.Context())
		if OffersWeChat(p) {
			t.Error("the sign-in is offered")
		}
		_, err := p.Chatlogin.BeginAuthorisation(t.Context(), signin.BeginAuthorisationInput{
			Provider: access.WeChat,
			Place:    p.Place(chattest.Host1001),
			Agent:    chattest.InWeChat,
			Mobile:   true,
			Flow:     core.NewFlow(),
		})
		portaltest.Refused(t, err, access.WeChatFailed)
		done, err := p.Sealing.Reseal(t.Context())
		portaltest.NoError(t, err)
		if done.Credentials != 0 || done.Lost != 1 {
			t.Errorf("resealed %+v", done)
		}

		Rotate(p.Platform, NewKey, FormerKey) // the operator found the former key again
		if _, err := p.Sealing.Reseal(t.Context()); err != nil {
			t.Fatal(err)
		}
		Rotate(p.Platform, NewKey)
		if !OffersWeChat(p) {
			t.Error("the sign-in is not offered after the former key was given")
		}
	})
}

func TestAnEarlierVersionsSealedValueIsOpened(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	// Sealed with FormerKey for the purpose "remember".
	for version, sealed := range map[string]string{
		"without a key id":         "mP9MOCKt5_oAZ1cZiwv0mWVVap4Ti76EyE4Ok1ZBnvwkRo9fbOvAn6A",
		"with a key id of 4 bytes": "rMl41voMFyA234G9RkG7PCSYpFzeytigIf6VLige8zqfy3rsU6p5JqX_3aG6",
	} {
		p.Restart(func(o *portal.Options) { o.Secret, o.FormerSecrets = FormerKey, nil })
		if p.Sealing.Remembered(sealed) != "13800000001" {
			t.Error(version + ": not opened")
		}
		Rotate(p, NewKey, FormerKey)
		if p.Sealing.Remembered(sealed) != "13800000001" {
			t.Error(version + ": not opened with the key in second place")
		}
		Rotate(p, NewKey)
		if p.Sealing.Remembered(sealed) != "" {
			t.Error(version + ": opened without its key")
		}
	}
}

// Phones and codes are stored under keyed hashes. With another key nothing stored would be found again.
func TestAKeyedHashIsTheSameInEveryVersion(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	if got := p.Sealing.CodeSubject("13800000001"); got != "OKAA9e4d6U6wMnsSuemABCTd" {
		t.Error(got)
	}
}

func TestStartWaitsTenSecondsForTheKeyOfKeyedHashes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := storetest.SQLite(t)
		p := portaltest.NewEmptyPlatform(t, db)
		for range db.Pools()["read"].Stats().MaxOpenConnections { // no connection is left to read with
			conn, err := db.Pools()["read"].Conn(t.Context())
			portaltest.NoError(t, err)
			defer func() { portaltest.NoError(t, conn.Close()) }()
		}
		began := time.Now()
		_, err := portal.New(p.Options)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != 10*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestEveryMasterKeyMustBeLong(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	p.Options.FormerSecrets = [][]byte{[]byte(strings.Repeat("k", 31))}
	if _, err := portal.New(p.Options); err == nil || errors.Is(err, access.Internal) {
		t.Errorf("31 bytes: %v", err)
	}
}
