package pictures

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/image/webp"

	"portico/portal/access"
	"portico/portal/core"
	"portico/server/tracing"
)

// Limits of the pictures that people send.
const (
	// MaxSide is the longest side of a picture that is decoded, in pixels.
	MaxSide = 8192
	// MaxPixels is the largest picture that is decoded, in pixels.
	MaxPixels = 25_000_000
	// LongestSide is the longer side of a stored licence, in pixels.
	LongestSide = 2560
	// WelcomeSide is the longer side of the stored picture of a company's own sign-in page, in pixels.
	WelcomeSide = 1280
	// IconSide is the side of a stored icon, which is square, in pixels.
	IconSide = 192
	// PortraitSide is the longest side of a stored portrait, which is square, in pixels.
	PortraitSide = 320
	// ProductSide is the longest side of a stored picture of a product, which is square, in pixels.
	ProductSide = 480
	// Decodes is how many pictures are decoded at once.
	Decodes = 2
	// DecodeTime is the longest time to decode one picture.
	DecodeTime = 5 * time.Second
	// DecodeWait is the longest time that a picture waits to be decoded.
	DecodeWait = 20 * time.Second

	decodeMemory = 200 << 20 // bytes that decoding one picture may take
	decodeHeavy  = 64 << 20  // bytes from which on pictures are decoded one at a time
	maxScans     = 100       // scans of a JPEG: ordinary ones have 10
	readAtOnce   = 512       // bytes between two checks of the time
	jpegQuality  = 85
	maxKept      = 16 << 20 // bytes of a stored file
)

const (
	// UploadNotPicture is a file that is neither JPEG, PNG nor WebP.
	UploadNotPicture access.UploadProblem = "not_picture"
	// UploadBroken is a picture that is damaged or incomplete, or has too many scans.
	UploadBroken access.UploadProblem = "broken"
	// UploadTooLarge is a file over MaxUpload.
	UploadTooLarge access.UploadProblem = "too_large"
	// UploadTooWide is a picture over MaxPixels or MaxSide.
	UploadTooWide access.UploadProblem = "too_wide"
	// UploadHeavy is a picture of an allowed size that takes too much memory to decode: a progressive JPEG that keeps
	// its colours in full, or an interlaced PNG of 16 bits.
	UploadHeavy access.UploadProblem = "heavy"
	// UploadHEIC is a picture in the format HEIC, as iPhones take them, or AVIF.
	UploadHEIC access.UploadProblem = "heic"
	// UploadAnimated is a picture with several frames.
	UploadAnimated access.UploadProblem = "animated"
	// UploadDuplicate is a picture that the same owner has sent before.
	UploadDuplicate access.UploadProblem = "duplicate"
	// UploadEmpty is an empty file.
	UploadEmpty access.UploadProblem = "empty"
)

// UploadRejected returns the refusal of a file for a reason.
func UploadRejected(reason access.UploadProblem) error {
	return &access.Refused{Refusal: access.UploadRejected, Reason: reason}
}

// Picture is a picture as it is stored. The platform has encoded it, so that no bytes of the received file are in it.
type Picture struct {
	Kind          string // a media type
	Data          []byte
	Width, Height int
}

// Shape makes of a picture what is kept; ctx ends when the time is over.
type Shape func(ctx context.Context, from image.Image, as appearance) (Picture, error)

// Two pictures are decoded at a time: at most one for each company, and at most one for all companies without a
// contract and all strangers together. Of those that take much memory, one is decoded at a time.
var (
	turnsRule = core.Rule{All: Decodes, Each: 1, Kept: 1, Wait: DecodeWait}
	heavyRule = core.Rule{All: 1, Each: 1, Wait: DecodeWait}
)

// Stranger returns the taker of a turn for a person who sends a picture to a company without belonging to it. The
// strangers of a company share one turn, which is not the company's own; 0 is the platform.
func Stranger(companyID int64) core.Taker {
	return core.Taker{Name: "strangers of " + access.Decimal(companyID), Free: true}
}

