package command

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"portico/config"
	"portico/deploy/deploytest"
)

// portraitAddress is an environment variable: the test process fetches the portrait at its address.
const portraitAddress = "TEST_PORTRAIT_ADDRESS"

// The proxy and the trusted certificates of a process are read once, so the portraits are fetched in processes of their
// own. Their proxy leads every connection to the server of this test.
func TestAPortraitOfOneMebibyteIsFetchedFromWeChatAndNoLargerOne(t *testing.T) {
	if address := os.Getenv(portraitAddress); address != "" {
		data, err := portraits(config.ChatApps{})(t.Context(), address)
		fmt.Printf("%d bytes, %v\n", len(data), err)
		return
	}
	t.Parallel()
	certificate := deploytest.NewCertificate(t, t.TempDir(), "thirdwx.qlogo.cn")
	pair, err := tls.LoadX509KeyPair(certificate.CertificateFile, certificate.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	wechat := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		_, _ = w.Write(make([]byte, size))
	}))
	wechat.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	wechat.StartTLS()
	t.Cleanup(wechat.Close)
	proxy := httptest.NewServer(tunnelTo(wechat.Listener.Addr().String()))
	t.Cleanup(proxy.Close)
	for size, want := range map[string]string{
		"1048576": "1048576 bytes, <nil>", "1048577": "0 bytes, gateway: no picture",
	} {
		process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		process.Env = append(os.Environ(), portraitAddress+"=https://thirdwx.qlogo.cn/"+size,
			"HTTPS_PROXY="+proxy.URL, "NO_PROXY=", "no_proxy=", "SSL_CERT_FILE="+certificate.CertificateFile)
		said, err := process.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(said), want) {
			t.Errorf("%s bytes: %v, %s", size, err, said)
		}
	}
}

// tunnelTo is a proxy that leads every connection to one address.
func tunnelTo(address string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		to, err := net.Dial("tcp", address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			_ = to.Close()
			return
		}
		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}()
		_, _ = io.Copy(from, to)
		_ = from.Close()
	})
}
