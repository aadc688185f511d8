package core_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
)

func TestABrowsersSecondRequestForACodeNeedsAProofOfWork(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		p.ReceiveCode(browserCodeRequest(p, 1, flow))
		_, err := p.AskCode(browserCodeRequest(p, 1, flow))
		portaltest.Refused(t, err, access.CodeAlreadySent) // while the countdown runs there is nothing to prove
		set := wantProofRequired(p, browserCodeRequest(p, 2, flow), access.AnswerRequired)
		right, wrong := portaltest.SolveWork(set.Work)

		for name, c := range map[string][2]string{
			"a wrong one": {set.Work.Token, wrong}, "none": {set.Work.Token, ""},
			"with a zero before it": {set.Work.Token, "0" + right}, "with a sign": {set.Work.Token, "+" + right},
			"no token": {"", right}, "a tampered token": {testscope.Changed(set.Work.Token), right},
			"a question's token": {set.Question.Token, right},
			"beyond 48 bits":     {set.Work.Token, "281474976710656"},
			"a very long one":    {set.Work.Token, strings.Repeat("9", 1<<16)},
		} {
			in := browserCodeRequest(p, 2, flow)
			in.Proof, in.Work = c[0], c[1]
			if t.Failed() {
				t.Fatal(name)
			}
			wantProofRequired(p, in, access.AnswerRequired)
		}
		foreign := core.NewFlow()
		p.ReceiveCode(browserCodeRequest(p, 3, foreign))
		in := browserCodeRequest(p, 4, foreign)
		in.Proof, in.Work = set.Work.Token, right
		wantProofRequired(p, in, access.AnswerRequired)

		in = browserCodeRequest(p, 2, flow)
		in.Proof, in.Work = set.Work.Token, right
		p.Clock.Advance(10 * time.Minute)
		set = wantProofRequired(p, in, access.AnswerRequired)
		in.Proof = set.Work.Token
		in.Work, _ = portaltest.SolveWork(set.Work)
		p.Clock.Advance(10*time.Minute - time.Second)
		p.ReceiveCode(in)
		in.Phone = browserCodeRequest(p, 5, flow).Phone // the same proof again
		wantProofRequired(p, in, access.AnswerRequired)
	})
}

func TestABrowserWithoutScriptsAnswersAQuestionInsteadOfAProofOfWork(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow, foreign := core.NewFlow(), core.NewFlow()
		p.ReceiveCode(browserCodeRequest(p, 1, flow))
		p.ReceiveCode(browserCodeRequest(p, 2, foreign))
		q := wantProofRequired(p, browserCodeRequest(p, 3, flow), access.AnswerRequired).Question
		answer := strconv.Itoa(q.A + q.B)
		for name, c := range map[string]struct {
			flow, token, answer string
			want                access.Problem
		}{
			"wrong":             {flow, q.Token, strconv.Itoa(q.A + q.B + 1), access.AnswerWrong},
			"nothing":           {flow, q.Token, "", access.AnswerRequired},
			"no token":          {flow, "", answer, access.AnswerWrong},
			"another browser's": {foreign, q.Token, answer, access.AnswerWrong},
		} {
			in := browserCodeRequest(p, 4, c.flow)
			in.Question, in.Answer = c.token, c.answer
			if t.Failed() {
				t.Fatal(name)
			}
			wantProofRequired(p, in, c.want)
		}
		in := browserCodeRequest(p, 3, flow)
		in.Question, in.Answer = q.Token, " "+answer+" "
		p.ReceiveCode(in)
		in = browserCodeRequest(p, 5, flow)
		in.Question, in.Answer = q.Token, answer
		wantProofRequired(p, in, access.AnswerWrong)
		p.Clock.Advance(24*time.Hour + time.Millisecond)
		p.ReceiveCode(browserCodeRequest(p, 6, flow)) // the next day begins anew
	})
}

func TestAProofOfWorkWorksForOneOfManyConcurrentRequests(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		p.ReceiveCode(browserCodeRequest(p, 1, flow))
		q := wantProofRequired(p, browserCodeRequest(p, 2, flow), access.AnswerRequired).Question
		var group sync.WaitGroup
		for i := range 10 {
			in := browserCodeRequest(p, 10+i, flow)
			in.Question, in.Answer = q.Token, strconv.Itoa(q.A+q.B)
			group.Go(func() { _, _ = p.Portal.AskCode(p.From(fmt.Sprintf("198.51.100.%d", i)), in) })
		}
		group.Wait()
		if n := len(p.Sms.Codes()) - 1; n != 1 {
			t.Errorf("one answer sent %d messages", n)
		}
	})
}

func TestAfterThreeRequestsOfAnAddressANewBrowserNeedsAProofOfWork(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for n := range 3 {
			p.ReceiveCode(browserCodeRequest(p, n, core.NewFlow()))
		}
		wantProofRequired(p, browserCodeRequest(p, 10, core.NewFlow()), access.AnswerRequired)
		_, err := p.Portal.AskCode(p.From("198.51.100.1"), browserCodeRequest(p, 11, core.NewFlow()))
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Hour + time.Millisecond)
		p.ReceiveCode(browserCodeRequest(p, 12, core.NewFlow()))
	})
}

func TestAProgramNeedsNoProofOfWork(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		for n := range 6 {
			in := browserCodeRequest(p, n, flow)
			in.Browser = false
			p.ReceiveCode(in)
		}
	})
}

// browserCodeRequest returns a browser's request for a code to the nth unknown phone.
func browserCodeRequest(p *portaltest.SMSPlatform, n int, flow string) core.AskCodeInput {
	p.T.Helper()
	in := p.CodeRequest(core.ForExperience, fmt.Sprintf("139%08d", n), flow)
	in.Browser = true
	return in
}

// wantProofRequired fails the test unless a request is refused because it has no proof of work, sends no code and
// counts nothing. It returns the refusal with the question and the work.
func wantProofRequired(p *portaltest.SMSPlatform, in core.AskCodeInput, want access.Problem) *access.Refused {
	p.T.Helper()
	before, sent := p.DumpCounters(), len(p.Sms.Codes())
	_, err := p.AskCode(in)
	with := portaltest.Refused(p.T, err, access.ValidationFailed)
	if with.Fields["answer"] != want || with.Question == nil || with.Work == nil || with.Work.Bits != 17 {
		p.T.Fatalf("%+v", with)
	}
	if p.DumpCounters() != before || len(p.Sms.Codes()) != sent {
		p.T.Error("it was counted or sent")
	}
	return with
}
