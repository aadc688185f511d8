package portal

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"portico/store"
)

// The caps on messages (requirement 37): what one phone, address, network (an IPv4 /24, an IPv6 /64), company and
// the platform may cause to be sent.
const (
	MessagesPhoneHour   = 5
	MessagesPhoneDay    = 10
	MessagesAddressHour = 20
	MessagesNetworkHour = 60
	MessagesCompanyDay  = 500
	MessagesDay         = 5000

	companyKey  = "sms:company:"
	platformKey = "sms:platform"

	hour = time.Hour
	day  = 24 * time.Hour

	// budgetWarning is the part of a day's budget, in per cent, from which the log warns.
	budgetWarning = 80
	// freeAsks is how many codes a browser, and an address, may ask for before it must prove that a person asks.
	freeAsksBrowser = 1
	freeAsksAddress = 3
)

// messageCap is one counter of messages.
type messageCap struct {
	key    string
	limit  int
	window time.Duration
	budget bool // of a company or the platform: watched in the log
	sent   int
}

// caps are the counters a message draws on. Every instance and door shares them.
func (p *Portal) caps(ctx context.Context, phone string, companyID int64) []messageCap {
	address := callerOf(ctx).Address
	all := []messageCap{
		{"sms:address:" + network(address), MessagesAddressHour, hour, false, 0},
		{"sms:network:" + networks(address)[middleNetwork], MessagesNetworkHour, hour, false, 0},
		{"sms:hour:" + p.codeSubject(phone), MessagesPhoneHour, hour, false, 0},
		{"sms:day:" + p.codeSubject(phone), MessagesPhoneDay, day, false, 0},
	}
	if companyID != 0 {
		all = append(all, messageCap{companyKey + decimal(companyID), p.messagesCompany, day, true, 0})
	}
	return append(all, messageCap{platformKey, p.messages, day, true, 0})
}

// countMessage counts a message under every cap; past one of them nothing is counted and TooManyAttempts says
// until when. It gives the days' budgets as they then stand.
func (p *Portal) countMessage(ctx context.Context, tx *store.DB, in AskCodeInput, to recipient, now time.Time) (budgets []messageCap, err error) {
	if p.noLimit {
		return nil, nil
	}
	for _, c := range p.caps(ctx, to.phone, in.CompanyID) {
		a, err := tx.RaiseAttempts(ctx, c.key, store.At(now), store.At(now.Add(-c.window)))
		if err != nil {
			return nil, err
		}
		if a.WindowFailures > c.limit {
			return nil, &Refused{Refusal: TooManyAttempts, Wait: a.WindowFrom.Time().Add(c.window).Sub(now)}
		}
		if c.budget {
			c.sent = a.WindowFailures
			budgets = append(budgets, c)
		}
	}
	if !in.Browser {
		return budgets, nil
	}
	mine, err := tx.RaiseAttempts(ctx, p.asksKey(in.Flow), store.At(now), store.At(now.Add(-day)))
	if err == nil && mine.Failures != in.asks+1 { // another ask of this browser used the proof first
		err = errProofUsed
	}
	return budgets, err
}

var errProofUsed = errors.New("portal: the proof was used")

// watch writes companies' and the platform's days into the log once the message is counted: a line at the warning
// mark, one at the end, which is the alarm.
func (p *Portal) watch(ctx context.Context, budgets []messageCap) {
	for _, c := range budgets {
		level := slog.LevelWarn
		switch c.sent {
		case c.limit:
			level = slog.LevelError
		case max(1, c.limit*budgetWarning/100):
		default:
			continue
		}
		p.log.LogAttrs(ctx, level, "security", logEvent("sms_budget"), slog.String("of", c.key), slog.Int("sent", c.sent), slog.Int("limit", c.limit))
	}
}

// MessageBudget is how much of a day's messages has been sent; CompanyID 0 is the platform.
type MessageBudget struct {
	CompanyID   int64
	Sent, Limit int
}

// budgetsShown is how many companies' budgets are shown at most.
const budgetsShown = 10_000

// MessageBudgets reads the running day of the platform and of every company that sent messages.
func (p *Portal) MessageBudgets(ctx context.Context) ([]MessageBudget, error) {
	now := p.now()
	platform, err := p.db.AttemptsOf(ctx, platformKey)
	if err != nil {
		return nil, err
	}
	all := []MessageBudget{{Sent: inWindow(platform, now, day), Limit: p.messages}}
	companies, err := p.db.AttemptsUnder(ctx, companyKey, budgetsShown)
	for _, c := range companies {
		if id, ok := DecimalID(strings.TrimPrefix(c.Key, companyKey)); ok {
			all = append(all, MessageBudget{CompanyID: id, Sent: inWindow(c, now, day), Limit: p.messagesCompany})
		}
	}
	return all, err
}

// uncountMessage takes a message back that was not sent.
func (p *Portal) uncountMessage(ctx context.Context, tx *store.DB, in AskCodeInput, phone string) error {
	if p.noLimit {
		return nil
	}
	for _, c := range p.caps(ctx, phone, in.CompanyID) {
		if err := tx.LowerAttempts(ctx, c.key, 1); err != nil {
			return err
		}
	}
	if in.Browser {
		return tx.LowerAttempts(ctx, p.asksKey(in.Flow), 1)
	}
	return nil
}