// Clean decodes a picture and encodes it again without metadata. It also returns the hash of the received bytes. body
// must be local (a file, not a connection). It refuses a bad picture with UploadRejected and a reason. It refuses with
// NotAvailable when by gets no turn within DecodeWait, of which it has one at a time, or when decoding takes longer
// than DecodeTime.
func (p *Pictures) Clean(
	ctx context.Context, by core.Taker, body io.ReadSeeker, into Shape,
) (made Picture, content string, err error) {
	ctx, span := tracing.Start(ctx, "clean a picture")
	made, content, err = p.clean(ctx, by, body, into)
	result := uploadResult(err)
	if p.core.Counted.Upload != nil {
		p.core.Counted.Upload(result)
	}
	if err == nil {
		result = ""
	}
	span.End(result)
	return made, content, err
}

// uploadResult returns the label of the metrics for how cleaning a picture ended.
func uploadResult(err error) string {
	refused, isRefused := errors.AsType[*access.Refused](err)
	switch {
	case err == nil:
		return "ok"
	case isRefused && refused.Refusal == access.UploadRejected:
		return string(refused.Reason)
	case isRefused:
		return "busy"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "error"
}

func (p *Pictures) clean(
	ctx context.Context, by core.Taker, body io.ReadSeeker, into Shape,
) (made Picture, content string, err error) {
	file, err := p.inTurn(ctx, by, body)
	if err != nil {
		return made, "", err
	}
	made, err = p.inTime(ctx, file.turn, func(ctx context.Context) (Picture, error) {
		decoded, err := file.decode(&patientReader{ctx.Err, file.data})
		if err != nil {
			return Picture{}, fmt.Errorf("%w: %w", errBroken, err)
		}
		return into(ctx, decoded, file.appearance)
	})
	if err != nil {
		return made, "", err
	}
	sum := sha256.Sum256(file.data)
	return made, hex.EncodeToString(sum[:]), nil
}

// inHand is a file that was read in its turn, and can be decoded; turn gives that back.
type inHand struct {
	format
	data []byte
	turn func()
}

// inTurn waits for a turn, at most DecodeWait, and reads the file. A heavy file first waits for the turn of heavy
// files. While it waits, it holds no ordinary turn and keeps nothing in memory.
func (p *Pictures) inTurn(ctx context.Context, by core.Taker, body io.ReadSeeker) (file inHand, err error) {
	waiting, enough := context.WithTimeout(ctx, DecodeWait)
	defer enough()
	defer func() {
		if err != nil && waiting.Err() != nil && ctx.Err() == nil {
			err = &access.Refused{Refusal: access.NotAvailable, Wait: DecodeWait}
		}
	}()
	file, err = p.take(waiting, by, body)
	if err != nil || file.memory <= decodeHeavy {
		return file, err
	}
	file.turn()
	heavy, err := p.heavy.Take(waiting, by)
	if err != nil {
		return inHand{}, err
	}
	file, err = p.take(waiting, by, body)
	if err != nil {
		heavy()
		return inHand{}, err
	}
	light := file.turn
	file.turn = func() { heavy(); light() }
	return file, nil
}

// take reads a file from its beginning in a turn of its own, and looks at it.
func (p *Pictures) take(ctx context.Context, by core.Taker, body io.ReadSeeker) (file inHand, err error) {
	if file.turn, err = p.turns.Take(ctx, by); err != nil {
		return file, err
	}
	_, err = body.Seek(0, io.SeekStart)
	if err == nil {
		file.data, err = io.ReadAll(io.LimitReader(body, access.MaxUpload+1))
	}
	switch {
	case err != nil:
	case len(file.data) > access.MaxUpload:
		err = UploadRejected(UploadTooLarge)
	default:
		file.format, err = look(file.data)
	}
	if err != nil {
		file.turn()
		return inHand{}, err
	}
	return file, nil
}

var errBroken = errors.New("portal: a broken picture")

// inTime decodes with the time limit, and gives the turn back when decoding has really ended. A panic is a broken
// picture.
func (p *Pictures) inTime(
	ctx context.Context, turn func(), decode func(context.Context) (Picture, error),
) (Picture, error) {
	ctx, cancel := context.WithTimeout(ctx, DecodeTime)
	type result struct {
		Picture
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer cancel()
		defer turn()
		defer func() {
			if trouble := recover(); trouble != nil {
				p.core.Log.LogAttrs(
					context.WithoutCancel(ctx), slog.LevelWarn, "picture decoder panicked",
					slog.String("error", fmt.Sprint(trouble)),
				)
				done <- result{err: errBroken}
			}
		}()
		made, err := decode(ctx)
		done <- result{made, err}
	}()
	var got result
	select {
	case got = <-done:
	case <-ctx.Done():
		select {
		case got = <-done: // ended in that moment
		default:
			got.err = ctx.Err()
		}
	}
	switch { // a good picture may be slow on a machine that has much to do
	case errors.Is(got.err, context.DeadlineExceeded):
		got.err = &access.Refused{Refusal: access.NotAvailable, Wait: DecodeWait}
	case errors.Is(got.err, errBroken):
		got.err = UploadRejected(UploadBroken)
	}
	return got.Picture, got.err
}

// patientReader gives little at a time and nothing when the time is over: what a decoder does between two reads is
// then short.
type patientReader struct {
	over func() error // nil as long as there is time
	left []byte
}

// Read reads at most readAtOnce bytes. It returns the error of over when the time is over.
func (r *patientReader) Read(b []byte) (int, error) {
	if err := r.over(); err != nil {
		return 0, err
	}
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), readAtOnce)], r.left)
	r.left = r.left[n:]
	return n, nil
}

