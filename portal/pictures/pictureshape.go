package pictures

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	scale "golang.org/x/image/draw"
)

// AsLicence is a picture as a licence is kept: upright, on white, at most LongestSide long, JPEG.
func AsLicence(ctx context.Context, from image.Image, as appearance) (Picture, error) {
	return whole(ctx, from, as, LongestSide)
}

// AsWelcome is a picture as it is kept for a company's own sign-in page: upright, on white, at most WelcomeSide long,
// JPEG.
func AsWelcome(ctx context.Context, from image.Image, as appearance) (Picture, error) {
	return whole(ctx, from, as, WelcomeSide)
}

// whole is a whole picture, upright, on white, at most a number of pixels long, JPEG.
func whole(ctx context.Context, from image.Image, as appearance, side int) (Picture, error) {
	b := from.Bounds()
	w, h := b.Dx(), b.Dy()
	if longest := max(w, h); longest > side {
		w, h = max(1, w*side/longest), max(1, h*side/longest)
	}
	made, err := shrunk(ctx, from, b, w, h, image.NewUniform(color.White))
	if err != nil {
		return Picture{}, err
	}
	made = as.apply(made)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, made, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return Picture{}, err
	}
	return Picture{"image/jpeg", out.Bytes(), made.Rect.Dx(), made.Rect.Dy()}, nil
}

// middleSquare is the largest square in the middle of a picture, and its side.
func middleSquare(from image.Image) (square image.Rectangle, side int) {
	b := from.Bounds()
	side = min(b.Dx(), b.Dy())
	corner := b.Min.Add(image.Pt((b.Dx()-side)/2, (b.Dy()-side)/2))
	return image.Rectangle{corner, corner.Add(image.Pt(side, side))}, side
}

// AsPortrait is a picture as a portrait is kept: the square in its middle, upright, on white, at most PortraitSide
// wide, JPEG.
func AsPortrait(ctx context.Context, from image.Image, as appearance) (Picture, error) {
	return asSquare(ctx, from, as, PortraitSide)
}

// AsProduct is a picture as one of a product is kept: as AsPortrait, at most ProductSide wide.
func AsProduct(ctx context.Context, from image.Image, as appearance) (Picture, error) {
	return asSquare(ctx, from, as, ProductSide)
}

// asSquare is the square in the middle of a picture, upright, on white, at most so many pixels wide, JPEG.
func asSquare(ctx context.Context, from image.Image, as appearance, most int) (Picture, error) {
	square, side := middleSquare(from)
	kept := min(side, most)
	made, err := shrunk(ctx, from, square, kept, kept, image.NewUniform(color.White))
	if err != nil {
		return Picture{}, err
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, as.apply(made), &jpeg.Options{Quality: jpegQuality}); err != nil {
		return Picture{}, err
	}
	return Picture{"image/jpeg", out.Bytes(), kept, kept}, nil
}

// AsIcon is a picture as a company's icon is kept: the square in its middle, upright, IconSide wide, PNG.
func AsIcon(ctx context.Context, from image.Image, as appearance) (Picture, error) {
	square, side := middleSquare(from)
	kept := min(side, IconSide)
	made, err := shrunk(ctx, from, square, kept, kept, image.Transparent)
	if err != nil {
		return Picture{}, err
	}
	if made = as.apply(made); kept < IconSide {
		larger := image.NewRGBA(image.Rect(0, 0, IconSide, IconSide))
		scale.CatmullRom.Scale(larger, larger.Rect, made, made.Rect, draw.Src, nil)
		made = larger
	}
	var out bytes.Buffer
	if err := png.Encode(&out, made); err != nil {
		return Picture{}, err
	}
	return Picture{"image/png", out.Bytes(), IconSide, IconSide}, nil
}

// stripRows is how many rows of a picture are drawn at a time: whatever its kind, no second copy of it is made.
const stripRows = 16

// shrunk draws a part of a picture into w × h pixels, at most as many as it has, each the mean of those it covers.
func shrunk(
	ctx context.Context, from image.Image, part image.Rectangle, w, h int, ground image.Image,
) (*image.RGBA, error) {
	made := image.NewRGBA(image.Rect(0, 0, w, h))
	strip := image.NewRGBA(image.Rect(0, 0, part.Dx(), min(stripRows, part.Dy())))
	columns, rows := shares(part.Dx(), w), shares(part.Dy(), h)
	line := make([]float32, 4*w+4)
	sum := make([]float32, 4*w)
	next := make([]float32, 4*w)
	each := float32(w) / float32(part.Dx()) * float32(h) / float32(part.Dy())
	for y, row := range rows {
		if y%stripRows == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			draw.Draw(strip, strip.Rect, ground, image.Point{}, draw.Src)
			draw.Draw(strip, strip.Rect, from, part.Min.Add(image.Pt(0, y)), draw.Over)
		}
		clear(line)
		pixels := strip.Pix[y%stripRows*strip.Stride:]
		for x, column := range columns {
			to, pixel := line[4*column.at:4*column.at+8], pixels[4*x:4*x+4]
			for i := range 4 {
				to[i] += float32(pixel[i]) * column.here
				to[4+i] += float32(pixel[i]) * column.after
			}
		}
		for i := range sum {
			sum[i] += line[i] * row.here
			next[i] += line[i] * row.after
		}
		if y+1 < len(rows) && rows[y+1].at == row.at {
			continue
		}
		to := made.Pix[row.at*made.Stride:]
		for i := range sum {
			to[i] = uint8(min(255, sum[i]*each+0.5))
		}
		sum, next = next, sum
		clear(next)
	}
	return made, nil
}

// share is how much of a pixel of a larger line goes into pixel at of a smaller one, and into the one after.
type share struct {
	at          int
	here, after float32
}

func shares(from, to int) []share {
	all := make([]share, from)
	for i := range all {
		begin, end := i*to, (i+1)*to
		at := begin / from
		all[i] = share{at: at, here: 1}
		if border := (at + 1) * from; end > border {
			all[i].after = float32(end-border) / float32(to)
			all[i].here = 1 - all[i].after
		}
	}
	return all
}

// upright turns and mirrors a picture by the orientation of the camera.
func upright(from *image.RGBA, turned orientation) *image.RGBA {
	if turned < 2 || turned > 8 {
		return from
	}
	w, h := from.Rect.Dx(), from.Rect.Dy()
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if turned >= 5 {
		to = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch turned {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			copy(to.Pix[to.PixOffset(tx, ty):][:4], from.Pix[from.PixOffset(x, y):][:4])
		}
	}
	return to
}
