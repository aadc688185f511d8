package gateway

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"
)

// SignJS returns the signature of a page for the JS-SDK of WeChat or WeCom, in hex. nonce and timestamp (Unix seconds)
// are those that the page gets. page is its URL in the browser; the part after # is not signed.
func SignJS(ticket, nonce string, timestamp int64, page string) string {
	page, _, _ = strings.Cut(page, "#")
	text := "jsapi_ticket=" + ticket + "&noncestr=" + nonce +
		"&timestamp=" + strconv.FormatInt(timestamp, 10) + "&url=" + page
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}
