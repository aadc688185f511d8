package signin_test

import (
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
)

func TestAPageOfTheBackOfficeIsSignedForWeChatCards(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		here, ctx := p.Administrator(), p.From(portaltest.HomeAddress)
		page := "http://mgr.portico.test/home/settings/registration?from=menu"
		signed, err := p.Chatlogin.SignCard(ctx, here, page+"#main")
		portaltest.NoError(t, err)
		if signed.AppID != chattest.PlatformAccount || signed.Timestamp != p.Clock.Now().Unix() ||
			len(signed.Nonce) != access.RequestLength || !strings.Contains(signed.Signature, page) ||
			strings.Contains(signed.Signature, "#") {
			t.Errorf("%+v", signed)
		}
		for _, foreign := range []string{
			"", "/home/settings", "https://evil.test/home", "javascript:alert(1)", "https://store1002.portico.test/mgr",
			"https://mgr.portico.test.evil.test/home", "https://user@mgr.portico.test/home",
			"https://mgr.portico.test/" + strings.Repeat("a", 5000),
		} {
			if _, err := p.Chatlogin.SignCard(ctx, here, foreign); err == nil {
				t.Errorf("%.80q is signed", foreign)
			} else {
				portaltest.Refused(t, err, access.ValidationFailed)
			}
		}
		for range 299 {
			if _, err := p.Chatlogin.SignCard(ctx, here, page); err != nil {
				t.Fatal(err)
			}
		}
		_, err = p.Chatlogin.SignCard(ctx, here, page)
		portaltest.Refused(t, err, access.TooManyAttempts)
		here.Member.Company.ChatDoors = access.ChatAppsOff
		_, err = p.Chatlogin.SignCard(p.From("198.51.100.9"), here, page)
		portaltest.Refused(t, err, access.WeChatFailed)
		if n := p.Wechat.Count("page"); n != 1 {
			t.Errorf("WeChat was asked for %d tickets", n)
		}
	})
}

func TestTheAddressOfASignedPageHasAtMost1024Bytes(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		const start = "http://mgr.portico.test/"
		here, ctx := p.Administrator(), p.From(portaltest.HomeAddress)
		longest := start + strings.Repeat("a", 1024-len(start))
		_, err := p.Chatlogin.SignCard(ctx, here, longest)
		portaltest.NoError(t, err)
		_, err = p.Chatlogin.SignCard(ctx, here, longest+"a")
		portaltest.Refused(t, err, access.ValidationFailed)
	})
}
