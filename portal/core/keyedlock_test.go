package core

import (
	"testing"

	"portico/e2e/testscope"
)

func TestANameIsHeldByOneAtATimeAndForgottenAfterTheLast(t *testing.T) {
	t.Parallel()
	var lock keyedLock
	names := []string{"first", "second", "third"}
	counts := make([]int, len(names)) // each is guarded by the lock of its name
	testscope.Together(8, 600, func(goroutine, i int) {
		n := (goroutine + i) % len(names)
		release := lock.Hold(names[n])
		counts[n]++
		release()
	})
	for n, count := range counts {
		if count != 1600 {
			t.Errorf("%s was held %d times", names[n], count)
		}
	}
	if len(lock.held) != 0 {
		t.Errorf("%d names are left", len(lock.held))
	}
}