// countTry counts a try of a phone's codes before anything is looked at; past the day's tries it is TooManyAttempts
// (requirement 33). A new code does not give new tries.
func (p *Portal) countTry(ctx context.Context, phone string, purpose Purpose) error {
	return p.countUpTo(ctx, p.db, "code tries:"+p.codeSubject(phone)+":"+string(purpose), CodeTriesADay, day)
}

// countUpTo counts something that may be done so often within a window; past that it is TooManyAttempts, with the wait,
// and writes nothing.
func (p *Portal) countUpTo(ctx context.Context, db *store.DB, key string, limit int, window time.Duration) error {
	if p.noLimit {
		return nil
	}
	now := p.now()
	since := store.At(now.Add(-window))
	a, err := db.AttemptsOf(ctx, key)
	if err == nil && (a.WindowFailures < limit || a.WindowFrom <= since) {
		a, err = db.RaiseAttempts(ctx, key, store.At(now), since)
	} else if err == nil {
		a.WindowFailures = limit + 1
	}
	if err == nil && a.WindowFailures > limit {
		err = &Refused{Refusal: TooManyAttempts, Wait: a.WindowFrom.Time().Add(window).Sub(now)}
	}
	return err
}

func (p *Portal) asksKey(flow string) string { return "asks:" + p.flow(flow) }

// Work is a proof of work to be done by a browser: the smallest n for which SHA-256(Token + ":" + n) begins with
// Bits zero bits.
type Work struct {
	Token string
	Bits  int
}

// WorkBits is the size of a proof of work: 0.1 to 0.4 s on a phone.
const WorkBits = 17

type sealedWork struct {
	Flow  string `json:"f"`
	Asks  int    `json:"n"`
	Until int64  `json:"u"` // Unix s: the token stays short enough for one block of the hash
}

// mayAsk refuses a browser that has asked before, or whose address has, and proves nothing: by work done in its
// script, or by the answer to a question. The refusal brings both along. While the countdown runs there is
// nothing to prove.
func (p *Portal) mayAsk(ctx context.Context, in *AskCodeInput, c store.Code) error {
	before, err := p.db.CodeOf(ctx, c.Subject, c.Purpose, c.CompanyID)
	if err == nil && p.resendAfter(before) > 0 {
		return &Refused{Refusal: CodeAlreadySent, Wait: p.resendAfter(before)}
	}
	if p.noLimit || !in.Browser {
		return nil
	}
	asks, due, err := p.proofDue(ctx, in.Flow)
	in.asks = asks
	if err != nil || !due || p.worked(*in, asks) || p.answered(p.asksKey(in.Flow), asks, in.Question, in.Answer) {
		return err
	}
	refused := &Refused{Refusal: ValidationFailed, Fields: Fields{"answer": AnswerRequired}}
	if in.Answer != "" {
		refused.Fields["answer"] = AnswerWrong
	}
	if refused.Question, err = p.ask(p.asksKey(in.Flow), asks); err != nil {
		return err
	}
	refused.Work = &Work{Bits: WorkBits}
	refused.Work.Token, err = p.seal("work", sealedWork{Flow: p.flow(in.Flow), Asks: asks, Until: p.now().Add(QuestionLife).Unix()})
	if err != nil {
		return err
	}
	return refused
}

func (p *Portal) proofDue(ctx context.Context, flow string) (asks int, due bool, err error) {
	now := p.now()
	mine, err := p.db.AttemptsOf(ctx, p.asksKey(flow))
	if err != nil {
		return 0, false, err
	}
	theirs, err := p.db.AttemptsOf(ctx, "sms:address:"+network(callerOf(ctx).Address))
	asks = inWindow(mine, now, day)
	return mine.Failures, asks >= freeAsksBrowser || inWindow(theirs, now, hour) >= freeAsksAddress, err
}

func inWindow(a store.Attempts, now time.Time, window time.Duration) int {
	if a.WindowFrom < store.At(now.Add(-window)) {
		return 0
	}
	return a.WindowFailures
}

// worked says whether the browser did the work that was set for this ask.
func (p *Portal) worked(in AskCodeInput, asks int) bool {
	var w sealedWork
	if p.unseal("work", in.Proof, &w) != nil || w.Flow != p.flow(in.Flow) || w.Asks != asks || w.Until < p.now().Unix() {
		return false
	}
	if n, err := strconv.ParseUint(in.Work, 10, 48); err != nil || strconv.FormatUint(n, 10) != in.Work {
		return false
	}
	sum := sha256.Sum256([]byte(in.Proof + ":" + in.Work))
	return leadingZeros(sum[:]) >= WorkBits
}

func leadingZeros(sum []byte) int {
	n := 0
	for _, b := range sum {
		n += bits.LeadingZeros8(b)
		if b != 0 {
			break
		}
	}
	return n
}
