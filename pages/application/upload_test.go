package application_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/onboarding"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/store"
)

func TestHostileFilesAreRefusedOrCleaned(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{})
	b, ticket := s.ProvenApplicant(pagestest.Sender)
	statuses := map[string]int{
		"":            200,
		"not_picture": 415,
		"too_large":   413,
		"broken":      422,
		"empty":       422,
		"too_wide":    422,
		"heavy":       422,
		"heic":        415,
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
		r := b.SendFile(pagestest.UploadPage, s.UploadToken(pagestest.Sender), file.Name, file.Data)
		if r.StatusCode != statuses[file.Refused] {
			t.Errorf(
				"%.20q: status %d %s\n%s",
				file.Name,
				r.StatusCode,
				pagestest.Text(t, r),
				s.Log.String()[max(0, s.Log.Len()-900):],
			)
			continue
		}
		u := pagestest.DecodeUpload(t, r)
		if file.Refused != "" {
			if u.Message == "" || u.Key != "" || strings.Contains(u.Message, "upload.") ||
				strings.Contains(u.Message, "{") {
				t.Errorf("%.20q: %+v", file.Name, u)
			}
			continue
		}
		picture, err := s.Portal.Licences.LicenceOfApplicant(t.Context(), ticket, 1001, u.Key)
		if err != nil || u.Width < 1 || u.Size != int64(len(picture.Data)) ||
			bytes.Contains(picture.Data, []byte("canary")) ||
			bytes.Contains(picture.Data, []byte(picturetest.GPS)) {
			t.Errorf("%.20q: %+v %v", file.Name, u, err)
		}
	}
}

func TestFileNamesAreIgnored(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	for i, name := range []string{
		"../../../../etc/x", `..\..\x`, "a\x00.png", strings.Repeat("長", 300), "a.jpg.html", "CON", "/dev/null",
		"licence", ".", "-rf",
	} {
		u := pagestest.DecodeUpload(t, b.SendFile(pagestest.UploadPage, s.UploadToken(pagestest.Sender), name,
			picturetest.JPEG(40+i, 30)))
		if len(u.Key) != 24 || strings.ContainsAny(u.Key, "./\\") {
			t.Errorf("%.20q: %+v", name, u)
		}
	}
}

func TestUploadReadsAtMostOneFileAndASmallForm(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	const boundary = "multipart/form-data; boundary=b"
	file := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.jpg\"\r\n\r\n"
	head := pagestest.TokenPart(s.UploadToken(pagestest.Sender)) + file
	declared := &pagestest.CountingReader{Reader: strings.NewReader(head)}
	pagestest.WantStatus(t, b.Send(pagestest.UploadPage, boundary, declared, 1<<30), http.StatusRequestEntityTooLarge)
	for length, status := range map[int64]int{
		5<<20 + 64<<10: http.StatusUnsupportedMediaType, 5<<20 + 64<<10 + 1: http.StatusRequestEntityTooLarge,
	} {
		small := strings.NewReader(head + "no picture\r\n--b--\r\n")
		pagestest.WantStatus(t, b.Send(pagestest.UploadPage, boundary, small, length), status)
	}
	if declared.N > 0 {
		t.Errorf("%d bytes of a declared gigabyte were read", declared.N)
	}
	chunked := &pagestest.CountingReader{Reader: io.MultiReader(strings.NewReader(head),
		io.LimitReader(pagestest.ZeroReader{}, 1<<30))}
	pagestest.WantStatus(t, b.Send(pagestest.UploadPage, boundary, chunked, -1), http.StatusRequestEntityTooLarge)
	if chunked.N > access.MaxUpload+200<<10 {
		t.Errorf("%d bytes of a gigabyte in chunks were read", chunked.N)
	}
	text := "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + strings.Repeat(
		"x", 100<<10,
	) + "\r\n--b--\r\n"
	pagestest.WantStatus(
		t, b.Send(pagestest.UploadPage, boundary, strings.NewReader(text), int64(len(text))),
		http.StatusRequestEntityTooLarge,
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
		if r := b.Send(
			pagestest.UploadPage, boundary, strings.NewReader(body), int64(len(body)),
		); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
	for _, kind := range []string{
		"multipart/form-data", "application/x-www-form-urlencoded", "multipart/mixed; boundary=b", "image/jpeg", "",
	} {
		if r := b.Send(
			pagestest.UploadPage, kind, strings.NewReader(head), int64(len(head)),
		); r.StatusCode != http.StatusUnsupportedMediaType {
			t.Errorf("%s: %d", kind, r.StatusCode)
		}
	}
}

