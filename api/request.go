package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"portico/portal/access"
	"portico/portal/signin"
)

// The largest call that is read.
const (
	maxBody       = 64 << 10 // bytes
	maxParameters = 1000
	maxHeader     = 256 // bytes of a header of the API
	maxKey        = 64  // characters of an idempotency key
)

// pair is one parameter as it was sent, decoded.
type pair struct{ name, value string }

// request is a call as it arrived. None of its headers and parameters has been checked.
type request struct {
	token, timestamp, nonce, sign string
	kind                          access.Client
	companyID                     int64
	lighting                      bool
	key                           string // Idempotency-Key

	query, form []pair
	json        []byte // nil when the body is not JSON
}

// readRequest reads a call. It refuses repeated headers, other content types, bodies that are too large, and broken
// encoding.
func readRequest(w http.ResponseWriter, r *http.Request) (*request, error) {
	sent := &request{}
	if err := sent.readHeaders(r.Header); err != nil {
		return nil, err
	}
	var err error
	if sent.query, err = parsePairs(r.URL.RawQuery); err != nil {
		return nil, err
	}
	return sent, sent.readBody(w, r)
}

// sources are the values of X-App-Source.
var sources = []string{"IOS", "ANDROID", "WEBAPP", "PC"}

func (sent *request) readHeaders(h http.Header) error {
	for _, header := range [...]struct {
		name string
		into *string
	}{{"X-Token", &sent.token}, {"X-Timestamp", &sent.timestamp}, {"X-Nonce", &sent.nonce}, {"X-Sign", &sent.sign}} {
		value, err := singleHeader(h, header.name)
		if err != nil {
			return access.SignInvalid
		}
		*header.into = value
	}
	if sent.timestamp == "" || sent.nonce == "" || sent.sign == "" {
		return access.SignInvalid
	}
	return sent.readClient(h)
}

// readClient reads what kind of program makes the call, and from which address.
func (sent *request) readClient(h http.Header) error {
	kind, err := singleHeader(h, "X-Token-Type")
	if err != nil || !oneOf(access.Client(kind), signin.Clients) {
		return access.BadRequest
	}
	sent.kind = access.Client(kind)
	if source, err := singleHeader(h, "X-App-Source"); err != nil || !oneOf(source, sources) {
		return access.BadRequest
	}
	company, err := singleHeader(h, "X-Company-Id")
	if err != nil {
		return access.BadRequest
	}
	if company != "" {
		id, ok := access.DecimalID(company)
		if !ok {
			return access.BadRequest
		}
		sent.companyID = id
	}
	edition, err := singleHeader(h, "X-Edition")
	if err != nil || edition != "" && edition != "lighting" {
		return access.BadRequest
	}
	sent.lighting = edition == "lighting"
	sent.key, err = singleHeader(h, "Idempotency-Key")
	if err != nil || len(sent.key) > maxKey ||
		strings.ContainsFunc(sent.key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return access.BadRequest
	}
	return nil
}

// singleHeader returns the one value of a header, "" when it is missing. name is in its canonical spelling.
func singleHeader(h http.Header, name string) (string, error) {
	values := h[name]
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1 || len(values[0]) > maxHeader:
		return "", access.BadRequest
	}
	return values[0], nil
}

func oneOf[T comparable](value T, all []T) bool {
	for _, each := range all {
		if each == value {
			return true
		}
	}
	return false
}

// readBody reads a form or JSON, by the content type alone.
func (sent *request) readBody(w http.ResponseWriter, r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return access.TooLarge
	}
	switch {
	case err != nil:
		return access.BadRequest
	case r.Method == http.MethodGet && len(body) > 0:
		return access.BadRequest
	case len(body) == 0 && r.Header.Get("Content-Type") == "":
		return nil
	case r.Header.Get("Content-Encoding") != "":
		return access.WrongType
	}
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || len(r.Header["Content-Type"]) > 1 ||
		!strings.EqualFold(parameters["charset"], "utf-8") && parameters["charset"] != "" {
		return access.WrongType
	}
	switch kind {
	case "application/json":
		sent.json = body
		return nil
	case "application/x-www-form-urlencoded":
		sent.form, err = parsePairs(string(body))
		return err
	}
	return access.WrongType
}

// parsePairs reads name=value pairs joined by "&", in the encoding of forms. Broken encoding, semicolons,
// text that is not UTF-8 and too many parameters are a bad request.
func parsePairs(raw string) ([]pair, error) {
	var pairs []pair
	for raw != "" {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		if strings.Contains(part, ";") || len(pairs) == maxParameters {
			return nil, access.BadRequest
		}
		name, value, _ := strings.Cut(part, "=")
		var p pair
		var ok bool
		if p.name, ok = unescape(name); ok {
			p.value, ok = unescape(value)
		}
		if !ok {
			return nil, access.BadRequest
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// unescape reads percent-encoding, with "+" for a space.
func unescape(s string) (string, bool) {
	if strings.ContainsAny(s, "%+") {
		var b strings.Builder
		b.Grow(len(s))
		for i := 0; i < len(s); i++ {
			switch s[i] {
			case '+':
				b.WriteByte(' ')
			case '%':
				if i+2 >= len(s) {
					return "", false
				}
				octet, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
				if err != nil || s[i+1] == '+' || s[i+1] == '-' {
					return "", false
				}
				b.WriteByte(byte(octet))
				i += 2
			default:
				b.WriteByte(s[i])
			}
		}
		s = b.String()
	}
	return s, utf8.ValidString(s) && !strings.Contains(s, "\x00")
}

// content is the whole call as text: two different calls with one idempotency key have different contents.
func (sent *request) content() []byte {
	return []byte(sent.canonical() + "\n" + string(sent.kind))
}
