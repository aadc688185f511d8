package api

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/gateway"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/store"
)

const uploadPath = "/v1/common/upload/getUploadToken"

// withFiles returns an option that gives a site a directory for uploads.
func withFiles(t *testing.T) func(*portal.Options) {
	return func(o *portal.Options) { o.Files = newDir(t) }
}

// newDir returns a file store in a temporary directory.
func newDir(t *testing.T) *gateway.Dir {
	t.Helper()
	dir, err := gateway.NewDir(t.TempDir())
	noError(t, err)
	return dir
}

// pictureParams returns the parameters of getUploadToken for a picture. change replaces or adds parameters.
func pictureParams(change ...string) []string {
	return withChanges([]string{"name_", "licence.jpg", "size_", "204800", "type_", "image/jpeg"}, change...)
}

// uploadPicture gets an upload token and uploads a picture with it, as the account site does. It returns the key.
func (s *site) uploadPicture() (key string) {
	s.t.Helper()
	form := dataOf[uploadToken](s.t, s.get("", uploadPath, pictureParams()...))
	_, err := s.portal.Licences.UploadLicence(
		s.t.Context(),
		application.UploadInput{
			Token:       form.Fields["token"],
			Body:        bytes.NewReader(picturetest.JPEG(40, 30)),
			CheckSender: true,
		},
	)
	noError(s.t, err)
	return form.Key
}

func TestUploadTokenDescribesTheUploadRequest(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		form := dataOf[uploadToken](t, s.get("", uploadPath, pictureParams()...))
		if form.URL != "http://account.portico.test/upload" || form.Method != "POST" || form.Fields["token"] == "" ||
			len(form.Headers) > 0 ||
			form.Key == "" ||
			form.Expires != s.now().Add(application.UploadLife).UnixMilli() {
			t.Errorf("%+v", form)
		}
		if again := dataOf[uploadToken](t, s.get("", uploadPath, pictureParams()...)); again.Key == form.Key ||
			again.Fields["token"] == form.Fields["token"] {
			t.Errorf("%+v", again)
		}
		bound := dataOf[uploadToken](t, s.get("t0k", uploadPath, pictureParams()...))
		_, err := s.portal.Licences.UploadLicence(t.Context(), application.UploadInput{
			Token: bound.Fields["token"], Body: bytes.NewReader(picturetest.JPEG(40, 30)), CheckSender: true,
		})
		if bound.Headers["X-Token"] != "t0k" || !errors.Is(err, access.Forbidden) {
			t.Errorf("%+v, and without its token %v", bound, err)
		}
		s.wantUnchanged("refused", func() {
			for field, value := range map[string]string{
				"type_": "text/html", "size_": strconv.Itoa(access.MaxUpload + 1),
			} {
				got := s.get("", uploadPath, pictureParams(field, value)...).wantCode(t, "upload_rejected", field)
				if got.Message == "" || strings.Contains(got.Message, "upload.") ||
					strings.HasSuffix(got.Message, ": ") {
					t.Errorf("%s: %s", field, got.body)
				}
			}
			for _, params := range [][]string{pictureParams("size_", "0"), pictureParams("type_", ""),
				{"name_", "a.jpg"}} {
				s.get("", uploadPath, params...).wantCode(t, "upload_rejected", params)
			}
			for _, name := range []string{"", " ", strings.Repeat("长", application.MaxUploadName+1)} {
				got := s.get("", uploadPath, pictureParams("name_", name)...).wantCode(t, "validation_failed", name)
				if got.refusalDetail(t).Fields["name_"] == "" {
					t.Errorf("%q: %s", name, got.body)
				}
			}
			for _, size := range []string{"-1", "1.5", "1e3"} {
				s.get("", uploadPath, pictureParams("size_", size)...).wantCode(t, "bad_request", size)
			}
			s.call(apiRequest{
				method: get, path: uploadPath, params: pictureParams(),
				headers: map[string]string{"X-Company-Id": "9999"},
			}).
				wantCode(t, "not_found")
		})
		s.call(
			apiRequest{method: get, path: uploadPath, params: pictureParams(),
				headers: map[string]string{"X-Company-Id": "1001"}},
		).
			wantCode(t, "ok")
	}, withFiles(t))
}

