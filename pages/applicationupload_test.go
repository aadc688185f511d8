package pages_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/onboarding"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/verification"
	"portico/store"
)

const (
	storeHost  = "store1001.portico.test"
	uploadPage = "http://" + storeHost + "/upload"
	sender     = "13900000777"
)

// applicant returns a browser that has proven a phone to company 1001.
func (s *site) applicant(phone string) (*browser, string) {
	s.t.Helper()
	flow := verification.NewFlow()
	ctx := access.WithCaller(s.t.Context(), access.Caller{RequestID: "r", Address: "203.0.113.7"})
	if _, err := s.p.Verification.AskCode(
		ctx,
		verification.AskCodeInput{
			Purpose:   verification.ForApplication,
			Phone:     phone,
			CompanyID: 1001,
			Flow:      flow,
			Lang:      "zh",
		},
	); err != nil {
		s.t.Fatal(err)
	}
	s.p.Stop(ctx) // strict sends the message in the background
	ticket, _, err := s.p.Application.ProveApplicant(
		ctx, application.ProveApplicantInput{Phone: phone, Code: s.lastCode(phone), CompanyID: 1001, Flow: flow},
	)
	if err != nil {
		s.t.Fatal(err)
	}
	b := s.browser()
	b.jar[storeHost] = map[string]*http.Cookie{"portico_applicant": {Name: "portico_applicant", Value: ticket}}
	return b, ticket
}

// token returns an upload token of an applicant to company 1001.
func (s *site) token(phone string) string {
	s.t.Helper()
	token, err := s.p.Licences.LicenceToken(s.t.Context(), 1001, phone)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// multipartOf returns a form with a token and a file.
func multipartOf(token, name string, data []byte) (kind string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.WriteField("token", token)
	part, _ := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {
			`form-data; name="file"; filename="` + strings.NewReplacer(`"`, "%22", "\x00", "%00").Replace(name) + `"`,
		},
		"Content-Type": {"image/jpeg"},
	})
	_, _ = part.Write(data)
	_ = w.Close()
	return w.FormDataContentType(), b.Bytes()
}

// send posts a body to an address of a host.
func (b *browser) send(address, kind string, body io.Reader, length int64, headers ...string) *http.Response {
	b.t.Helper()
	return b.sendFrom("203.0.113.9", address, kind, body, length, headers...)
}

func (b *browser) sendFrom(from, address, kind string, body io.Reader, length int64, headers ...string) *http.Response {
	b.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, u.RequestURI(), body)
	r.Host, r.ContentLength = u.Host, length
	r.Header.Set("Content-Type", kind)
	if !b.bare {
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	for _, c := range b.jar[u.Host] {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.doors.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), access.Caller{RequestID: "r1", Address: from})))
	return w.Result()
}

func (b *browser) sendFile(address, token, name string, data []byte, headers ...string) *http.Response {
	kind, body := multipartOf(token, name, data)
	return b.send(address, kind, bytes.NewReader(body), int64(len(body)), headers...)
}

type uploaded struct {
	Key           string
	Width, Height int
	Size          int64
	Message       string
}

func answer(t *testing.T, r *http.Response) (u uploaded) {
	t.Helper()
	if err := json.Unmarshal([]byte(text(t, r)), &u); err != nil ||
		r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("status %d: %v", r.StatusCode, err)
	}
	return u
}

// tokenPart is the part of a form with boundary b that holds the token.
func tokenPart(token string) string {
	return "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + token + "\r\n"
}

// temporary puts temporary files into a folder of the test, which must be empty when the test ends.
func temporary(t *testing.T) {
	t.Helper()
	at := t.TempDir()
	t.Setenv("TMPDIR", at)
	t.Cleanup(func() {
		if left, err := os.ReadDir(at); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	})
}

