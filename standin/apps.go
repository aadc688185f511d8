package standin

import "regexp"

// The applications of the platform. The first eight digits of their ids are the same: they have one owner, so that a
// person has the same unionid at all of them.
const (
	AppID     = "wx57a9d11e0ff1c1a1" // an official account
	OpenAppID = "wx57a9d11e05ca99ed" // a website application of the open platform

	MobileAppID = "wx57a9d11e03b7f2d4" // a mobile application of the open platform
	CorpID      = "ww57a9d11e0c0c0c0c" // a company of WeCom
	AgentID     = "1000002"            // its application
)

// Every well-formed id is an application, so that companies can try their own. Those of WeChat begin with wx, those of
// WeCom with ww.
var (
	wechatForm = regexp.MustCompile(`^wx[0-9a-f]{16}$`)
	wecomForm  = regexp.MustCompile(`^ww[0-9a-f]{16}$`)
	agentForm  = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)
)

// SecretPrefix is the beginning of every secret of the stand-in. No real secret begins with it.
const SecretPrefix = "standin-"

// Secret returns the secret of an application.
func Secret(id string) string { return SecretPrefix + id }

// owner returns the owner of an application. Applications with the same first eight digits have one owner.
func owner(id string) string { return id[2:10] }
