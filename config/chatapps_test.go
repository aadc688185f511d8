package config

import (
	"os"
	"strings"
	"testing"

	"portico/config/configtest"
	"portico/portal/signin"
	"portico/standin"
	"portico/store"
)

const (
	wechatApp     = "PORTICO_WECHAT_APP=wx520c15f417810387:canary-of-the-account"
	wechatOpenApp = "PORTICO_WECHAT_OPEN_APP=wx00112233445566ff:canary-of-the-website"
	wechatMobile  = "PORTICO_WECHAT_MOBILE_APP=wx8899aabbccddeeff:canary-of-the-mobile-app"
	wecomCorp     = "PORTICO_WECOM_CORP=ww16f3243aebfdad11:1000002:canary-of-the-corp"
)

func TestWrongWeChatSettingIsRefusedWithOneLine(t *testing.T) {
	for _, wrong := range []string{
		"PORTICO_WECHAT_API=x", "PORTICO_WECHAT_API=wx520c15f417810387:canary",
		"PORTICO_WECHAT_API=https://u:canary@wechat.test", "PORTICO_WECHAT_API=https://wechat.test?secret=canary",
		"PORTICO_WECHAT_OPEN=ftp://wechat.test/canary", "PORTICO_WECHAT_OPEN=https:///x",
		"PORTICO_WECHAT_OPEN=https://wechat.test#canary",
		"PORTICO_WECOM_API=canary", "PORTICO_WECOM_API=https://:443",
		"PORTICO_WECOM_OPEN=https://u:canary@we%com.test:port",
		"PORTICO_WECHAT_APP=wx520c15f417810387", "PORTICO_WECHAT_APP=wx520c15f417810387:",
		"PORTICO_WECHAT_APP=WX520C15F417810387:canary-canary", "PORTICO_WECHAT_APP=wx520c:canary-canary",
		"PORTICO_WECHAT_APP=ww16f3243aebfdad11:canary-canary", "PORTICO_WECHAT_APP=wx520c15f417810387:canary canary",
		"PORTICO_WECHAT_APP=wx520c15f417810387:canary:canary",
		"PORTICO_WECHAT_MOBILE_APP=canary", "PORTICO_WECHAT_MOBILE_APP=wx520c15f417810387",
		"PORTICO_WECHAT_OPEN_APP=canary", "PORTICO_WECHAT_OPEN_APP=:canary-canary",
		"PORTICO_WECHAT_OPEN_APP=wx520c15f417810387:canary-canary\nX",
		"PORTICO_WECOM_CORP=ww16f3243aebfdad11:canary-canary",
		"PORTICO_WECOM_CORP=ww16f3243aebfdad11:agent:canary-canary", "PORTICO_WECOM_CORP=ww16:1000002:canary-canary",
		"PORTICO_WECOM_CORP=ww16f3243aebfdad11:01:canary-canary",
		"PORTICO_WECOM_CORP=ww16f3243aebfdad11:1000002:canary", "PORTICO_WECHAT_MANAGER=off",
	} {
		name, _, _ := strings.Cut(wrong, "=")
		_, err := Read([]string{wrong})
		if err == nil || !strings.HasPrefix(err.Error(), name+"=") || !strings.Contains(err.Error(), "accepted ") ||
			strings.Contains(err.Error(), "\n") ||
			strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestProductionRefusesTheStandIn(t *testing.T) {
	for _, more := range []string{
		"PORTICO_WECHAT_API=https://portico.test/dev/wechat", "PORTICO_WECHAT_OPEN=https://portico.test/dev/wechat/",
		"PORTICO_WECOM_API=https://portico.test/x/../dev//wechat",
		"PORTICO_WECOM_OPEN=https://portico.test/proxy/Dev/WeChat/wecom",
		"PORTICO_WECOM_API=https://portico.test/dev%2fwechat", "PORTICO_WECHAT_API=http://wechat.test",
		"PORTICO_WECHAT_APP=" + standin.AppID + ":" + standin.Secret(standin.AppID),
		"PORTICO_WECHAT_OPEN_APP=wx520c15f417810387:" + standin.Secret(standin.OpenAppID),
		"PORTICO_WECHAT_MOBILE_APP=wx520c15f417810387:" + standin.Secret(standin.MobileAppID),
		"PORTICO_WECOM_CORP=" + standin.CorpID + ":1000002:" + standin.Secret(standin.CorpID),
		"PORTICO_WECHAT_APP=wx520c15f417810387:changeme", "PORTICO_WECOM_CORP=ww16f3243aebfdad11:1:aaaaaaaaaaaa",
	} {
		_, err := Read(configtest.Production(more))
		if err == nil || !strings.Contains(err.Error(), "production") ||
			strings.Contains(err.Error(), standin.SecretPrefix) {
			t.Errorf("%s: %v", more, err)
		}
	}
}

func TestProductionWithoutCredentialsHasNoChatApps(t *testing.T) {
	c, err := Read(configtest.Production())
	if err != nil || c.ChatApps != (ChatApps{}) {
		t.Errorf("%+v %v", c.ChatApps, err)
	}
}

func TestConfiguredChatAppsAreUsed(t *testing.T) {
	want := ChatApps{
		WeChatAPI: "https://wechat.test/api", WeChatOpen: "https://wechat.test", WeComAPI: "https://wecom.test",
		WeComOpen: "https://wecom.test/open", ManagerClosed: true,
		Account: signin.ProviderApp{
			Kind: store.WeChatAccount, ID: "wx520c15f417810387", Secret: "canary-of-the-account",
		},
		Website: signin.ProviderApp{
			Kind: store.WeChatOpen, ID: "wx00112233445566ff", Secret: "canary-of-the-website",
		},
		Mobile: signin.ProviderApp{
			Kind: store.WeChatMobile, ID: "wx8899aabbccddeeff", Secret: "canary-of-the-mobile-app",
		},
		Corp: signin.ProviderApp{
			Kind: store.WeComCorp, ID: "ww16f3243aebfdad11", Agent: "1000002", Secret: "canary-of-the-corp",
		},
	}
	given := []string{
		wechatApp, wechatOpenApp, wechatMobile, wecomCorp, "PORTICO_WECHAT_API=https://wechat.test/api/",
		"PORTICO_WECHAT_OPEN=https://wechat.test", "PORTICO_WECOM_API=https://wecom.test",
		"PORTICO_WECOM_OPEN=https://wecom.test/open", "PORTICO_WECHAT_MANAGER=closed",
	}
	if c, err := Read(configtest.Production(given...)); err != nil || c.ChatApps != want {
		t.Errorf("%+v %v", c.ChatApps, err)
	}
	want.StandIn = true
	if c, err := Read(given); err != nil || c.ChatApps != want {
		t.Errorf("in dev: %+v %v", c.ChatApps, err)
	}
}

func TestDevWithoutCredentialsUsesTheStandIn(t *testing.T) {
	for address, own := range map[string]string{
		"127.0.0.1:8151": "127.0.0.1:8151", ":8151": "127.0.0.1:8151", "0.0.0.0:8151": "127.0.0.1:8151",
		"[::]:8151": "127.0.0.1:8151", "localhost:8151": "localhost:8151", "[::1]:8151": "[::1]:8151",
	} {
		c, err := Read([]string{"PORTICO_ADDR=" + address, "PORTICO_BASE=http://portico.test:8151"})
		w := c.ChatApps
		api, open := "http://"+own+"/dev/wechat", "http://portico.test:8151/dev/wechat"
		if err != nil || w.WeChatAPI != api || w.WeComAPI != api || w.WeChatOpen != open || w.WeComOpen != open ||
			!w.StandIn ||
			w.ManagerClosed {
			t.Errorf("%s: %+v %v", address, w, err)
		}
		if w.Account.ID != standin.AppID || w.Website.ID != standin.OpenAppID || w.Mobile.ID != standin.MobileAppID ||
			w.Corp.ID != standin.CorpID ||
			w.Corp.Agent != standin.AgentID {
			t.Errorf("%s: %+v", address, w)
		}
	}
	c, err := Read([]string{wechatApp})
	if err != nil || c.ChatApps.WeChatAPI != "" || c.ChatApps.WeChatOpen != "" || c.ChatApps.Website.ID != "" ||
		c.ChatApps.Corp.ID != standin.CorpID ||
		c.ChatApps.WeComAPI == "" {
		t.Errorf("one's own application, and WeCom's stand-in: %+v %v", c.ChatApps, err)
	}
}

func TestRunningDocumentNamesEveryWeChatVariable(t *testing.T) {
	page, err := os.ReadFile("../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range chatAppSettings() {
		if !strings.Contains(string(page), "`"+s.name+"`") {
			t.Errorf("%s is not explained", s.name)
		}
	}
}