func TestEveryHostileFileThatIsSentIsRefusedOrMadeHarmless(t *testing.T) {
	temporary(t)
	s := newSite(t, options{})
	b, ticket := s.applicant(sender)
	statuses := map[string]int{
		"":            200,
		"not_picture": 415,
		"too_large":   413,
		"broken":      422,
		"empty":       422,
		"too_wide":    422,
		"animated":    422,
	}
	files := append(
		picturetest.Files(),
		picturetest.File{
			Name:    "large.jpg",
			Data:    append(picturetest.JPEG(40, 30), make([]byte, access.MaxUpload)...),
			Refused: "too_large",
		},
	)
	seen := map[string]bool{}
	for _, file := range files {
		if seen[string(file.Data)] {
			continue // another name for the same picture: a duplicate
		}
		seen[string(file.Data)] = true
		r := b.sendFile(uploadPage, s.token(sender), file.Name, file.Data)
		if r.StatusCode != statuses[file.Refused] {
			t.Errorf(
				"%.20q: status %d %s\n%s",
				file.Name,
				r.StatusCode,
				text(t, r),
				s.log.String()[max(0, s.log.Len()-900):],
			)
			continue
		}
		u := answer(t, r)
		if file.Refused != "" {
			if u.Message == "" || u.Key != "" || strings.Contains(u.Message, "upload.") ||
				strings.Contains(u.Message, "{") {
				t.Errorf("%.20q: %+v", file.Name, u)
			}
			continue
		}
		picture, err := s.p.Licences.LicenceOfApplicant(t.Context(), ticket, 1001, u.Key)
		if err != nil || u.Width < 1 || u.Size != int64(len(picture.Data)) ||
			bytes.Contains(picture.Data, []byte("canary")) ||
			bytes.Contains(picture.Data, []byte(picturetest.GPS)) {
			t.Errorf("%.20q: %+v %v", file.Name, u, err)
		}
	}
}

func TestFileNamesAreIgnored(t *testing.T) {
	temporary(t)
	s := newSite(t, options{})
	b, _ := s.applicant(sender)
	for i, name := range []string{
		"../../../../etc/x", `..\..\x`, "a\x00.png", strings.Repeat("長", 300), "a.jpg.html", "CON", "/dev/null",
		"licence", ".", "-rf",
	} {
		u := answer(t, b.sendFile(uploadPage, s.token(sender), name, picturetest.JPEG(40+i, 30)))
		if len(u.Key) != 24 || strings.ContainsAny(u.Key, "./\\") {
			t.Errorf("%.20q: %+v", name, u)
		}
	}
}

