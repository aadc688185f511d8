package gateway

import "testing"

// The example of the page "JS-SDK signature algorithm" of WeChat and of WeCom.
func TestPageSignatureMatchesDocumentation(t *testing.T) {
	const ticket = "sM4AOVdWfPE4DxkXGEs8VMCPGGVi4C3VM0P37wVUCFvkVAy_90u5h9nbSlYy3-Sl-HhTdfl2fzFy1AOcHKP7qg"
	const want = "0f9de62fce790f9a083d5c99e95740ceb90c27ed"
	for _, page := range []string{"http://mp.weixin.qq.com?params=value", "http://mp.weixin.qq.com?params=value#",
		"http://mp.weixin.qq.com?params=value#/orders?a=1#b"} {
		if got := SignJS(ticket, "Wm3WZYTPz0wzccnW", 1414587457, page); got != want {
			t.Errorf("%s: %s", page, got)
		}
	}
	if SignJS(ticket, "Wm3WZYTPz0wzccnW", 1414587457, "http://mp.weixin.qq.com?params=other") == want {
		t.Error("another page has the same signature")
	}
}
