package public_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"portico/pages/pagestest"
)

func TestSharedLinkHasAPictureOfItsCompany(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	seen := map[string]string{}
	for _, host := range []string{"account", "store1001", "store1002", "store1003", "store1005", "store1006"} {
		_, made := sharePicture(s, "https://"+host+".portico.test/login")
		config, kind, err := image.DecodeConfig(bytes.NewReader(made))
		if err != nil || kind != "png" || config.Width != 1200 || config.Height != 630 || len(made) > 100_000 {
			t.Errorf("%s: %v %d bytes of %s, %d × %d", host, err, len(made), kind, config.Width, config.Height)
		}
		if other := seen[string(made)]; other != "" {
			t.Errorf("%s looks like %s", host, other)
		}
		seen[string(made)] = host
	}
}

func TestSharePictureHasWordsInTheLanguageOfThePage(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	for _, host := range []string{"account", "store1001"} {
		seen := map[string]string{}
		for _, lang := range []string{"zh", "es", "en"} {
			_, made := sharePicture(s, "https://"+host+".portico.test/login?lang="+lang)
			if other := seen[string(made)]; other != "" {
				t.Errorf("%s has the same words in %s and %s", host, lang, other)
			}
			seen[string(made)] = lang
		}
	}
}

func TestSharePictureGetsANewAddressWhenTheCompanyChanges(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	const page = "https://store1001.portico.test/login"
	address, before := sharePicture(s, page)
	etag := s.Browser().Get(address).Header.Get("Etag")
	pagestest.WantStatus(t, s.Browser().Get(address, "If-None-Match", etag), http.StatusNotModified)
	if r := s.Browser().Do(http.MethodHead, address, nil); r.StatusCode != http.StatusOK ||
		r.Header.Get("Content-Length") != strconv.Itoa(len(before)) {
		t.Error(r.StatusCode, r.Header)
	}
	c, _ := s.DB.Companies.ByID(t.Context(), 1001)
	c.Theme, c.UpdatedAt = "2b8a3e", c.UpdatedAt+1
	if err := s.DB.Companies.Update(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.Clock = s.Clock.Add(2e9)
	newAddress, after := sharePicture(s, page)
	if newAddress == address || bytes.Equal(before, after) {
		t.Error("the picture is the former one")
	}
	for _, name := range []string{address, "https://store1001.portico.test/share/x",
		"https://store1001.portico.test/share/9999x9999.png"} {
		if r := s.Browser().Get(name); r.StatusCode != http.StatusFound ||
			"https://store1001.portico.test"+r.Header.Get("Location") != newAddress {
			t.Errorf("%s: %d %s", name, r.StatusCode, r.Header.Get("Location"))
		}
	}
	pagestest.WantStatus(t, s.Browser().Get("https://m.portico.test/share/x.png"), http.StatusNotFound)
}

func TestSharePictureContainsTheCompanyIcon(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	_, before := sharePicture(s, "https://store1001.portico.test/login")
	square := image.NewRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(square, square.Rect, image.NewUniform(color.RGBA{0xc0, 0x10, 0x90, 0xff}), image.Point{}, draw.Src)
	var icon bytes.Buffer
	if err := png.Encode(&icon, square); err != nil {
		t.Fatal(err)
	}
	here := pagestest.AdministratorLanding(s, "13800000002")
	if err := s.Portal.Branding.SetIcon(t.Context(), here, bytes.NewReader(icon.Bytes())); err != nil {
		t.Fatal(err)
	}
	s.Clock = s.Clock.Add(2e9)
	page := pagestest.Text(t, s.Browser().Get("https://store1001.portico.test/login"))
	organisation := pagestest.ReadHead(t, page).Data["@graph"].([]any)[0].(map[string]any)
	if logo, _ := organisation["logo"].(string); !strings.HasPrefix(logo, "https://store1001.portico.test/icon/") {
		t.Error(organisation)
	}
	_, after := sharePicture(s, "https://store1001.portico.test/login")
	picture, err := png.Decode(bytes.NewReader(after))
	if err != nil || bytes.Equal(before, after) {
		t.Fatal(err)
	}
	if r, g, b, _ := picture.At(600, 400).RGBA(); r>>8 != 0xc0 || g>>8 != 0x10 || b>>8 != 0x90 {
		t.Error("the icon is not in the picture", r>>8, g>>8, b>>8)
	}
}

func TestSharePictureIsDrawnOnceForManyRequestsAtATime(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	address, first := sharePicture(s, "https://store1003.portico.test/login")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if again := pagestest.Text(t, s.Browser().Get(address)); again != string(first) {
				t.Error("another picture")
			}
		})
	}
	all.Wait()
}

// sharePicture returns the address and content of the picture for shared links of a page, fetched without cookies. It
// fails the test when caches may not store it.
func sharePicture(s *pagestest.Site, page string) (address string, picture []byte) {
	s.T.Helper()
	address = pagestest.ReadHead(s.T, pagestest.Text(s.T, s.Browser().Get(page))).Graph["image"][0]
	r := s.Browser().Get(address)
	pagestest.WantStatus(s.T, r, http.StatusOK)
	if r.Header.Get("Content-Type") != "image/png" ||
		!strings.HasPrefix(r.Header.Get("Cache-Control"), "public, max-age=") || len(r.Cookies()) != 0 ||
		r.Header.Get("Etag") == "" {
		s.T.Errorf("%v", r.Header)
	}
	picture, err := io.ReadAll(r.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return address, picture
}
