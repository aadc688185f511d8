package portal_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
)

// browsing is an ask by a browser for any phone.
func (p *carer) browsing(n int, flow string) portal.AskCodeInput {
	p.t.Helper()
	in := p.asking(portal.ForExperience, fmt.Sprintf("139%08d", n), flow)
	in.Browser = true
	return in
}

// due demands that an ask is refused for want of a proof, sends and counts nothing, and gives what may be proven.
func (p *carer) due(in portal.AskCodeInput, want portal.Problem) *portal.Refused {
	p.t.Helper()
	before, sent := p.counters(), len(p.sms.codes())
	_, err := p.ask(in)
	with := refused(p.t, err, portal.ValidationFailed)
	if with.Fields["answer"] != want || with.Question == nil || with.Work == nil || with.Work.Bits != portal.WorkBits {
		p.t.Fatalf("%+v", with)
	}
	if p.counters() != before || len(p.sms.codes()) != sent {
		p.t.Error("it was counted or sent")
	}
	return with
}

// work does what was set: the smallest number that fits, and one that does not.
func work(w *portal.Work) (right, wrong string) {
	text := append([]byte(w.Token), ':')
	for n := uint64(0); ; n++ {
		text = strconv.AppendUint(text[:len(w.Token)+1], n, 10)
		sum := sha256.Sum256(text)
		if bits.LeadingZeros64(binary.BigEndian.Uint64(sum[:])) >= w.Bits {
			return strconv.FormatUint(n, 10), strconv.FormatUint(n+1, 10)
		}
	}
}

func TestABrowserAsksOnceFreelyAndThenProvesThatAPersonDoes(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		p.sent(p.browsing(1, flow))
		_, err := p.ask(p.browsing(1, flow))
		refused(t, err, portal.CodeAlreadySent) // while the countdown runs there is nothing to prove
		set := p.due(p.browsing(2, flow), portal.AnswerRequired)
		right, wrong := work(set.Work)

		for name, c := range map[string][2]string{
			"a wrong one": {set.Work.Token, wrong}, "none": {set.Work.Token, ""}, "with a zero before it": {set.Work.Token, "0" + right}, "with a sign": {set.Work.Token, "+" + right},
			"no token": {"", right}, "a tampered token": {set.Work.Token[:len(set.Work.Token)-2] + "AA", right}, "a question's token": {set.Question.Token, right},
			"beyond 48 bits": {set.Work.Token, "281474976710656"}, "a very long one": {set.Work.Token, strings.Repeat("9", 1<<16)},
		} {
			in := p.browsing(2, flow)
			in.Proof, in.Work = c[0], c[1]
			if t.Failed() {
				t.Fatal(name)
			}
			p.due(in, portal.AnswerRequired)
		}
		foreign := portal.NewFlow()
		p.sent(p.browsing(3, foreign))
		in := p.browsing(4, foreign)
		in.Proof, in.Work = set.Work.Token, right
		p.due(in, portal.AnswerRequired)

		in = p.browsing(2, flow)
		in.Proof, in.Work = set.Work.Token, right
		p.clock.advance(portal.QuestionLife + time.Second)
		set = p.due(in, portal.AnswerRequired)
		in.Proof = set.Work.Token
		in.Work, _ = work(set.Work)
		p.clock.advance(portal.QuestionLife - time.Second)
		p.sent(in)
		in.Phone = p.browsing(5, flow).Phone // the same proof again
		p.due(in, portal.AnswerRequired)
	})
}

func TestABrowserWithoutScriptsAnswersAQuestionInstead(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow, foreign := portal.NewFlow(), portal.NewFlow()
		p.sent(p.browsing(1, flow))
		p.sent(p.browsing(2, foreign))
		q := p.due(p.browsing(3, flow), portal.AnswerRequired).Question
		answer := strconv.Itoa(q.A + q.B)
		for name, c := range map[string]struct {
			flow, token, answer string
			want                portal.Problem
		}{
			"wrong": {flow, q.Token, strconv.Itoa(q.A + q.B + 1), portal.AnswerWrong}, "nothing": {flow, q.Token, "", portal.AnswerRequired}, "no token": {flow, "", answer, portal.AnswerWrong},
			"another browser's": {foreign, q.Token, answer, portal.AnswerWrong},
		} {
			in := p.browsing(4, c.flow)
			in.Question, in.Answer = c.token, c.answer
			if t.Failed() {
				t.Fatal(name)
			}
			p.due(in, c.want)
		}
		in := p.browsing(3, flow)
		in.Question, in.Answer = q.Token, " "+answer+" "
		p.sent(in)
		in = p.browsing(5, flow)
		in.Question, in.Answer = q.Token, answer
		p.due(in, portal.AnswerWrong)
		p.clock.advance(24*time.Hour + time.Millisecond)
		p.sent(p.browsing(6, flow)) // the next day begins anew
	})
}

func TestAProofServesOneOfManyAsksAtOnce(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		p.sent(p.browsing(1, flow))
		q := p.due(p.browsing(2, flow), portal.AnswerRequired).Question
		var group sync.WaitGroup
		for i := range 10 {
			in := p.browsing(10+i, flow)
			in.Question, in.Answer = q.Token, strconv.Itoa(q.A+q.B)
			group.Go(func() { _, _ = p.AskCode(p.from(fmt.Sprintf("198.51.100.%d", i)), in) })
		}
		group.Wait()
		if n := len(p.sms.codes()) - 1; n != 1 {
			t.Errorf("one answer sent %d messages", n)
		}
	})
}

func TestFromTheFourthAskOfAnAddressAFreshBrowserProvesToo(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range 3 {
			p.sent(p.browsing(n, portal.NewFlow()))
		}
		p.due(p.browsing(10, portal.NewFlow()), portal.AnswerRequired)
		_, err := p.AskCode(p.from("198.51.100.1"), p.browsing(11, portal.NewFlow()))
		noError(t, err)
		p.clock.advance(time.Hour + time.Millisecond)
		p.sent(p.browsing(12, portal.NewFlow()))
	})
}

func TestAProgramIsAskedForNoProof(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		for n := range 6 {
			in := p.browsing(n, flow)
			in.Browser = false
			p.sent(in)
		}
	})
}

// Providers that fail.
