// Package s3address reads the addresses of buckets, for uploads and for backups.
package s3address

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Address is the address of a bucket, or of an object in it.
type Address struct {
	Endpoint string // the host of the store, with its port if it has one
	Hostname string // the host alone
	Path     string // without slashes at its ends
	Query    url.Values

	key, secret string
}

// Parse reads s3://KEY:SECRET@endpoint/path?query. The keys need no escaping. ok is false when a part before the path
// is missing, or when there is a fragment.
func Parse(text string) (a Address, ok bool) {
	rest, ok := strings.CutPrefix(text, "s3://")
	at := strings.LastIndexByte(rest, '@')
	if !ok || at < 0 {
		return Address{}, false
	}
	key, secret, _ := strings.Cut(rest[:at], ":")
	if unescaped, err := url.PathUnescape(secret); err == nil {
		secret = unescaped
	}
	u, err := url.Parse("s3://" + rest[at+1:])
	if err != nil || key == "" || secret == "" || u.Host == "" || u.Fragment != "" {
		return Address{}, false
	}
	return Address{
		Endpoint: u.Host, Hostname: u.Hostname(), Path: strings.Trim(u.Path, "/"), Query: u.Query(),
		key: key, secret: secret,
	}, true
}

// Options returns the options of a client with the address's keys. It uses https, except to this machine.
func (a Address) Options() *minio.Options {
	return &minio.Options{Creds: credentials.NewStaticV4(a.key, a.secret, ""), Secure: !a.isLoopback()}
}

func (a Address) isLoopback() bool {
	address, err := netip.ParseAddr(a.Hostname)
	return a.Hostname == "localhost" || err == nil && address.IsLoopback()
}
