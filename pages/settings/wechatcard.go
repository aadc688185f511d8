package settings

import (
	"net/http"

	"portico/pages/web"
	"portico/portal/access"
)

// cardSignature is the answer to a page in WeChat that wants to say how a link is shown.
type cardSignature struct {
	AppID     string `json:"appId"`
	Timestamp int64  `json:"timestamp"`
	Nonce     string `json:"nonceStr"`
	Signature string `json:"signature"`
}

// ShowCardSignature answers GET /mgr/wechat.json?page=… with the signature of a page for WeChat's JS-SDK. A refusal has
// a status and an empty object: the page then stays without a card.
func (l *Pages) ShowCardSignature(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	signed, err := l.portal.Chatlogin.SignCard(r.Context(), here, r.URL.Query().Get("page"))
	switch {
	case web.IsRefusal(err, access.ValidationFailed):
		return web.WriteJSON(w, http.StatusBadRequest, struct{}{})
	case web.IsRefusal(err, access.TooManyAttempts):
		return web.WriteJSON(w, http.StatusTooManyRequests, struct{}{})
	case access.IsRefused(err):
		return web.WriteJSON(w, http.StatusNotFound, struct{}{})
	case err != nil:
		return err
	}
	return web.WriteJSON(w, http.StatusOK, cardSignature{
		signed.AppID, signed.Timestamp, signed.Nonce, signed.Signature,
	})
}
