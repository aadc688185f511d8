package web

import (
	"fmt"
	"strings"
	"testing"

	"portico/e2e/testscope"
)

func TestAtMost1024UserAgentsOf512BytesAreCached(t *testing.T) {
	a := new(Agents)
	for length, cached := range map[int]int{513: 0, 512: 1} {
		b := new(Agents)
		if b.Of(strings.Repeat("x", length)); len(b.known) != cached {
			t.Errorf("of %d bytes %d are cached", length, len(b.known))
		}
	}
	for i := range 1024 {
		a.Of(fmt.Sprint("agent ", i))
	}
	if len(a.known) != 1024 {
		t.Errorf("%d are cached", len(a.known))
	}
	if a.Of("one more"); len(a.known) != 1 { // a full cache is emptied
		t.Errorf("%d are cached after one more", len(a.known))
	}
}

func TestUserAgentsAreReadAtTheSameTime(t *testing.T) {
	a := new(Agents)
	testscope.Together(8, 2000, func(goroutine, i int) {
		a.Of(fmt.Sprint("agent ", goroutine, i%200))
	})
	if n := len(a.known); n == 0 || n > 1024 {
		t.Errorf("%d are cached", n)
	}
}
