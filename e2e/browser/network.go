package browser

import (
	"github.com/go-rod/rod/lib/proto"
)

const noThrottling = -1 // of a connection's bytes a second

// SetConnected takes the tab's connection away or gives it back. The browser notices.
func SetConnected(b *Tab, is bool) {
	b.T.Helper()
	b.Must(proto.NetworkEnable{}.Call(b))
	b.Must(
		proto.NetworkEmulateNetworkConditions{
			Offline:            !is,
			DownloadThroughput: noThrottling,
			UploadThroughput:   noThrottling,
		}.Call(b),
	)
}
