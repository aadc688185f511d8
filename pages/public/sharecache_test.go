package public

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"portico/e2e/testscope"
	"portico/locale"
	"portico/portal/access"
)

func TestAtMost256SharePicturesAreCached(t *testing.T) {
	s := NewShares()
	for i := range 256 {
		s.put(fmt.Sprint(i), []byte("picture"))
	}
	if len(s.made) != 256 {
		t.Errorf("%d are cached", len(s.made))
	}
	if s.put("one more", []byte("picture")); len(s.made) != 1 { // a full cache is emptied
		t.Errorf("%d are cached after one more", len(s.made))
	}
}

func TestSharePictureWaitsTenSecondsForAnotherOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Pages{Shares: NewShares()}
		p.Shares.turn <- struct{}{} // another picture is being drawn
		began := time.Now()
		_, err := p.sharePicture(t.Context(), nil, locale.Langs[0])
		if waited := time.Since(began); !errors.Is(err, access.NotAvailable) || waited != 10*time.Second {
			t.Errorf("%v after %v", err, waited)
		}
	})
}

func TestSharePicturesAreKeptAndFoundAtTheSameTime(t *testing.T) {
	s := NewShares()
	testscope.Together(8, 2000, func(goroutine, i int) {
		name := fmt.Sprint(goroutine, i%10)
		s.put(name, []byte(name))
		if made := s.get(name); string(made) != name {
			t.Errorf("%q is the picture of %s", made, name)
		}
	})
}
