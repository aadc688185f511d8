package pictures_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"testing"

	"portico/portal/access"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
)

func TestAProgressiveJPEGTakenApartIsTheSamePicture(t *testing.T) {
	for _, c := range []struct{ w, h, interval int }{
		{64, 48, 0}, {61, 43, 0}, {1, 1, 0}, {200, 120, 7}, {200, 120, 25},
	} {
		data := picturetest.Progressive(c.w, c.h, c.interval)
		want, err := jpeg.Decode(bytes.NewReader(data))
		portaltest.NoError(t, err)
		got, err := pictures.DecodePlanes(data)
		portaltest.NoError(t, err)
		one, other := want.(*image.YCbCr), got.(*image.YCbCr)
		if one.Rect != other.Rect || one.SubsampleRatio != other.SubsampleRatio {
			t.Fatalf("%+v: %v %v, want %v %v", c, other.Rect, other.SubsampleRatio, one.Rect, one.SubsampleRatio)
		}
		for y := range c.h {
			for x := range c.w {
				if one.YCbCrAt(x, y) != other.YCbCrAt(x, y) {
					t.Fatalf("%+v: %d, %d is %v, want %v", c, x, y, other.YCbCrAt(x, y), one.YCbCrAt(x, y))
				}
			}
		}
		for cut := 1; cut < len(data); cut += 1 + len(data)/200 { // nothing may panic
			_, _ = pictures.DecodePlanes(data[:len(data)-cut])
		}
	}
}

func TestALargeProgressiveJPEGWithAllItsColoursIsAccepted(t *testing.T) {
	data := picturetest.Progressive(5472, 3648, 0)
	portaltest.NoError(t, pictures.LookAtPicture(data))
	if memory := pictures.MemoryOf(data); memory > 200<<20 {
		t.Errorf("%d MB", memory>>20)
	}
	// Where red, green and blue stand in place of brightness and colour, it is not taken apart.
	rgb := picturetest.WithSegment(data, 0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00"))
	with := portaltest.Refused(t, pictures.LookAtPicture(rgb), access.UploadRejected)
	if with.Reason != pictures.UploadHeavy {
		t.Errorf("%s", with.Reason)
	}
}

func TestDecodingAComponentEndsWithTheTimeOfItsFile(t *testing.T) {
	data, asked := picturetest.Progressive(800, 600, 0), 0
	portaltest.NoError(t, pictures.DecodePlanesUntil(func() bool { asked++; return false }, data))
	if parts := 2 * len(data) / 512; asked < parts { // the components together are about as long as the file
		t.Errorf("the time is looked at %d times, want %d", asked, parts)
	}
	for _, share := range []int{3, 5, 7, 9} {
		last := asked * share / 10
		n := 0
		err := pictures.DecodePlanesUntil(func() bool { n++; return n >= last }, data)
		if !errors.Is(err, context.Canceled) || n > last+1 {
			t.Errorf("ended at look %d: %v after %d", last, err, n)
		}
	}
}
