package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"portico/gateway"
	"portico/standin"
)

const (
	wechatApp     = "PORTICO_WECHAT_APP=wx520c15f417810387:canary-of-the-account"
	wechatOpenApp = "PORTICO_WECHAT_OPEN_APP=wx00112233445566ff:canary-of-the-website"
	wechatMobile  = "PORTICO_WECHAT_MOBILE_APP=wx8899aabbccddeeff:canary-of-the-mobile-app"
	wecomCorp     = "PORTICO_WECOM_CORP=ww16f3243aebfdad11:1000002:canary-of-the-corp"
)

func TestAWrongWeChatSettingStopsTheStartWithOneLine(t *testing.T) {
	for _, wrong := range []string{
		"PORTICO_WECHAT_API=x", "PORTICO_WECHAT_API=wx520c15f417810387:canary", "PORTICO_WECHAT_API=https://u:canary@wechat.test", "PORTICO_WECHAT_API=https://wechat.test?secret=canary",
		"PORTICO_WECHAT_OPEN=ftp://wechat.test/canary", "PORTICO_WECHAT_OPEN=https:///x", "PORTICO_WECHAT_OPEN=https://wechat.test#canary",
		"PORTICO_WECOM_API=canary", "PORTICO_WECOM_API=https://:443", "PORTICO_WECOM_OPEN=https://u:canary@we%com.test:port",
		"PORTICO_WECHAT_APP=wx520c15f417810387", "PORTICO_WECHAT_APP=wx520c15f417810387:", "PORTICO_WECHAT_APP=WX520C15F417810387:canary-canary", "PORTICO_WECHAT_APP=wx520c:canary-canary",
		"PORTICO_WECHAT_APP=ww16f3243aebfdad11:canary-canary", "PORTICO_WECHAT_APP=wx520c15f417810387:canary canary", "PORTICO_WECHAT_APP=wx520c15f417810387:canary:canary",
		"PORTICO_WECHAT_MOBILE_APP=canary", "PORTICO_WECHAT_MOBILE_APP=wx520c15f417810387",
		"PORTICO_WECHAT_OPEN_APP=canary", "PORTICO_WECHAT_OPEN_APP=:canary-canary", "PORTICO_WECHAT_OPEN_APP=wx520c15f417810387:canary-canary\nX",
		"PORTICO_WECOM_CORP=ww16f3243aebfdad11:canary-canary", "PORTICO_WECOM_CORP=ww16f3243aebfdad11:agent:canary-canary", "PORTICO_WECOM_CORP=ww16:1000002:canary-canary",
		"PORTICO_WECOM_CORP=ww16f3243aebfdad11:01:canary-canary", "PORTICO_WECOM_CORP=ww16f3243aebfdad11:1000002:canary", "PORTICO_WECHAT_MANAGER=off",
	} {
		name, _, _ := strings.Cut(wrong, "=")
		_, err := readConfig([]string{wrong})
		if err == nil || !strings.HasPrefix(err.Error(), name+"=") || !strings.Contains(err.Error(), "accepted ") || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestProductionRefusesTheStandIn(t *testing.T) {
	for _, more := range []string{
		"PORTICO_WECHAT_API=https://portico.test/dev/wechat", "PORTICO_WECHAT_OPEN=https://portico.test/dev/wechat/", "PORTICO_WECOM_API=https://portico.test/x/../dev//wechat",
		"PORTICO_WECOM_OPEN=https://portico.test/proxy/Dev/WeChat/wecom", "PORTICO_WECOM_API=https://portico.test/dev%2fwechat", "PORTICO_WECHAT_API=http://wechat.test",
		"PORTICO_WECHAT_APP=" + standin.AppID + ":" + standin.Secret(standin.AppID), "PORTICO_WECHAT_OPEN_APP=wx520c15f417810387:" + standin.Secret(standin.OpenAppID),
		"PORTICO_WECHAT_MOBILE_APP=wx520c15f417810387:" + standin.Secret(standin.MobileAppID),
		"PORTICO_WECOM_CORP=" + standin.CorpID + ":1000002:" + standin.Secret(standin.CorpID), "PORTICO_WECHAT_APP=wx520c15f417810387:changeme", "PORTICO_WECOM_CORP=ww16f3243aebfdad11:1:aaaaaaaaaaaa",
	} {
		_, err := readConfig(production(more))
		if err == nil || !strings.Contains(err.Error(), "production") || strings.Contains(err.Error(), standin.SecretPrefix) {
			t.Errorf("%s: %v", more, err)
		}
	}
}

func TestProductionWithoutCredentialsHasNoSuchDoor(t *testing.T) {
	c, err := readConfig(production())
	if err != nil || c.wechat != (wechatConfig{}) {
		t.Errorf("%+v %v", c.wechat, err)
	}
}

func TestTheGivenProvidersAreTheOnesMet(t *testing.T) {
	want := wechatConfig{
		api: "https://wechat.test/api", open: "https://wechat.test", wecomAPI: "https://wecom.test", wecomOpen: "https://wecom.test/open", closed: true,
		app: gateway.App{ID: "wx520c15f417810387", Secret: "canary-of-the-account"}, openApp: gateway.App{ID: "wx00112233445566ff", Secret: "canary-of-the-website"},
		mobileApp: gateway.App{ID: "wx8899aabbccddeeff", Secret: "canary-of-the-mobile-app"},
		corp:      gateway.Corp{ID: "ww16f3243aebfdad11", AgentID: "1000002", Secret: "canary-of-the-corp"},
	}
	given := []string{wechatApp, wechatOpenApp, wechatMobile, wecomCorp, "PORTICO_WECHAT_API=https://wechat.test/api/", "PORTICO_WECHAT_OPEN=https://wechat.test",
		"PORTICO_WECOM_API=https://wecom.test", "PORTICO_WECOM_OPEN=https://wecom.test/open", "PORTICO_WECHAT_MANAGER=closed"}
	if c, err := readConfig(production(given...)); err != nil || c.wechat != want {
		t.Errorf("%+v %v", c.wechat, err)
	}
	want.standin = true
	if c, err := readConfig(given); err != nil || c.wechat != want {
		t.Errorf("in dev: %+v %v", c.wechat, err)
	}
}

func TestDevWithoutCredentialsMeetsTheStandIn(t *testing.T) {
	for address, own := range map[string]string{
		"127.0.0.1:8151": "127.0.0.1:8151", ":8151": "127.0.0.1:8151", "0.0.0.0:8151": "127.0.0.1:8151", "[::]:8151": "127.0.0.1:8151", "localhost:8151": "localhost:8151", "[::1]:8151": "[::1]:8151",
	} {
		c, err := readConfig([]string{"PORTICO_ADDR=" + address, "PORTICO_BASE=http://portico.test:8151"})
		w := c.wechat
		api, open := "http://"+own+"/dev/wechat", "http://portico.test:8151/dev/wechat"
		if err != nil || w.api != api || w.wecomAPI != api || w.open != open || w.wecomOpen != open || !w.standin || w.closed {
			t.Errorf("%s: %+v %v", address, w, err)
		}
		if w.app.ID != standin.AppID || w.openApp.ID != standin.OpenAppID || w.mobileApp.ID != standin.MobileAppID || w.corp.ID != standin.CorpID || w.corp.AgentID != standin.AgentID {
			t.Errorf("%s: %+v", address, w)
		}
	}
	c, err := readConfig([]string{wechatApp})
	if err != nil || c.wechat.api != "" || c.wechat.open != "" || c.wechat.openApp.ID != "" || c.wechat.corp.ID != standin.CorpID || c.wechat.wecomAPI == "" {
		t.Errorf("one's own application, and WeCom's stand-in: %+v %v", c.wechat, err)
	}
}

func TestTheStandInExistsInDevAlone(t *testing.T) {
	dev, _ := testServer(t, nil)
	live, _ := testServer(t, nil, production()...)
	for _, path := range []string{"", "standin.css", "exchanges.json", "code.json?app=" + standin.AppID + "&person=maria", "connect/qrconnect", "sns/oauth2/access_token", "cgi-bin/gettoken"} {
		for _, host := range []string{"account.", "", "store1001.", "m.", "api."} {
			if r := ask(live, "GET", "https://"+host+"portico.test/dev/wechat/"+path); r.StatusCode != http.StatusNotFound {
				t.Errorf("production answers %d at %s %s", r.StatusCode, host, path)
			}
			if r := ask(dev, "GET", "http://"+host+"localhost:8080/dev/wechat/"+path); r.StatusCode == http.StatusNotFound {
				t.Errorf("dev answers %d at %s %s", r.StatusCode, host, path)
			}
		}
	}
}

func TestThePageAboutRunningNamesEveryVariableOfWeChat(t *testing.T) {
	page, err := os.ReadFile("docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range wechatSettings {
		if !strings.Contains(string(page), "`"+s.name+"`") {
			t.Errorf("%s is not explained", s.name)
		}
	}
}
