package pages_test

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

	"portico/portal/access"
)

// shared is the picture that a page names, as it is fetched: without cookies.
func (s *site) shared(page string) (address string, picture []byte) {
	s.t.Helper()
	address = headOf(s.t, text(s.t, s.browser().get(page))).graph["image"][0]
	r := s.browser().get(address)
	wantStatus(s.t, r, http.StatusOK)
	if r.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(r.Header.Get("Cache-Control"), "public, max-age=") || len(r.Cookies()) != 0 || r.Header.Get("Etag") == "" {
		s.t.Errorf("%v", r.Header)
	}
	picture, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return address, picture
}

func TestASharedLinkHasAPictureOfItsCompany(t *testing.T) {
	s := newSite(t, options{production: true})
	seen := map[string]string{}
	for _, host := range []string{"account", "store1001", "store1002", "store1003", "store1005", "store1006"} {
		_, made := s.shared("https://" + host + ".portico.test/login")
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

func TestAPictureChangesItsAddressWithTheCompany(t *testing.T) {
	s := newSite(t, options{production: true})
	const page = "https://store1001.portico.test/login"
	address, before := s.shared(page)
	etag := s.browser().get(address).Header.Get("Etag")
	wantStatus(t, s.browser().get(address, "If-None-Match", etag), http.StatusNotModified)
	if r := s.browser().do(http.MethodHead, address, nil); r.StatusCode != http.StatusOK || r.Header.Get("Content-Length") != strconv.Itoa(len(before)) {
		t.Error(r.StatusCode, r.Header)
	}
	c, _ := s.db.CompanyByID(t.Context(), 1001)
	c.Theme, c.UpdatedAt = "2b8a3e", c.UpdatedAt+1
	if err := s.db.UpdateCompany(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(2e9)
	now, after := s.shared(page)
	if now == address || bytes.Equal(before, after) {
		t.Error("the picture is the former one")
	}
	for _, name := range []string{address, "https://store1001.portico.test/share/x", "https://store1001.portico.test/share/9999x9999.png"} {
		if r := s.browser().get(name); r.StatusCode != http.StatusFound || "https://store1001.portico.test"+r.Header.Get("Location") != now {
			t.Errorf("%s: %d %s", name, r.StatusCode, r.Header.Get("Location"))
		}
	}
	wantStatus(t, s.browser().get("https://m.portico.test/share/x.png"), http.StatusNotFound)
}

func TestACompanysOwnIconIsInItsPicture(t *testing.T) {
	s := newSite(t, options{production: true})
	_, before := s.shared("https://store1001.portico.test/login")
	square := image.NewRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(square, square.Rect, image.NewUniform(color.RGBA{0xc0, 0x10, 0x90, 0xff}), image.Point{}, draw.Src)
	var icon bytes.Buffer
	if err := png.Encode(&icon, square); err != nil {
		t.Fatal(err)
	}
	here := s.administrator("13800000002")
	if err := s.p.Branding.SetIcon(t.Context(), here, bytes.NewReader(icon.Bytes())); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(2e9)
	page := text(t, s.browser().get("https://store1001.portico.test/login"))
	organisation := headOf(t, page).data["@graph"].([]any)[0].(map[string]any)
	if logo, _ := organisation["logo"].(string); !strings.HasPrefix(logo, "https://store1001.portico.test/icon/") {
		t.Error(organisation)
	}
	_, after := s.shared("https://store1001.portico.test/login")
	picture, err := png.Decode(bytes.NewReader(after))
	if err != nil || bytes.Equal(before, after) {
		t.Fatal(err)
	}
	if r, g, b, _ := picture.At(600, 400).RGBA(); r>>8 != 0xc0 || g>>8 != 0x10 || b>>8 != 0x90 {
		t.Error("the icon is not on the door", r>>8, g>>8, b>>8)
	}
}

func TestManyAskForOnePictureAndItIsDrawnOnce(t *testing.T) {
	s := newSite(t, options{production: true})
	address, first := s.shared("https://store1003.portico.test/login")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if again := text(t, s.browser().get(address)); again != string(first) {
				t.Error("another picture")
			}
		})
	}
	all.Wait()
}

// administrator is a company's administrator in its back office.
func (s *site) administrator(phone string) access.Landing {
	s.t.Helper()
	members, err := s.db.MembersByLogin(s.t.Context(), "jinsui")
	if err != nil || len(members) != 1 || members[0].Phone != phone {
		s.t.Fatal(err, members)
	}
	return access.Landing{Member: members[0]}
}