func TestInterruptedUploadLeavesNoFile(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	kind, body := pagestest.UploadForm(s.UploadToken(pagestest.Sender), "x.jpg", picturetest.JPEG(2000, 1000))
	interrupted := io.MultiReader(bytes.NewReader(body[:len(body)/2]), brokenReader{})
	pagestest.WantStatus(t, b.Send(pagestest.UploadPage, kind, interrupted, int64(len(body))), http.StatusBadRequest)
}

// brokenReader fails as a closed connection does.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestUploadBelongsToItsApplicant(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	other, _ := s.ProvenApplicant("13900000778")
	photo := picturetest.JPEG(60, 40)
	token := s.UploadToken(pagestest.Sender)
	for name, r := range map[string]*http.Response{
		"another applicant": other.SendFile(pagestest.UploadPage, token, "a.jpg", photo),
		"nobody":            s.Browser().SendFile(pagestest.UploadPage, token, "a.jpg", photo),
		"another company":   b.SendFile("http://store1002.portico.test/upload", token, "a.jpg", photo),
		"another site":      b.SendFile(pagestest.UploadPage, token, "a.jpg", photo, "Sec-Fetch-Site", "cross-site"),
		"no token":          b.SendFile(pagestest.UploadPage, "", "a.jpg", photo),
	} {
		if u := pagestest.DecodeUpload(t, r); r.StatusCode != http.StatusForbidden || u.Message == "" || u.Key != "" {
			t.Errorf("%s: %d %+v", name, r.StatusCode, u)
		}
	}
	first := b.SendFile(pagestest.UploadPage, token, "a.jpg", photo)
	pagestest.WantStatus(t, first, http.StatusOK)
	key := pagestest.DecodeUpload(t, first).Key
	pagestest.WantStatus(t, b.SendFile(pagestest.UploadPage, token, "a.jpg", picturetest.JPEG(61, 40)),
		http.StatusForbidden)
	again := b.SendFile(pagestest.UploadPage, s.UploadToken(pagestest.Sender), "b.jpg", photo, "Accept-Language", "es")
	if u := pagestest.DecodeUpload(t, again); again.StatusCode != http.StatusUnprocessableEntity || u.Key != key ||
		!strings.Contains(u.Message, "已经上传过") {
		t.Errorf("%d %+v", again.StatusCode, u)
	}
	spanish := pagestest.DecodeUpload(t, b.SendFile(pagestest.UploadPage+"?lang=es", s.UploadToken(pagestest.Sender),
		"b.jpg",
		[]byte("x")))
	if !strings.Contains(spanish.Message, "Motivo: solo se aceptan imágenes JPEG") {
		t.Error(spanish.Message)
	}
	late := s.UploadToken(pagestest.Sender)
	s.Clock = s.Clock.Add(application.UploadLife + time.Second)
	pagestest.WantStatus(t, b.SendFile(pagestest.UploadPage, late, "a.jpg", photo), http.StatusForbidden)
	for i := range pictures.UploadsADay {
		r := b.SendFile(pagestest.UploadPage, s.UploadToken(pagestest.Sender), "a.jpg",
			[]byte(fmt.Sprint("no picture", i)))
		if r.StatusCode == http.StatusTooManyRequests && r.Header.Get("Retry-After") != "" &&
			pagestest.DecodeUpload(t, r).Message != "" {
			return
		}
	}
	t.Error("files are taken without end")
}

