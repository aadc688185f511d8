package pictures

import (
	"bytes"
	"context"
	"image"
	"runtime"
	"time"

	"portico/portal/core"
)

// LookAtPicture checks a file as it is checked before decoding, and returns the error.
func LookAtPicture(data []byte) error {
	_, err := look(data)
	return err
}

// DecodeInTime runs decode with the time limit of pictures and with panics caught. free waits at most a minute and says
// whether the turn was released.
func (p *Pictures) DecodeInTime(ctx context.Context, decode func(context.Context) error) (free func() bool, err error) {
	given := make(chan struct{})
	_, err = p.inTime(
		ctx, func() { close(given) }, func(ctx context.Context) (Picture, error) { return Picture{}, decode(ctx) },
	)
	return func() bool {
		select {
		case <-given:
			return true
		case <-time.After(time.Minute):
			return false
		}
	}, err
}

// HoldHeavy takes the turn of heavy pictures until giveBack is called. It panics when that is taken for too long.
func (p *Pictures) HoldHeavy() (giveBack func()) {
	done, err := p.heavy.Take(context.Background(), core.Taker{Name: "holder"})
	if err != nil {
		panic(err)
	}
	return done
}

// TakeTurn waits for a turn and reads a file, as Clean does before it decodes the file. release gives the turn back.
func (p *Pictures) TakeTurn(ctx context.Context, by core.Taker, data []byte) (release func(), err error) {
	file, err := p.inTurn(ctx, by, bytes.NewReader(data))
	return file.turn, err
}

// LightOf returns the light of each value of red in a profile; nil when it is not used.
func LightOf(profile []byte) []float32 {
	c := readProfile(profile)
	if c == nil {
		return nil
	}
	return c.linear[0][:]
}

// ConvertBy converts the colours of a picture by a profile.
func ConvertBy(profile []byte, m *image.RGBA) { readProfile(profile).convert(m) }

// DecodePlanes decodes a JPEG component by component.
func DecodePlanes(data []byte) (image.Image, error) { return decodePlanes(bytes.NewReader(data)) }

// Allocated returns how many bytes this process has taken so far, freed ones included.
func Allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// DecodePlanesUntil decodes a JPEG component by component. over is asked whether its time is over.
func DecodePlanesUntil(over func() bool, data []byte) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := decodePlanes(&askingReader{patientReader{ctx.Err, data}, over, cancel})
	return err
}

// askingReader ends the time of a file.
type askingReader struct {
	patientReader
	over   func() bool
	cancel func()
}

func (r *askingReader) Read(b []byte) (int, error) {
	if r.over() {
		r.cancel()
	}
	return r.patientReader.Read(b)
}

// MemoryOf returns how much memory decoding a file takes, about.
func MemoryOf(data []byte) int64 {
	about, _ := look(data)
	return about.memory
}
