package pictures

import (
	"context"
	"time"
)

// LookAtPicture is what is done with a file before it is decoded.
func LookAtPicture(data []byte) error {
	_, err := look(data)
	return err
}

// DecodeInTime decodes as a picture is: with its time, and with panics caught. free says that the turn was given back.
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

// HoldHeavy takes the turn of heavy pictures until it is given back.
func (p *Pictures) HoldHeavy() (giveBack func()) {
	p.decoding.heavy <- struct{}{}
	return func() { <-p.decoding.heavy }
}

// Decoding is how many pictures have a turn.
func (p *Pictures) Decoding() int { return len(p.decoding.turns) }
