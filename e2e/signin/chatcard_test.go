package signin

import (
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/chatapp"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// bridge plays WeChat's side of the page: it accepts every call and keeps it in window.asked.
const bridge = `window.asked = [];
window.WeixinJSBridge = { on() {}, invoke(name, what, answer) {
	asked.push({ name, what }); answer({ err_msg: name + ":ok" });
} };`

// The page that passes on the sign-up link is signed for WeChat by the official account, and makes the link a card.
func TestTheSignUpLinkIsACardInWeChat(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	b := browser.NewTab(t, browser.Normal, browser.Phone)
	steps.SignIn(b, "13800000002")
	chatapp.SetAgent(b, chatapp.WeChatAndroidAgent)
	if _, err := b.EvalOnNewDocument(bridge); err != nil {
		t.Fatal(err)
	}
	b.Visit("mgr", "/home/settings/registration")
	b.Await("the hint", `() => {
		const hint = document.querySelector("[data-island=wechat-card]");
		return hint && !hint.hidden;
	}`)
	type call struct {
		Name string `json:"name"`
		What struct {
			AppID     string `json:"verifyAppId"`
			Signature string `json:"verifySignature"`
			Link      string `json:"link"`
			Picture   string `json:"imgUrl"`
			Title     string `json:"title"`
		} `json:"what"`
	}
	link := browser.Eval[string](b, `() => document.querySelector("[data-island=copy]").dataset.text`)
	var verified, shared bool
	for _, c := range browser.Eval[[]call](b, `() => asked`) {
		switch c.Name {
		case "preVerifyJSAPI":
			verified = len(c.What.Signature) == 40 && c.What.AppID != ""
		case "updateAppMessageShareData":
			shared = c.What.Link == link && c.What.Title != "" &&
				strings.HasPrefix(c.What.Picture, b.Server.URL("store1001", "/share/"))
		}
	}
	if !verified || !shared || !strings.HasPrefix(link, b.Server.URL("store1001", "/register")) {
		t.Errorf("signed: %v, a card: %v, of %s", verified, shared, link)
	}
}
