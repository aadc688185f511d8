package verification_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/limits"
	"portico/portal/portaltest"
	"portico/portal/verification"
)

func TestABrowsersSecondRequestForACodeNeedsAProofOfWork(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		flow := verification.NewFlow()
		p.Sent(p.Browsing(1, flow))
		_, err := p.Ask(p.Browsing(1, flow))
		portaltest.Refused(t, err, access.CodeAlreadySent) // while the countdown runs there is nothing to prove
		set := p.Due(p.Browsing(2, flow), access.AnswerRequired)
		right, wrong := portaltest.Work(set.Work)

		for name, c := range map[string][2]string{
			"a wrong one": {set.Work.Token, wrong}, "none": {set.Work.Token, ""},
			"with a zero before it": {set.Work.Token, "0" + right}, "with a sign": {set.Work.Token, "+" + right},
			"no token": {"", right}, "a tampered token": {set.Work.Token[:len(set.Work.Token)-2] + "AA", right},
			"a question's token": {set.Question.Token, right},
			"beyond 48 bits":     {set.Work.Token, "281474976710656"},
			"a very long one":    {set.Work.Token, strings.Repeat("9", 1<<16)},
		} {
			in := p.Browsing(2, flow)
			in.Proof, in.Work = c[0], c[1]
			if t.Failed() {
				t.Fatal(name)
			}
			p.Due(in, access.AnswerRequired)
		}
		foreign := verification.NewFlow()
		p.Sent(p.Browsing(3, foreign))
		in := p.Browsing(4, foreign)
		in.Proof, in.Work = set.Work.Token, right
		p.Due(in, access.AnswerRequired)

		in = p.Browsing(2, flow)
		in.Proof, in.Work = set.Work.Token, right
		p.Clock.Advance(limits.QuestionLife + time.Second)
		set = p.Due(in, access.AnswerRequired)
		in.Proof = set.Work.Token
		in.Work, _ = portaltest.Work(set.Work)
		p.Clock.Advance(limits.QuestionLife - time.Second)
		p.Sent(in)
		in.Phone = p.Browsing(5, flow).Phone // the same proof again
		p.Due(in, access.AnswerRequired)
	})
}

func TestABrowserWithoutScriptsAnswersAQuestionInsteadOfAProofOfWork(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		flow, foreign := verification.NewFlow(), verification.NewFlow()
		p.Sent(p.Browsing(1, flow))
		p.Sent(p.Browsing(2, foreign))
		q := p.Due(p.Browsing(3, flow), access.AnswerRequired).Question
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
			in := p.Browsing(4, c.flow)
			in.Question, in.Answer = c.token, c.answer
			if t.Failed() {
				t.Fatal(name)
			}
			p.Due(in, c.want)
		}
		in := p.Browsing(3, flow)
		in.Question, in.Answer = q.Token, " "+answer+" "
		p.Sent(in)
		in = p.Browsing(5, flow)
		in.Question, in.Answer = q.Token, answer
		p.Due(in, access.AnswerWrong)
		p.Clock.Advance(24*time.Hour + time.Millisecond)
		p.Sent(p.Browsing(6, flow)) // the next day begins anew
	})
}

func TestAProofOfWorkWorksForOneOfManyConcurrentRequests(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		flow := verification.NewFlow()
		p.Sent(p.Browsing(1, flow))
		q := p.Due(p.Browsing(2, flow), access.AnswerRequired).Question
		var group sync.WaitGroup
		for i := range 10 {
			in := p.Browsing(10+i, flow)
			in.Question, in.Answer = q.Token, strconv.Itoa(q.A+q.B)
			group.Go(func() { _, _ = p.Verification.AskCode(p.From(fmt.Sprintf("198.51.100.%d", i)), in) })
		}
		group.Wait()
		if n := len(p.Sms.Codes()) - 1; n != 1 {
			t.Errorf("one answer sent %d messages", n)
		}
	})
}

func TestAfterThreeRequestsOfAnAddressANewBrowserNeedsAProofOfWork(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		for n := range 3 {
			p.Sent(p.Browsing(n, verification.NewFlow()))
		}
		p.Due(p.Browsing(10, verification.NewFlow()), access.AnswerRequired)
		_, err := p.Verification.AskCode(p.From("198.51.100.1"), p.Browsing(11, verification.NewFlow()))
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Hour + time.Millisecond)
		p.Sent(p.Browsing(12, verification.NewFlow()))
	})
}

func TestAProgramNeedsNoProofOfWork(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		flow := verification.NewFlow()
		for n := range 6 {
			in := p.Browsing(n, flow)
			in.Browser = false
			p.Sent(in)
		}
	})
}