func TestAppUploadsAFileByToken(t *testing.T) {
	pagestest.WantNoTemporaryFiles(t)
	s := pagestest.NewSite(t, pagestest.Options{})
	form, err := s.Portal.Licences.UploadToken(
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
	app := s.Browser()
	app.OldWebView = true
	// The session of another person makes no difference.
	app.Jar["account.portico.test"] = s.SignInByPhone("13800000002").Jar["account.portico.test"]
	pagestest.WantStatus(t, app.SendFile(form.URL, form.Fields["token"], "a.jpg", picturetest.JPEG(60, 40)),
		http.StatusForbidden)
	sent := app.SendFile(
		form.URL, form.Fields["token"], "a.jpg", picturetest.JPEG(60, 40), "X-Token", form.Headers["X-Token"],
	)
	pagestest.WantStatus(t, sent, http.StatusOK)
	if u := pagestest.DecodeUpload(t, sent); u.Key != form.Key || u.Width != 60 || u.Height != 40 {
		t.Errorf("%+v", u)
	}
}

// wantPrivatePicture fails the test unless an answer is a picture that caches and other sites must not keep, to be
// downloaded under a name.
func wantPrivatePicture(t *testing.T, r *http.Response, name string) {
	t.Helper()
	pagestest.WantStatus(t, r, http.StatusOK)
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

func TestLicenceIsShownOnlyToItsApplicantAndReviewers(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	key := pagestest.DecodeUpload(t, b.SendFile(pagestest.UploadPage, s.UploadToken(pagestest.Sender), "a.jpg",
		picturetest.JPEG(60, 40))).Key
	own := "http://" + pagestest.StoreHost + "/register/more/licence?key=" + key
	wantPrivatePicture(t, b.Get(own), "licence-"+key+".jpg")
	a := store.Application{
		ID:          1<<52 + 7,
		CompanyID:   1001,
		Phone:       pagestest.Sender,
		State:       store.ApplicationPending,
		CompanyName: "Bodega",
		ContactName: "Irene",
		LicenceKey:  key,
	}
	if _, err := s.DB.Applications.Add(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprint(a.ID)
	office := "http://" + pagestest.StoreHost + "/mgr/applications/" + id + "/licence"
	wantPrivatePicture(t, s.SignInByPhone("13800000002").Get(office), "licence-"+id+".jpg")
	other, _ := s.ProvenApplicant("13900000778")
	named := func(login string) *pagestest.Browser {
		b := s.Browser()
		landed, _ := b.Follow(
			b.Post("http://account.portico.test/login/account", "login", login, "password", onboarding.DemoPassword),
			"http://account.portico.test/login/account",
		)
		pagestest.WantStatus(t, landed, http.StatusOK)
		return b
	}
	var body string
	staff := s.SignInByPhone("13800000002")
	for name, r := range map[string]*http.Response{
		"signed out":              s.Browser().Get(own),
		"another applicant":       other.Get(own),
		"a guess":                 b.Get(own + "x"),
		"no key":                  b.Get("http://" + pagestest.StoreHost + "/register/more/licence"),
		"office signed out":       s.Browser().Get(office),
		"a guessed application":   staff.Get(strings.Replace(office, id, "4503599627370999", 1)),
		"another company's staff": named("trial").Get(strings.Replace(office, "store1001", "store1008", 1)),
		"an applicant":            b.Get(office),
		"without the right":       named("li.manager").Get(office),
	} {
		if r.StatusCode != http.StatusNotFound || r.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
		page := pagestest.Text(t, r)
		if heading := pagestest.FindIn(t, page, "<h1[^>]*>([^<]*)<"); body != "" && heading != body {
			t.Errorf("%s: heading %q", name, heading)
		} else {
			body = heading
		}
	}
}

func TestIconIsPublicAndCachedForever(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	u := store.Upload{
		ID:        "abcdefghijklmnopqrstuvwx",
		CompanyID: 1001,
		Purpose:   store.UploadLook,
		Owner:     "company",
		Content:   "x",
		Kind:      "image/png",
		UsedAt:    1,
		CreatedAt: 1,
	}
	if _, err := s.DB.Uploads.Add(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	pagestest.WantStatus(t, s.Browser().Get("http://m.portico.test/icon/"+u.ID+".png"), http.StatusNotFound)
	if err := s.Files.Put(t.Context(), "icon/"+u.ID+".png", "image/png", picturetest.PNG(192, 192)); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"m", "mgr", "account", "store1001", "store1002"} {
		r := s.Browser().Get("http://" + host + ".portico.test/icon/" + u.ID + ".png")
		pagestest.WantStatus(t, r, http.StatusOK)
		if h := r.Header; h.Get("Content-Type") != "image/png" ||
			h.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v", host, h)
		}
	}
	for _, none := range []string{"x.png", u.ID, u.ID + ".jpg", "..%2flicence%2f" + u.ID} {
		pagestest.WantStatus(t, s.Browser().Get("http://m.portico.test/icon/"+none), http.StatusNotFound)
	}
}
