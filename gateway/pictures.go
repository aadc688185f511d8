package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"portico/server/tracing"
)

// WeChatPictures is the domain of the servers that serve WeChat's portraits.
const WeChatPictures = "qlogo.cn"

// ErrPicture means that the address is not allowed, or that it did not return a picture of an allowed size.
var ErrPicture = errors.New("gateway: no picture")

// Pictures fetches pictures from the servers of one domain, over https. It asks no other host, whatever an address
// says, and follows no redirect, so that an address cannot lead it into the operator's own network.
type Pictures struct {
	domain string
	most   int64
	client *http.Client
}

// NewPictures returns a client for the servers below a domain. It refuses a picture of more than most bytes.
func NewPictures(domain string, most int64) *Pictures {
	return &Pictures{domain: domain, most: most, client: newClient()}
}

// Fetch reads the picture at a URL, within 3 s. It does not check its content. ErrPicture.
func (p *Pictures) Fetch(ctx context.Context, address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" ||
		!strings.HasSuffix(u.Hostname(), "."+p.domain) {
		return nil, ErrPicture
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, ErrPicture
	}
	r.Header.Set("User-Agent", "portico")
	traced, span := tracing.StartCall(ctx, "pictures")
	resp, err := p.client.Do(r.WithContext(traced))
	if err != nil {
		span.End(codeUnreachable)
		return nil, fmt.Errorf("%w: %w", ErrPicture, failureWithoutAnswer("pictures", err, false))
	}
	defer func() { _ = resp.Body.Close() }()
	span.SetInt("http.response.status_code", int64(resp.StatusCode))
	defer span.End("")
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: HTTP %d", ErrPicture, resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, p.most+1))
	if err != nil || int64(len(data)) > p.most {
		return nil, fmt.Errorf("%w: too large, or cut off", ErrPicture)
	}
	return data, nil
}
