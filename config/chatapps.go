package main

import (
	"errors"
	"net"
	"net/url"
	"path"
	"strings"

	"portico/gateway"
	"portico/portal"
	"portico/standin"
	"portico/store"
)

// wechatConfig is who says who people are. Empty addresses are the providers' own; an application without an id is none:
// there is no such door.
type wechatConfig struct {
	api, open           string      // of WeChat
	app, openApp        gateway.App // the platform's official account, and its website application of the open platform
	wecomAPI, wecomOpen string
	mobileApp           gateway.App  // its mobile application of the open platform, for native apps
	corp                gateway.Corp // the platform's application at WeCom
	closed              bool         // nobody manages by WeChat: the refusal wechat_manager_closed
	standin             bool         // the stand-in is served; never in production
}

var wechatSettings = []setting{
	{"PORTICO_WECHAT_API", "", "WeChat's own; the stand-in in dev without credentials", "base address of the WeChat API", readWeChatAPI},
	{"PORTICO_WECHAT_OPEN", "", "WeChat's own; the stand-in in dev without credentials", "base address of WeChat's authorisation pages", readWeChatOpen},
	{"PORTICO_WECOM_API", "", "WeCom's own; the stand-in in dev without credentials", "base address of the WeCom API", readWeComAPI},
	{"PORTICO_WECOM_OPEN", "", "WeCom's own; the stand-in in dev without credentials", "base address of WeCom's authorisation pages", readWeComOpen},
	{"PORTICO_WECHAT_APP", "", "empty; the stand-in's in dev", "appid:secret of the platform's official account", readWeChatApp},
	{"PORTICO_WECHAT_OPEN_APP", "", "empty; the stand-in's in dev", "appid:secret of the platform's open-platform website application", readWeChatOpenApp},
	{"PORTICO_WECHAT_MOBILE_APP", "", "empty; the stand-in's in dev", "appid:secret of the platform's open-platform mobile application, for native apps", readWeChatMobileApp},
	{"PORTICO_WECOM_CORP", "", "empty; the stand-in's in dev", "corpid:agentid:secret of the platform's WeCom application", readWeComCorp},
	{"PORTICO_WECHAT_MANAGER", "open", "open", "open or closed: closed keeps everybody from the back office by WeChat", readWeChatManager},
}

// hidesWeChat says whether the value of a variable is a secret or may hold one, to be kept out of messages.
func hidesWeChat(name, value string) bool {
	switch name {
	case "PORTICO_WECHAT_APP", "PORTICO_WECHAT_OPEN_APP", "PORTICO_WECHAT_MOBILE_APP", "PORTICO_WECOM_CORP":
		return true
	case "PORTICO_WECHAT_API", "PORTICO_WECHAT_OPEN", "PORTICO_WECOM_API", "PORTICO_WECOM_OPEN":
		return strings.ContainsAny(value, "@?#") || !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "https://")
	}
	return false
}

func readWeChatAPI(c *config, value string) (err error) {
	c.wechat.api, err = providerAddress(c, value)
	return err
}

func readWeChatOpen(c *config, value string) (err error) {
	c.wechat.open, err = providerAddress(c, value)
	return err
}

func readWeComAPI(c *config, value string) (err error) {
	c.wechat.wecomAPI, err = providerAddress(c, value)
	return err
}

func readWeComOpen(c *config, value string) (err error) {
	c.wechat.wecomOpen, err = providerAddress(c, value)
	return err
}

// providerAddress is a scheme, a host and perhaps a path below which the provider's paths are, without its last slash.
func providerAddress(c *config, value string) (string, error) {
	if value == "" {
		return "", nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("accepted is an https address without user, password or query, like https://wechat.example.com")
	}
	if !c.production {
		return strings.TrimRight(value, "/"), nil
	}
	if u.Scheme != "https" {
		return "", errors.New("production needs an https address")
	}
	if strings.Contains(strings.ToLower(path.Clean(u.Path))+"/", standin.Path) {
		return "", errors.New("production refuses the built-in stand-in")
	}
	return strings.TrimRight(value, "/"), nil
}

func readWeChatApp(c *config, value string) (err error) {
	c.wechat.app, err = readApp(c, value)
	return err
}

func readWeChatOpenApp(c *config, value string) (err error) {
	c.wechat.openApp, err = readApp(c, value)
	return err
}

func readWeChatMobileApp(c *config, value string) (err error) {
	c.wechat.mobileApp, err = readApp(c, value)
	return err
}

func readApp(c *config, value string) (gateway.App, error) {
	if value == "" {
		return gateway.App{}, nil
	}
	app, ok := portal.ReadProviderApp(store.WeChatAccount, value)
	if !ok {
		return gateway.App{}, errors.New("accepted is APPID:SECRET, the id like wx520c15f417810387")
	}
	return appOf(app), c.realSecret(app.ID, app.Secret)
}

func readWeComCorp(c *config, value string) error {
	if value == "" {
		return nil
	}
	app, ok := portal.ReadProviderApp(store.WeComCorp, value)
	if !ok {
		return errors.New("accepted is CORPID:AGENTID:SECRET, like ww16f3243aebfdad11:1000002:SECRET")
	}
	c.wechat.corp = corpOf(app)
	return c.realSecret(app.ID, app.Secret)
}

// realSecret refuses in production what is nobody's secret.
func (c *config) realSecret(id, secret string) error {
	if c.production && (secret == standin.Secret(id) || strings.HasPrefix(secret, standin.Secret("")) || isPlaceholder(secret)) {
		return errors.New("production refuses the credentials of the built-in stand-in, and placeholders")
	}
	return nil
}

func readWeChatManager(c *config, value string) error {
	if value != "open" && value != "closed" {
		return errors.New("accepted are open and closed")
	}
	c.wechat.closed = value == "closed"
	return nil
}

// fillWeChat puts the stand-in where dev names nothing of a provider, once everything has been read. People meet it at the
// platform's base, this program at the address it listens on.
func (c *config) fillWeChat() {
	if c.production {
		return
	}
	w := &c.wechat
	w.standin = true
	api, open := "http://"+c.ownAddress()+strings.TrimRight(standin.Path, "/"), c.base.String()+strings.TrimRight(standin.Path, "/")
	if w.api == "" && w.open == "" && w.app.ID == "" && w.openApp.ID == "" && w.mobileApp.ID == "" {
		w.api, w.open = api, open
		w.app = gateway.App{ID: standin.AppID, Secret: standin.Secret(standin.AppID)}
		w.openApp = gateway.App{ID: standin.OpenAppID, Secret: standin.Secret(standin.OpenAppID)}
		w.mobileApp = gateway.App{ID: standin.MobileAppID, Secret: standin.Secret(standin.MobileAppID)}
	}
	if w.wecomAPI == "" && w.wecomOpen == "" && w.corp.ID == "" {
		w.wecomAPI, w.wecomOpen = api, open
		w.corp = gateway.Corp{ID: standin.CorpID, AgentID: standin.AgentID, Secret: standin.Secret(standin.CorpID)}
	}
}

// ownAddress is where this program reaches itself.
func (c *config) ownAddress() string {
	host, port, err := net.SplitHostPort(c.addr)
	if err != nil {
		return c.addr // net.Listen refuses it
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
