package gateway

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"
)

// SignJS signs a page for the JS-SDK of WeChat or WeCom. nonce and timestamp, in seconds, are those the page is given;
// page is its address as the browser has it, of which the part after # does not count.
func SignJS(ticket, nonce string, timestamp int64, page string) string {
	page, _, _ = strings.Cut(page, "#")
	text := "jsapi_ticket=" + ticket + "&noncestr=" + nonce + "&timestamp=" + strconv.FormatInt(timestamp,
		10) + "&url=" + page
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}
