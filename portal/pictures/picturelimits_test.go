package pictures_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/gateway"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store/storetest"
)

// Companies that send pictures.
var someShop, otherShop = core.Taker{Name: "1001"}, core.Taker{Name: "1002"}

// barePictures returns Pictures without a database.
func barePictures(files pictures.Files) *pictures.Pictures {
	return pictures.New(&core.Core{Platform: access.Platform{Log: slog.New(slog.DiscardHandler)}}, files)
}

// deepPNG is the beginning of a PNG with 16 bits a channel. To decode it takes 8 bytes a pixel, 12 when interlaced.
func deepPNG(width, height uint32, interlaced byte) []byte {
	data := picturetest.Heavy()
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	data[28] = interlaced
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

// scans is a JPEG whose picture is gone over n times.
func scans(n int) []byte {
	photo := picturetest.JPEG(16, 16)
	again := strings.Repeat("\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00", n-1)
	return append(photo[:len(photo)-2], again+"\xff\xd9"...)
}

func TestTheLargestPicturesAreAccepted(t *testing.T) {
	for _, c := range []struct {
		what   string
		data   []byte
		reason access.UploadProblem // "": accepted
	}{
		{"8192 pixels wide", picturetest.PNG(8192, 1), ""},
		{"8193 pixels wide", picturetest.PNG(8193, 1), pictures.UploadTooWide},
		{"8192 pixels high", picturetest.PNG(1, 8192), ""},
		{"8193 pixels high", picturetest.PNG(1, 8193), pictures.UploadTooWide},
		{"25 000 000 pixels", picturetest.WebP(5000, 5000), ""},
		{"25 000 001 pixels", picturetest.WebP(4901, 5101), pictures.UploadTooWide},
		{"200 MiB less 8 bytes of memory", deepPNG(3414, 5119, 1), ""},
		{"200 MiB and 28 bytes of memory", deepPNG(2857, 6117, 1), pictures.UploadHeavy},
		{"100 scans", scans(100), ""},
		{"101 scans", scans(101), pictures.UploadBroken},
	} {
		var got access.UploadProblem
		if err := pictures.LookAtPicture(c.data); err != nil {
			got = portaltest.Refused(t, err, access.UploadRejected).Reason
		}
		if got != c.reason {
			t.Errorf("%s: %q, want %q", c.what, got, c.reason)
		}
	}
}

// Each frame has its own size. The picture must not be decoded with a size that was not checked.
func TestAFileWithTwoSizesIsRefused(t *testing.T) {
	jfif := []byte("JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x00\x00")
	progressive := picturetest.WithSegment(picturetest.Progressive(64, 64, 0), 0xe0, jfif)
	at := bytes.Index(progressive, []byte{0xff, 0xc2})
	frame := progressive[at : at+19]
	put := func(at int, kind byte) []byte {
		other := bytes.Clone(frame)
		other[1] = kind
		return bytes.Join([][]byte{progressive[:at], other, progressive[at:]}, nil)
	}
	files := map[string][]byte{"one small, one huge": picturetest.TwoFrames()}
	for kind := byte(0xc0); kind <= 0xcf; kind++ {
		if kind == 0xc4 { // tables
			continue
		}
		files[fmt.Sprintf("%x before", kind)] = put(at, kind)
		files[fmt.Sprintf("%x after", kind)] = put(at+19, kind)
	}
	for what, data := range files {
		began := pictures.Allocated()
		_, _, err := barePictures(nil).Clean(t.Context(), someShop, bytes.NewReader(data), pictures.AsLicence)
		if with := portaltest.Refused(t, err, access.UploadRejected); with.Reason != pictures.UploadBroken {
			t.Errorf("%s: %s", what, with.Reason)
		}
		if grown := pictures.Allocated() - began; grown > 20<<20 {
			t.Errorf("%s: %d MB", what, grown>>20)
		}
	}
}

func TestTwoPicturesAreDecodedAtOnceAndOthersWaitTwentySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, photo := barePictures(nil), picturetest.JPEG(60, 40)
		first, err := p.TakeTurn(t.Context(), someShop, photo)
		portaltest.NoError(t, err)
		second, err := p.TakeTurn(t.Context(), otherShop, photo)
		portaltest.NoError(t, err)
		third := core.Taker{Name: "1003"}
		began := time.Now()
		_, err = p.TakeTurn(t.Context(), third, photo)
		with, took := portaltest.Refused(t, err, access.NotAvailable), time.Since(began)
		if took != 20*time.Second || with.WaitSeconds() != 20 {
			t.Errorf("the third is refused after %v, to be tried again in %v", took, with.Wait)
		}
		first()
		release, err := p.TakeTurn(t.Context(), third, photo)
		portaltest.NoError(t, err)
		second()
		release()
	})
}

// Neither a company that sends one picture after the other, nor all companies on trial, nor strangers who apply to a
// company can keep others from sending a picture.
func TestNobodyTakesTheTurnsOfOthersForPictures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, photo := barePictures(nil), picturetest.JPEG(60, 40)
		onTrial := core.Taker{Name: "1003", Free: true}
		for _, c := range []struct{ has, waits, passes core.Taker }{
			{someShop, someShop, otherShop},
			{onTrial, core.Taker{Name: "1004", Free: true}, someShop},
			{pictures.Stranger(1001), onTrial, someShop}, // someShop is the company 1001
			{pictures.Stranger(1001), pictures.Stranger(1002), otherShop},
		} {
			release, err := p.TakeTurn(t.Context(), c.has, photo)
			portaltest.NoError(t, err)
			_, err = p.TakeTurn(t.Context(), c.waits, photo)
			portaltest.Refused(t, err, access.NotAvailable)
			began := time.Now()
			other, err := p.TakeTurn(t.Context(), c.passes, photo)
			portaltest.NoError(t, err)
			if took := time.Since(began); took > 0 {
				t.Errorf("%+v waited %v for %+v", c.passes, took, c.has)
			}
			other()
			release()
		}
	})
}

