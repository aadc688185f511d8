package pictures_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store"
	"portico/store/storetest"
)

// Sender sends pictures to company 1001 as one applicant.
type Sender struct {
	*portaltest.Platform
	Phone string
}

// NewSender returns a sender on a platform without limits.
func NewSender(t *testing.T) *Sender {
	t.Helper()
	return &Sender{
		Platform: portaltest.NewPlatform(t, storetest.SQLite(t), func(o *portal.Options) { o.NoLimit = true }),
		Phone:    "13900000777",
	}
}

// Send uploads a file as a business licence.
func (s *Sender) Send(data []byte) (store.Upload, error) {
	s.T.Helper()
	token, err := s.Licences.LicenceToken(s.T.Context(), 1001, s.Phone)
	portaltest.NoError(s.T, err)
	return s.Licences.UploadLicence(s.From(portaltest.HomeAddress), application.UploadInput{
		Token: token, Body: bytes.NewReader(data),
	})
}

// IsNear says whether each channel of a colour differs by at most 40 from the wanted one.
func IsNear(c color.Color, want color.RGBA) bool {
	r, g, b, _ := c.RGBA()
	far := func(a uint32, b uint8) bool { return max(a>>8, uint32(b))-min(a>>8, uint32(b)) > 40 }
	return !far(r, want.R) && !far(g, want.G) && !far(b, want.B)
}

// allocated returns how many bytes this process has allocated since it started.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestEveryHostileFileIsRefusedOrMadeHarmless(t *testing.T) {
	s := NewSender(t)
	files := picturetest.Files()
	if len(files) < 25 {
		t.Fatal(len(files))
	}
	for _, file := range files {
		s.Phone = fmt.Sprintf("139%08d", len(file.Name)*1000+len(file.Data)%1000)
		before := allocated()
		u, err := s.Send(file.Data)
		if file.Refused != "" {
			if with := portaltest.Refused(t, err, access.UploadRejected); string(with.Reason) != file.Refused {
				t.Errorf("%.20q: %s, want %s", file.Name, with.Reason, file.Refused)
			}
			isLarge := file.Refused == "too_wide" || file.Refused == "heavy"
			if took := allocated() - before; isLarge && took > 8<<20 { // it was not decoded
				t.Errorf("%s took %d bytes of memory", file.Name, took)
			}
			continue
		}
		if err != nil {
			t.Errorf("%.20q: %v", file.Name, err)
			continue
		}
		data := companytest.ReadFile(s.Platform, "licence/"+u.ID)
		made, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil || u.Kind != "image/jpeg" || int64(len(data)) != u.Size || made.Bounds().Dx() != u.Width ||
			made.Bounds().Dy() != u.Height {
			t.Errorf("%.20q: %+v %v", file.Name, u, err)
		}
		for _, left := range []string{"canary", "Exif", "GPS", "ICC", "script", picturetest.GPS, "PK\x03\x04"} {
			if bytes.Contains(data, []byte(left)) {
				t.Errorf("%.20q: %q is left", file.Name, left)
			}
		}
		if !bytes.HasSuffix(data, []byte{0xff, 0xd9}) || bytes.Contains(data, []byte{0xff, 0xfe}) {
			t.Errorf("%.20q has a tail or a comment", file.Name)
		}
	}
}

func TestAPictureKeepsItsOrientation(t *testing.T) {
	s := NewSender(t)
	// Where the four corners of the file are seen: upper left, upper right, lower left, lower right.
	for turned, seen := range map[uint16][4]int{
		0: {0, 1, 2, 3}, 1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 3: {3, 2, 1, 0}, 4: {2, 3, 0, 1}, 5: {0, 2, 1, 3},
		6: {2, 0, 3, 1}, 7: {3, 1, 2, 0}, 8: {1, 3, 0, 2}, 9: {0, 1, 2, 3},
	} {
		u, err := s.Send(picturetest.WithSegment(picturetest.JPEG(200, 120), 0xe1, picturetest.Exif(turned)))
		portaltest.NoError(t, err)
		made, err := jpeg.Decode(bytes.NewReader(companytest.ReadFile(s.Platform, "licence/"+u.ID)))
		portaltest.NoError(t, err)
		w, h := made.Bounds().Dx(), made.Bounds().Dy()
		if lies := turned >= 5 && turned <= 8; lies != (w == 120 && h == 200) {
			t.Errorf("%d: %d × %d", turned, w, h)
		}
		for i, at := range []image.Point{
			{w / 4, h / 4}, {w * 3 / 4, h / 4}, {w / 4, h * 3 / 4}, {w * 3 / 4, h * 3 / 4},
		} {
			if want := picturetest.Corners[seen[i]]; !IsNear(made.At(at.X, at.Y), want) {
				t.Errorf("%d, corner %d: %v, want %v", turned, i, made.At(at.X, at.Y), want)
			}
		}
	}
}

