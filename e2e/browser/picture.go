package browser

import (
	"os"

	"github.com/go-rod/rod/lib/proto"
)

// TakePicture writes a picture as WebP: of the whole page if full is true, otherwise a small one of the window.
func (b *Tab) TakePicture(path string, full bool) {
	b.T.Helper()
	quality := 30
	how := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatWebp, Quality: &quality}
	if !full {
		scale := 1.0
		if !b.Screen.Mobile {
			scale = 0.625
		}
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
