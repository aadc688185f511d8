package core_test

import (
	"strconv"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store/storetest"
)

func TestACrowdProofIsOfSeventeenBitsAndWorksOnceWithinTenMinutes(t *testing.T) {
	t.Parallel()
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	ctx := p.From(portaltest.HomeAddress)
	set := func() access.PasswordTry {
		t.Helper()
		work, err := p.Limits.SetCrowdWork(ctx, "someone")
		if err != nil || work.Bits != 17 {
			t.Fatalf("%+v, %v", work, err)
		}
		right, _ := portaltest.SolveWork(work)
		return access.PasswordTry{Proof: work.Token, Work: right}
	}
	try := set()
	p.Clock.Advance(10*time.Minute - time.Second)
	easy := try
	for n := 0; ; n++ { // as good as half of the work
		easy.Work = strconv.Itoa(n)
		if core.IsWork(easy.Proof, easy.Work, 16) && !core.IsWork(easy.Proof, easy.Work, 17) {
			break
		}
	}
	if p.Limits.CrowdWorkDone(ctx, "someone", easy) {
		t.Error("a proof of sixteen bits is accepted")
	}
	if !p.Limits.CrowdWorkDone(ctx, "someone", try) {
		t.Error("a proof is refused before its end")
	}
	if p.Limits.CrowdWorkDone(ctx, "someone", try) {
		t.Error("a proof is accepted twice")
	}
	try = set()
	p.Clock.Advance(10 * time.Minute)
	if p.Limits.CrowdWorkDone(ctx, "someone", try) {
		t.Error("a proof is accepted at its end")
	}
}

func TestTheNumberOfRememberedProofsIsLimited(t *testing.T) {
	t.Parallel()
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	const most = 55_000 // 50 000, and up to a tenth more until the oldest tenth is forgotten
	for i := range most {
		p.Limits.UseCrowdProof(strconv.Itoa(i))
	}
	if n := p.Limits.CrowdProofs(); n != most {
		t.Errorf("of %d proofs %d are remembered", most, n)
	}
	p.Limits.UseCrowdProof("one more")
	if n := p.Limits.CrowdProofs(); n != 50_001 {
		t.Errorf("after one more %d are remembered", n)
	}
}

func TestAQuestionCanBeAnsweredForTenMinutes(t *testing.T) {
	t.Parallel()
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	q, err := p.Limits.Ask("someone", 10)
	portaltest.NoError(t, err)
	answered := func() bool { return p.Limits.Answered("someone", 10, q.Token, strconv.Itoa(q.A+q.B)) }
	p.Clock.Advance(10*time.Minute - time.Millisecond)
	if !answered() {
		t.Error("the answer is refused before the end")
	}
	p.Clock.Advance(time.Millisecond)
	if answered() {
		t.Error("the answer is accepted at the end")
	}
}