func TestNoMoreIsReadThanAFileAndASmallForm(t *testing.T) {
	temporary(t)
	s := newSite(t, options{})
	b, _ := s.applicant(sender)
	const boundary = "multipart/form-data; boundary=b"
	file := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\n"
	head := tokenPart(s.token(sender)) + file
	declared := &counted{Reader: strings.NewReader(head)}
	wantStatus(t, b.send(uploadPage, boundary, declared, 1<<30), http.StatusRequestEntityTooLarge)
	if declared.n > 0 {
		t.Errorf("%d bytes of a declared gigabyte were read", declared.n)
	}
	chunked := &counted{Reader: io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, 1<<30))}
	wantStatus(t, b.send(uploadPage, boundary, chunked, -1), http.StatusRequestEntityTooLarge)
	if chunked.n > access.MaxUpload+200<<10 {
		t.Errorf("%d bytes of a gigabyte in chunks were read", chunked.n)
	}
	text := "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + strings.Repeat(
		"x", 100<<10,
	) + "\r\n--b--\r\n"
	wantStatus(
		t, b.send(uploadPage, boundary, strings.NewReader(text), int64(len(text))), http.StatusRequestEntityTooLarge,
	)
	for name, body := range map[string]string{
		"two files": head + "a\r\n" + file + "b\r\n--b--\r\n",
		"no file":   "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nx\r\n--b--\r\n",
		"no name":   "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n",
		"many parts": strings.Repeat(
			"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n", 200,
		) + "--b--\r\n",
		"broken off":  head + "half of a pict",
		"no boundary": "nothing",
		"empty":       "",
	} {
		if r := b.send(
			uploadPage, boundary, strings.NewReader(body), int64(len(body)),
		); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
	for _, kind := range []string{
		"multipart/form-data", "application/x-www-form-urlencoded", "multipart/mixed; boundary=b", "image/jpeg", "",
	} {
		if r := b.send(
			uploadPage, kind, strings.NewReader(head), int64(len(head)),
		); r.StatusCode != http.StatusUnsupportedMediaType {
			t.Errorf("%s: %d", kind, r.StatusCode)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}

func TestAClientThatStopsHalfWayLeavesNothingBehind(t *testing.T) {
	temporary(t)
	s := newSite(t, options{})
	b, _ := s.applicant(sender)
	kind, body := multipartOf(s.token(sender), "x.jpg", picturetest.JPEG(2000, 1000))
	gone := io.MultiReader(bytes.NewReader(body[:len(body)/2]), broken{})
	wantStatus(t, b.send(uploadPage, kind, gone, int64(len(body))), http.StatusBadRequest)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestAnUploadIsTheApplicantsOwn(t *testing.T) {
	s := newSite(t, options{limits: true})
	b, _ := s.applicant(sender)
	other, _ := s.applicant("13900000778")
	photo := picturetest.JPEG(60, 40)
	token := s.token(sender)
	for name, r := range map[string]*http.Response{
		"another applicant": other.sendFile(uploadPage, token, "a.jpg", photo),
		"nobody":            s.browser().sendFile(uploadPage, token, "a.jpg", photo),
		"another company":   b.sendFile("http://store1002.portico.test/upload", token, "a.jpg", photo),
		"another site":      b.sendFile(uploadPage, token, "a.jpg", photo, "Sec-Fetch-Site", "cross-site"),
		"no token":          b.sendFile(uploadPage, "", "a.jpg", photo),
	} {
		if u := answer(t, r); r.StatusCode != http.StatusForbidden || u.Message == "" || u.Key != "" {
			t.Errorf("%s: %d %+v", name, r.StatusCode, u)
		}
	}
	first := b.sendFile(uploadPage, token, "a.jpg", photo)
	wantStatus(t, first, http.StatusOK)
	key := answer(t, first).Key
	wantStatus(t, b.sendFile(uploadPage, token, "a.jpg", picturetest.JPEG(61, 40)), http.StatusForbidden)
	again := b.sendFile(uploadPage, s.token(sender), "b.jpg", photo, "Accept-Language", "es")
	if u := answer(t, again); again.StatusCode != http.StatusUnprocessableEntity || u.Key != key ||
		!strings.Contains(u.Message, "已经上传过") {
		t.Errorf("%d %+v", again.StatusCode, u)
	}
	spanish := answer(t, b.sendFile(uploadPage+"?lang=es", s.token(sender), "b.jpg", []byte("x")))
	if !strings.Contains(spanish.Message, "Motivo: solo se aceptan imágenes JPEG") {
		t.Error(spanish.Message)
	}
	late := s.token(sender)
	s.clock = s.clock.Add(application.UploadLife + time.Second)
	wantStatus(t, b.sendFile(uploadPage, late, "a.jpg", photo), http.StatusForbidden)
	for i := range pictures.UploadsADay {
		r := b.sendFile(uploadPage, s.token(sender), "a.jpg", []byte(fmt.Sprint("no picture", i)))
		if r.StatusCode == http.StatusTooManyRequests && r.Header.Get("Retry-After") != "" &&
			answer(t, r).Message != "" {
			return
		}
	}
	t.Error("files are taken without end")
}

func TestAnAppSendsAFileWithoutABrowser(t *testing.T) {
	temporary(t)
	s := newSite(t, options{})
	form, err := s.p.Licences.UploadToken(
		t.Context(),
		application.UploadTokenInput{
			Name:      "a.jpg",
			Type:      "image/jpeg",
			Size:      4000,
			CompanyID: 1001,
			Session:   "a token",
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	app := s.browser()
	app.bare = true
	// A session of another person changes nothing.
	app.jar["account.portico.test"] = s.within("13800000002").jar["account.portico.test"]
	wantStatus(t, app.sendFile(form.URL, form.Fields["token"], "a.jpg", picturetest.JPEG(60, 40)), http.StatusForbidden)
	sent := app.sendFile(
		form.URL, form.Fields["token"], "a.jpg", picturetest.JPEG(60, 40), "X-Token", form.Headers["X-Token"],
	)
	wantStatus(t, sent, http.StatusOK)
	if u := answer(t, sent); u.Key != form.Key || u.Width != 60 || u.Height != 40 {
		t.Errorf("%+v", u)
	}
}

// private checks the headers of a picture that only its owner may read.
func private(t *testing.T, r *http.Response, name string) {
	t.Helper()
	wantStatus(t, r, http.StatusOK)
	for header, want := range map[string]string{
		"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		"Content-Security-Policy": "default-src 'none'; sandbox",
		"Content-Disposition":     `attachment; filename="` + name + `"`, "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := r.Header.Get(header); got != want {
			t.Errorf("%s: %s", header, got)
		}
	}
}

func TestALicenceIsNotFoundByAnybodyElse(t *testing.T) {
	s := newSite(t, options{})
	b, _ := s.applicant(sender)
	key := answer(t, b.sendFile(uploadPage, s.token(sender), "a.jpg", picturetest.JPEG(60, 40))).Key
	own := "http://" + storeHost + "/register/more/licence?key=" + key
	private(t, b.get(own), "licence-"+key+".jpg")
	a := store.Application{
		ID:          1<<52 + 7,
		CompanyID:   1001,
		Phone:       sender,
		State:       store.ApplicationPending,
		CompanyName: "Bodega",
		ContactName: "Irene",
		LicenceKey:  key,
	}
	if _, err := s.db.AddApplication(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprint(a.ID)
	office := "http://" + storeHost + "/mgr/applications/" + id + "/licence"
	private(t, s.within("13800000002").get(office), "licence-"+id+".jpg")
	other, _ := s.applicant("13900000778")
	named := func(login string) *browser {
		b := s.browser()
		landed, _ := b.follow(
			b.post("http://account.portico.test/login/account", "login", login, "password", onboarding.DemoPassword),
			"http://account.portico.test/login/account",
		)
		wantStatus(t, landed, http.StatusOK)
		return b
	}
	var body string
	staff := s.within("13800000002")
	for name, r := range map[string]*http.Response{
		"signed out":              s.browser().get(own),
		"another applicant":       other.get(own),
		"a guess":                 b.get(own + "x"),
		"no key":                  b.get("http://" + storeHost + "/register/more/licence"),
		"office signed out":       s.browser().get(office),
		"a guessed application":   staff.get(strings.Replace(office, id, "4503599627370999", 1)),
		"another company's staff": named("trial").get(strings.Replace(office, "store1001", "store1008", 1)),
		"an applicant":            b.get(office),
		"without the right":       named("li.manager").get(office),
	} {
		if r.StatusCode != http.StatusNotFound || r.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
		page := text(t, r)
		if heading := found(t, page, "<h1[^>]*>([^<]*)<"); body != "" && heading != body {
			t.Errorf("%s: heading %q", name, heading)
		} else {
			body = heading
		}
	}
}

func TestAnIconIsPublicAndNeverChanges(t *testing.T) {
	s := newSite(t, options{})
	u := store.Upload{
		ID:        "abcdefghijklmnopqrstuvwx",
		CompanyID: 1001,
		Purpose:   store.UploadIcon,
		Owner:     "company",
		Content:   "x",
		Kind:      "image/png",
		UsedAt:    1,
		CreatedAt: 1,
	}
	if _, err := s.db.AddUpload(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, s.browser().get("http://m.portico.test/icon/"+u.ID+".png"), http.StatusNotFound)
	if err := s.files.Put(t.Context(), "icon/"+u.ID+".png", "image/png", picturetest.PNG(192, 192)); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"m", "mgr", "account", "store1001", "store1002"} {
		r := s.browser().get("http://" + host + ".portico.test/icon/" + u.ID + ".png")
		wantStatus(t, r, http.StatusOK)
		if h := r.Header; h.Get("Content-Type") != "image/png" ||
			h.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v", host, h)
		}
	}
	for _, none := range []string{"x.png", u.ID, u.ID + ".jpg", "..%2flicence%2f" + u.ID} {
		wantStatus(t, s.browser().get("http://m.portico.test/icon/"+none), http.StatusNotFound)
	}
}
