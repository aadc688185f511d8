package browser

import (
	"os"

	"github.com/go-rod/rod/lib/proto"
)

// TakePicture writes a picture as WebP: of the whole page if full is true, otherwise a small one of the window.
func (b *Tab) TakePicture(path string, full bool) {
	b.T.Helper()
	scale := 1.0
	if !b.Screen.Mobile {
		scale = 0.625
	}
	b.writePicture(path, full, scale, 30)
}

// TakeSharpPicture writes a picture of the window as WebP, in a scale, with a quality up to 100.
func TakeSharpPicture(b *Tab, path string, scale float64, quality int) {
	b.T.Helper()
	b.writePicture(path, false, scale, quality)
}

// waitForPictures waits for the pictures that are shown, because another colour scheme can mean another picture. It
// waits for two seconds at most.
func (b *Tab) waitForPictures() {
	Eval[bool](b, `async () => {
		const moment = () => new Promise((done) => setTimeout(done, 100));
		await moment();
		const shown = [...document.images].filter((one) => one.getClientRects().length > 0);
		for (const end = Date.now() + 2000; Date.now() < end && !shown.every((one) => one.complete); ) await moment();
		return true;
	}`)
}

func (b *Tab) writePicture(path string, full bool, scale float64, quality int) {
	b.T.Helper()
	b.waitForPictures()
	how := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatWebp, Quality: &quality}
	if !full {
		how.Clip = &proto.PageViewport{
			Y:      Eval[float64](b, `() => scrollY`),
			Width:  float64(b.Screen.Width),
			Height: float64(b.Screen.height),
			Scale:  scale,
		}
	}
	picture, err := b.Screenshot(full, &how)
	b.Must(err)
	b.Must(os.WriteFile(path, picture, 0o644))
}