func TestPicturesOver64MiBOfMemoryAreDecodedOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := barePictures(nil)
		giveBack := p.HoldHeavy()
		release, err := p.TakeTurn(t.Context(), someShop, deepPNG(4096, 2048, 0)) // 64 MiB
		portaltest.NoError(t, err)
		release()
		heavy := deepPNG(1985, 4226, 0) // 16 bytes more
		_, err = p.TakeTurn(t.Context(), someShop, heavy)
		portaltest.Refused(t, err, access.NotAvailable)
		giveBack()
		release, err = p.TakeTurn(t.Context(), someShop, heavy)
		portaltest.NoError(t, err)
		release()
	})
}

func TestTheOrientationIsReadFromTheFirstThousandTags(t *testing.T) {
	for before, turned := range map[int]bool{999: true, 1000: false} {
		exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08")
		exif = binary.BigEndian.AppendUint16(exif, uint16(before+1))
		exif = append(exif, strings.Repeat("\xc0\x00\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00", before)...)
		exif = append(exif, "\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00"...) // turned by a quarter
		photo := picturetest.WithSegment(picturetest.JPEG(60, 40), 0xe1, append(exif, 0, 0, 0, 0))
		made, _, err := barePictures(nil).Clean(t.Context(), someShop, bytes.NewReader(photo), pictures.AsLicence)
		if err != nil || (made.Width == 40) != turned {
			t.Errorf("after %d other tags: %d × %d, %v", before, made.Width, made.Height, err)
		}
	}
}

func TestAPortraitIsAtMost320PixelsWide(t *testing.T) {
	for side, want := range map[int]int{319: 319, 320: 320, 321: 320} {
		photo := bytes.NewReader(picturetest.JPEG(side, side+10))
		made, _, err := barePictures(nil).Clean(t.Context(), someShop, photo, pictures.AsPortrait)
		if err != nil || made.Width != want || made.Height != want {
			t.Errorf("of %d pixels: %d × %d, %v", side, made.Width, made.Height, err)
		}
	}
}

func TestAStoredPictureOf16MiBIsRead(t *testing.T) {
	dir := t.TempDir()
	files, err := gateway.NewDir(dir)
	portaltest.NoError(t, err)
	p := barePictures(files)
	portaltest.NoError(t, files.Put(t.Context(), "icon/a.png", "image/png", nil))
	portaltest.NoError(t, os.Truncate(filepath.Join(dir, "icon/a.png"), 16<<20)) // bytes that take no space
	read, err := p.Picture(t.Context(), "icon/a.png", "image/png")
	if err != nil || len(read.Data) != 16<<20 {
		t.Errorf("%d bytes, %v", len(read.Data), err)
	}
	portaltest.NoError(t, os.Truncate(filepath.Join(dir, "icon/a.png"), 16<<20+1))
	_, err = p.Picture(t.Context(), "icon/a.png", "image/png")
	portaltest.Refused(t, err, access.NotAvailable)
}

func TestANetworkSendsAtMostTwentyFilesADay(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	send := func() error {
		_, err := p.Branding.StoreIcon(p.From(portaltest.HomeAddress), p.Office("sur"), strings.NewReader("no picture"))
		return err
	}
	for range 20 {
		portaltest.Refused(t, send(), access.UploadRejected)
	}
	portaltest.Refused(t, send(), access.TooManyAttempts)
	p.Clock.Advance(24*time.Hour - time.Second)
	portaltest.Refused(t, send(), access.TooManyAttempts)
	p.Clock.Advance(time.Second)
	portaltest.Refused(t, send(), access.UploadRejected)
}

func TestAPictureThatNothingRefersToIsKeptForADay(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	address, err := p.Branding.StoreIcon(
		p.From(portaltest.HomeAddress), p.Office("sur"), bytes.NewReader(picturetest.PNG(60, 60)),
	)
	portaltest.NoError(t, err)
	file := strings.TrimPrefix(address, "/")
	p.Clock.Advance(24 * time.Hour)
	portaltest.NoError(t, p.Sweep(t.Context()))
	companytest.ReadFile(p, file)
	p.Clock.Advance(time.Millisecond)
	portaltest.NoError(t, p.Sweep(t.Context()))
	companytest.WantNoFile(p, file)
}

func TestAJPEGWithoutTheMarkAtItsEndIsTakenAndACutOneIsNot(t *testing.T) {
	photo := picturetest.JPEG(200, 120)
	for cut := range 100 {
		file := bytes.NewReader(photo[:len(photo)-cut])
		_, _, err := barePictures(nil).Clean(t.Context(), someShop, file, pictures.AsLicence)
		if cut <= 2 {
			portaltest.NoError(t, err)
		} else if with := portaltest.Refused(t, err, access.UploadRejected); with.Reason != pictures.UploadBroken {
			t.Errorf("without the last %d bytes: %s", cut, with.Reason)
		}
	}
	// A scan that leaves out the last bit of each coefficient: the one that has them may be what was cut off.
	coarse := bytes.Replace(photo, []byte("\x00\x3f\x00"), []byte("\x00\x3f\x01"), 1)
	err := pictures.LookAtPicture(coarse[:len(coarse)-2])
	if with := portaltest.Refused(t, err, access.UploadRejected); with.Reason != pictures.UploadBroken {
		t.Errorf("a coarse one: %s", with.Reason)
	}
}