func TestUploadTokensPerAddressAreLimited(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for range pictures.UploadsADay {
			s.get("", uploadPath, pictureParams()...).wantCode(t, "ok")
		}
		got := s.get("", uploadPath, pictureParams()...).wantCode(t, "too_many_attempts")
		if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
		s.advance(24*time.Hour + time.Second)
		s.get("", uploadPath, pictureParams()...).wantCode(t, "ok")
	}, withFiles(t))
}

func TestUploadTokenIsRefusedWithoutFileStore(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.get("", uploadPath, pictureParams()...).wantCode(t, "not_available_offline", "without a file store")
	})
}

// Only its applicant can use a picture, and only for the company for which it was uploaded.
func TestLicencePictureIsAcceptedOnlyInItsOwnApplication(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.changeCompany(1001, func(c *store.Company) { c.ApplicationsRequired = "licence" })
		ticket, another := s.proveApplicant(unregisteredPhone, "1001"), s.proveApplicant("13912345679", "1001")
		key := s.uploadPicture()
		unsent := dataOf[uploadToken](t, s.get("", uploadPath, pictureParams()...)).Key
		otherCompany := dataOf[uploadToken](t, s.call(apiRequest{
			method: get, path: uploadPath, params: pictureParams(), headers: map[string]string{"X-Company-Id": "1002"},
		})).Key
		wantRefused := func(what, ticket, key string) {
			t.Helper()
			s.wantUnchanged(what, func() {
				got := s.post("", sendApplicationPath, applicationParams("1001", ticket, "licence_key_", key)...).
					wantCode(t, "validation_failed", what)
				if got.refusalDetail(t).Fields["licence_key_"] == "" {
					t.Errorf("%s: %s", what, got.body)
				}
			})
		}
		for what, key := range map[string]string{
			"no key": "", "an invalid key": "noise", "not uploaded": unsent, "for another company": otherCompany,
			"a path outside the folder": "../" + key,
		} {
			wantRefused(what, ticket, key)
		}
		a := dataOf[applicationData](t, s.post("", sendApplicationPath,
			applicationParams("1001", ticket, "licence_key_", key)...))
		if a.LicenceKey == nil || *a.LicenceKey != key {
			t.Errorf("%+v", a)
		}
		wantRefused("another applicant's", another, key)
	}, withFiles(t))
}

// directStore is a file store to which clients upload pictures directly, not through the program.
type directStore struct{ *gateway.Dir }

func (directStore) Post(name, kind string, size int64, until time.Time) (string, map[string]string, bool) {
	return "https://files.test/bucket", map[string]string{"key": name, "Content-Type": kind}, true
}

func TestPictureUploadedDirectlyToFileStoreIsCheckedWithApplication(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		ticket := s.proveApplicant(unregisteredPhone, "1001")
		send := func(data []byte) (key string) {
			form := dataOf[uploadToken](t, s.get("", uploadPath, pictureParams()...))
			if form.URL != "https://files.test/bucket" {
				t.Errorf("%+v", form)
			}
			noError(t, s.options.Files.Put(t.Context(), form.Fields["key"], "image/jpeg", data))
			return form.Key
		}
		s.post("", sendApplicationPath, applicationParams("1001", ticket, "licence_key_", send([]byte("<html>")))...).
			wantCode(t, "upload_rejected")
		if s.countRows("applications") != "0" {
			t.Error("an application was created")
		}
		s.post("", sendApplicationPath, applicationParams("1001", ticket, "licence_key_",
			send(picturetest.JPEG(40, 30)))...).
			wantCode(t, "ok")
	}, func(o *portal.Options) { o.Files = directStore{newDir(t)} })
}
