package pagestest

import "net/http"

// Links connects WeChat with the accounts of a phone and returns the answer.
func (b *Browser) Links(as, phone string) *http.Response {
	b.T.Helper()
	form := HiddenFields(b.ProveLink(as, phone))
	form.Set("action", "link")
	return b.Do(http.MethodPost, ChatHost+"/wechat/confirm", form)
}
