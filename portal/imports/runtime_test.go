package imports

import (
	"context"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/shop"
)

func TestAnImportEndsAfterTwentySeconds(t *testing.T) {
	began := time.Now()
	var seen context.Context
	rule := listRule{do: func(
		_ *Imports, ctx context.Context, _ access.Landing, _ Input, _ Row,
	) (shop.ImportOutcome, error) {
		seen = ctx
		return shop.Adds, nil
	}}
	new(Imports).run(t.Context(), access.Landing{}, rule, Input{}, make([]Row, 1))
	ends, _ := seen.Deadline()
	if ends.Before(began.Add(20*time.Second)) || ends.After(time.Now().Add(20*time.Second)) {
		t.Errorf("it ends %v after its begin", ends.Sub(began))
	}
}