func TestLargePicturesAreReducedAndTransparentOnesGetAWhiteBackground(t *testing.T) {
	s := NewSender(t)
	for _, c := range []struct{ w, h, keptW, keptH int }{
		{2600, 1950, 2560, 1920}, {1000, 3001, 853, 2560}, {2560, 100, 2560, 100}, {8000, 1, 2560, 1},
	}[slowness-1:] {
		u, err := s.Send(picturetest.PNG(c.w, c.h))
		for range 3 { // a machine that is busy may be too slow
			if errors.Is(err, access.NotAvailable) {
				u, err = s.Send(picturetest.PNG(c.w, c.h))
			}
		}
		if err != nil || u.Width != c.keptW || u.Height != c.keptH {
			t.Errorf("%+v: %d × %d %v", c, u.Width, u.Height, err)
			continue
		}
		made, err := jpeg.Decode(bytes.NewReader(companytest.ReadFile(s.Platform, "licence/"+u.ID)))
		if err != nil || c.h > 100 && (!IsNear(
			made.At(c.keptW/4, c.keptH/4), picturetest.Corners[0],
		) || !IsNear(made.At(c.keptW-1, c.keptH-1), picturetest.Corners[3])) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	var clear bytes.Buffer
	portaltest.NoError(t, png.Encode(&clear, image.NewNRGBA(image.Rect(0, 0, 50, 50))))
	u, err := s.Send(clear.Bytes())
	portaltest.NoError(t, err)
	made, err := jpeg.Decode(bytes.NewReader(companytest.ReadFile(s.Platform, "licence/"+u.ID)))
	if err != nil || !IsNear(made.At(20, 20), color.RGBA{255, 255, 255, 255}) {
		t.Errorf("%v %v", made.At(20, 20), err)
	}
}

func TestFiftyConcurrentUploadsUseLittleMemory(t *testing.T) {
	s := NewSender(t)
	photo := picturetest.JPEG(1600/slowness, 1200/slowness)
	tokens := make([]string, 50)
	for i := range tokens {
		var err error
		tokens[i], err = s.Licences.LicenceToken(t.Context(), 1001, fmt.Sprintf("139%08d", i))
		portaltest.NoError(t, err)
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	watching, stop := context.WithCancel(t.Context())
	var all, watch sync.WaitGroup
	watch.Go(func() {
		for watching.Err() == nil {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most.Store(max(most.Load(), now.HeapInuse))
			time.Sleep(5 * time.Millisecond)
		}
	})
	for _, token := range tokens {
		all.Go(func() {
			_, err := s.Licences.UploadLicence(s.From(portaltest.HomeAddress), application.UploadInput{
				Token: token, Body: bytes.NewReader(photo),
			})
			if err != nil && !errors.Is(err, access.NotAvailable) { // a machine may be too slow for all of them
				t.Error(err)
			}
		})
	}
	all.Wait()
	stop()
	watch.Wait()
	if grown := int64(most.Load()) - int64(before.HeapInuse); grown > 160<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

func TestWaitingHeavyPicturesDoNotBlockOthers(t *testing.T) {
	s := NewSender(t)
	giveBack := s.Pictures.HoldHeavy()
	giveBack = sync.OnceFunc(giveBack)
	defer giveBack()
	heavy := picturetest.Heavy()
	var all sync.WaitGroup
	for i := range 2 {
		token, err := s.Licences.LicenceToken(t.Context(), 1001, fmt.Sprintf("138%08d", i))
		portaltest.NoError(t, err)
		all.Go(func() {
			_, err := s.Licences.UploadLicence(s.From(portaltest.HomeAddress), application.UploadInput{
				Token: token, Body: bytes.NewReader(heavy),
			})
			// a machine may be too slow for all of them
			if !errors.Is(err, access.UploadRejected) && !errors.Is(err, access.NotAvailable) {
				t.Error(err)
			}
		})
	}
	time.Sleep(200 * time.Millisecond) // by then they wait
	began := time.Now()
	_, err := s.Send(picturetest.JPEG(60, 40))
	portaltest.NoError(t, err)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a light one took %v", took)
	}
	giveBack()
	all.Wait()
	giveBack = s.Pictures.HoldHeavy() // all turns were given back
	giveBack()
	for _, by := range []core.Taker{someShop, otherShop} {
		release, err := s.Pictures.TakeTurn(t.Context(), by, picturetest.JPEG(60, 40))
		portaltest.NoError(t, err)
		defer release()
	}
}

func TestAPanickingOrSlowDecoderReleasesItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := barePictures(nil)
		free, err := p.DecodeInTime(t.Context(), func(context.Context) error { panic("index out of range") })
		if with := portaltest.Refused(t, err, access.UploadRejected); with.Reason != pictures.UploadBroken || !free() {
			t.Errorf("%s", with.Reason)
		}
		began := time.Now()
		free, err = p.DecodeInTime(t.Context(), func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		with, took := portaltest.Refused(t, err, access.NotAvailable), time.Since(began)
		if took != 5*time.Second || with.WaitSeconds() != 20 || !free() {
			t.Errorf("after %v, to be tried again in %v", took, with.Wait)
		}
		gone, stop := context.WithCancel(t.Context())
		stop()
		free, err = p.DecodeInTime(gone, func(ctx context.Context) error { <-ctx.Done(); return nil })
		if err != nil && !errors.Is(err, context.Canceled) || !free() {
			t.Errorf("%v", err)
		}
	})
}
