package portal

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"portico/store"
)

func TestASweepLeavesTheDatabaseToOthersForTwentyMillisecondsAfterEachFullStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, steps := time.Now(), 0
		err := inSteps(t.Context(), func(context.Context) (int64, error) {
			if steps++; steps <= 2 {
				return store.SweepStep, nil
			}
			return 0, nil
		})
		if took := time.Since(began); err != nil || steps != 3 || took != 40*time.Millisecond {
			t.Errorf("%d steps took %v, %v", steps, took, err)
		}
	})
}
