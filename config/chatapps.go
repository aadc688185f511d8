package config

import (
	"errors"
	"net"
	"net/url"
	"path"
	"strings"

	"portico/portal/signin"
	"portico/standin"
	"portico/store"
)

// ChatApps has the addresses and credentials of WeChat and WeCom. An empty address means the provider's own. An app
// without an ID is not configured, and people cannot sign in through it.
type ChatApps struct {
	WeChatAPI, WeChatOpen string // base addresses of WeChat's API and of its authorisation pages
	WeComAPI, WeComOpen   string
	Account               signin.ProviderApp // the platform's official account at WeChat
	Website               signin.ProviderApp // its website application of WeChat's open platform
	Mobile                signin.ProviderApp // its mobile application of the open platform, for native apps
	Corp                  signin.ProviderApp // its application at WeCom
	ManagerClosed         bool               // WeChat opens no back office
	StandIn               bool               // the program serves the stand-in; never in production
}

// chatAppSettings are the variables of WeChat and WeCom.
func chatAppSettings() []setting {
	return []setting{
		{
			name: "PORTICO_WECHAT_API", shown: "WeChat's own; the stand-in in dev without credentials",
			address: true, read: readWeChatAPI,
			meaning: "base address of the WeChat API",
		},
		{
			name: "PORTICO_WECHAT_OPEN", shown: "WeChat's own; the stand-in in dev without credentials",
			address: true, read: readWeChatOpen,
			meaning: "base address of WeChat's authorisation pages",
		},
		{
			name: "PORTICO_WECOM_API", shown: "WeCom's own; the stand-in in dev without credentials",
			address: true, read: readWeComAPI,
			meaning: "base address of the WeCom API",
		},
		{
			name: "PORTICO_WECOM_OPEN", shown: "WeCom's own; the stand-in in dev without credentials",
			address: true, read: readWeComOpen,
			meaning: "base address of WeCom's authorisation pages",
		},
		{
			name: "PORTICO_WECHAT_APP", shown: "empty; the stand-in's in dev", secret: true, read: readWeChatApp,
			meaning: "appid:secret of the platform's official account",
		},
		{
			name: "PORTICO_WECHAT_OPEN_APP", shown: "empty; the stand-in's in dev", secret: true,
			read:    readWeChatOpenApp,
			meaning: "appid:secret of the platform's open-platform website application",
		},
		{
			name: "PORTICO_WECHAT_MOBILE_APP", shown: "empty; the stand-in's in dev", secret: true,
			read:    readWeChatMobileApp,
			meaning: "appid:secret of the platform's open-platform mobile application, for native apps",
		},
		{
			name: "PORTICO_WECOM_CORP", shown: "empty; the stand-in's in dev", secret: true, read: readWeComCorp,
			meaning: "corpid:agentid:secret of the platform's WeCom application",
		},
		{
			name: "PORTICO_WECHAT_MANAGER", fallback: "open", read: readWeChatManager,
			meaning: "open or closed: closed keeps everybody from the back office by WeChat",
		},
	}
}

func readWeChatAPI(c *Config, value string) (err error) {
	c.ChatApps.WeChatAPI, err = providerAddress(c, value)
	return err
}

func readWeChatOpen(c *Config, value string) (err error) {
	c.ChatApps.WeChatOpen, err = providerAddress(c, value)
	return err
}

func readWeComAPI(c *Config, value string) (err error) {
	c.ChatApps.WeComAPI, err = providerAddress(c, value)
	return err
}

func readWeComOpen(c *Config, value string) (err error) {
	c.ChatApps.WeComOpen, err = providerAddress(c, value)
	return err
}

// providerAddress reads a base address, which may have a path, and returns it without its last slash.
func providerAddress(c *Config, value string) (string, error) {
	if value == "" {
		return "", nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("accepted is an https address without user, password or query, " +
			"like https://wechat.example.com")
	}
	if !c.Production {
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

func readWeChatApp(c *Config, value string) (err error) {
	c.ChatApps.Account, err = readApp(c, store.WeChatAccount, value)
	return err
}

func readWeChatOpenApp(c *Config, value string) (err error) {
	c.ChatApps.Website, err = readApp(c, store.WeChatOpen, value)
	return err
}

func readWeChatMobileApp(c *Config, value string) (err error) {
	c.ChatApps.Mobile, err = readApp(c, store.WeChatMobile, value)
	return err
}

func readApp(c *Config, kind store.CredentialKind, value string) (signin.ProviderApp, error) {
	if value == "" {
		return signin.ProviderApp{}, nil
	}
	app, ok := signin.ReadProviderApp(kind, value)
	if !ok {
		return signin.ProviderApp{}, errors.New("accepted is APPID:SECRET, the id like wx520c15f417810387")
	}
	return app, c.checkAppSecret(app)
}

func readWeComCorp(c *Config, value string) error {
	if value == "" {
		return nil
	}
	app, ok := signin.ReadProviderApp(store.WeComCorp, value)
	if !ok {
		return errors.New("accepted is CORPID:AGENTID:SECRET, like ww16f3243aebfdad11:1000002:SECRET")
	}
	c.ChatApps.Corp = app
	return c.checkAppSecret(app)
}

// checkAppSecret refuses, in production, the secrets of the stand-in, which everybody knows, and placeholders.
func (c *Config) checkAppSecret(app signin.ProviderApp) error {
	if !c.Production {
		return nil
	}
	if app.Secret == standin.Secret(app.ID) || strings.HasPrefix(app.Secret, standin.Secret("")) ||
		isPlaceholder(app.Secret) {
		return errors.New("production refuses the credentials of the built-in stand-in, and placeholders")
	}
	return nil
}

func readWeChatManager(c *Config, value string) error {
	if value != "open" && value != "closed" {
		return errors.New("accepted are open and closed")
	}
	c.ChatApps.ManagerClosed = value == "closed"
	return nil
}

// useStandIn fills in the stand-in for each provider that a dev configuration has no settings of. Browsers reach it at
// the platform's base, and this program at its own address.
func (c *Config) useStandIn() {
	if c.Production {
		return
	}
	w := &c.ChatApps
	w.StandIn = true
	path := strings.TrimRight(standin.Path, "/")
	api, open := "http://"+c.Server.ownAddress()+path, c.Base.String()+path
	noWeChatApp := w.Account.ID == "" && w.Website.ID == "" && w.Mobile.ID == ""
	if w.WeChatAPI == "" && w.WeChatOpen == "" && noWeChatApp {
		w.WeChatAPI, w.WeChatOpen = api, open
		w.Account = standInApp(store.WeChatAccount, standin.AppID)
		w.Website = standInApp(store.WeChatOpen, standin.OpenAppID)
		w.Mobile = standInApp(store.WeChatMobile, standin.MobileAppID)
	}
	if w.WeComAPI == "" && w.WeComOpen == "" && w.Corp.ID == "" {
		w.WeComAPI, w.WeComOpen = api, open
		w.Corp = standInApp(store.WeComCorp, standin.CorpID)
		w.Corp.Agent = standin.AgentID
	}
}

func standInApp(kind store.CredentialKind, id string) signin.ProviderApp {
	return signin.ProviderApp{Kind: kind, ID: id, Secret: standin.Secret(id)}
}

// ownAddress returns the address at which this program reaches itself.
func (s Server) ownAddress() string {
	host, port, err := net.SplitHostPort(s.Address)
	if err != nil {
		return s.Address // net.Listen refuses it
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
