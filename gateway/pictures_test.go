package gateway

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// newTestPictures returns a client for which one local server answers for every host, of qlogo.cn and of any other
// domain.
func newTestPictures(t *testing.T, serve http.HandlerFunc) *Pictures {
	t.Helper()
	server := httptest.NewTLSServer(serve)
	t.Cleanup(server.Close)
	p := NewPictures(WeChatPictures, 1000)
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.ServerName = "example.com" // of the server's certificate
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	p.client.Transport = transport
	return p
}

func TestPictureOfWeChatIsFetched(t *testing.T) {
	picture := bytes.Repeat([]byte("x"), 1000)
	p := newTestPictures(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "thirdwx.qlogo.cn" || r.URL.Path != "/mmopen/vi_32/Q0j4/132" || r.Header.Get("Cookie") != "" {
			t.Errorf("%s %s", r.Host, r.URL)
		}
		_, _ = w.Write(picture)
	})
	got, err := p.Fetch(t.Context(), "https://thirdwx.qlogo.cn/mmopen/vi_32/Q0j4/132")
	if err != nil || !bytes.Equal(got, picture) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestPicturesOfOtherHostsAreNotFetched(t *testing.T) {
	p := newTestPictures(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked: %s %s", r.Host, r.URL) })
	for _, address := range []string{
		"", "not an address", "http://thirdwx.qlogo.cn/1", "https://qlogo.cn.example.com/1", "https://evilqlogo.cn/1",
		"https://127.0.0.1/1", "https://localhost/1", "https://a.qlogo.cn:8443/1", "https://user@a.qlogo.cn/1",
		"https://a.qlogo.cn@example.com/1", "file:///etc/passwd", "https://[::1]/1",
	} {
		if _, err := p.Fetch(t.Context(), address); !errors.Is(err, ErrPicture) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestLargeOrRedirectedPictureIsRefused(t *testing.T) {
	for name, serve := range map[string]http.HandlerFunc{
		"one byte too many": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1001)) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/next") {
				t.Error("the redirect was followed")
			}
			http.Redirect(w, r, "/next", http.StatusFound)
		},
		"not there": http.NotFound,
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "900")
			_, _ = w.Write(make([]byte, 100))
		},
	} {
		if _, err := newTestPictures(t, serve).Fetch(t.Context(), "https://wx.qlogo.cn/1"); !errors.Is(err,
			ErrPicture) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
