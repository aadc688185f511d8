package portal

import (
	"strconv"
	"testing"
	"time"
)

func TestAWorkOfACrowdIsGoodUntilItsExactEnd(t *testing.T) {
	now := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	key, err := newSealingKey(make([]byte, MinSecret))
	if err != nil {
		t.Fatal(err)
	}
	p := &Portal{now: func() time.Time { return now }}
	p.keys = keys{sealing: []sealingKey{key}, hashes: make([]byte, hashKeyBytes)}
	p.crowdProofs = newRecent[string, struct{}](QuestionLife, crowdProofsHeld)
	ctx, begun := callerAt(t, "203.0.113.9"), now
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{QuestionLife - time.Second, true}, {QuestionLife, false}} {
		now = begun
		work, err := p.setCrowdWork(ctx, "phone:1")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for !isWork(work.Token, strconv.Itoa(n), WorkBits) {
			n++
		}
		now = begun.Add(c.after)
		in := PasswordTry{Proof: work.Token, Work: strconv.Itoa(n)}
		if got := p.crowdWorkDone(ctx, "phone:1", in); got != c.want {
			t.Errorf("after %v: %t", c.after, got)
		}
		if p.crowdWorkDone(ctx, "phone:1", in) {
			t.Error("it was used twice")
		}
	}
}