// format is what the beginning of a file says, before anything is decoded.
type format struct {
	appearance
	decode func(io.Reader) (image.Image, error)
	memory int64 // bytes that decoding takes, about
}

// look decides by the content alone what a file is, and refuses what is no picture we take, too large or animated. A
// panic is a broken picture.
func look(data []byte) (about format, err error) {
	defer func() {
		if recover() != nil {
			err = UploadRejected(UploadBroken)
		}
	}()
	var config image.Config
	var inside insides
	switch {
	case len(data) == 0:
		return about, UploadRejected(UploadEmpty)
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		about.decode = jpeg.Decode
		if config, err = jpeg.DecodeConfig(bytes.NewReader(data)); err == nil {
			if inside = insideJPEG(data); inside.endless {
				about.decode = func(r io.Reader) (image.Image, error) {
					return jpeg.Decode(io.MultiReader(r, strings.NewReader("\xff\xd9")))
				}
			}
		}
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		about.decode = png.Decode
		if config, err = png.DecodeConfig(bytes.NewReader(data)); err == nil {
			inside = insidePNG(data)
		}
	case len(data) > 12 && bytes.HasPrefix(data, []byte("RIFF")) && bytes.HasPrefix(data[8:], []byte("WEBP")):
		about.decode = webp.Decode
		if inside = insideWebP(data); !inside.animated {
			config, err = webp.DecodeConfig(bytes.NewReader(data))
		}
	case isHEIC(data):
		return about, UploadRejected(UploadHEIC)
	default:
		return about, UploadRejected(UploadNotPicture)
	}
	pixels := int64(config.Width) * int64(config.Height)
	about.appearance, about.memory = inside.appearance, int64(float64(pixels)*inside.perPixel)
	if about.memory > decodeMemory && inside.planar {
		about.decode, about.memory = decodePlanes, planeMemory*pixels
	}
	switch {
	case inside.animated:
		return about, UploadRejected(UploadAnimated)
	case err != nil:
		return about, UploadRejected(UploadBroken)
	case config.Width > MaxSide || config.Height > MaxSide || pixels > MaxPixels:
		return about, UploadRejected(UploadTooWide)
	case about.memory > decodeMemory:
		return about, UploadRejected(UploadHeavy)
	case inside.broken || pixels < 1:
		return about, UploadRejected(UploadBroken)
	}
	return about, nil
}

// isHEIC reports whether a file says at its beginning that it is a picture in HEIC or AVIF.
func isHEIC(data []byte) bool {
	const brands = "heic heix heim heis hevc hevx mif1 msf1 avif avis"
	return len(data) >= 12 && string(data[4:8]) == "ftyp" && slices.Contains(strings.Fields(brands), string(data[8:12]))
}
