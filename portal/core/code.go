package core

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"time"

	"portico/portal/access"
	"portico/store"
)

// The life of a verification code.
const (
	// CodeDigits is the length of a code.
	CodeDigits = 6
	// MaxCodeTyped is how many characters a code field takes: a code in groups, or pasted with other signs.
	MaxCodeTyped = 40
	// CodeLife is how long a code is valid.
	CodeLife = 5 * time.Minute
	// CodeTries is how often one code may be tried.
	CodeTries = 5
	// CodeTriesADay is how often a phone's codes for one purpose may be tried in a day.
	CodeTriesADay = 20
	// ProofLife is how long the proof of a right code may be used.
	ProofLife = 10 * time.Minute
	// DefaultResend is how long a person waits before requesting another code.
	DefaultResend = time.Minute
	// CodesKept is how long a code stays stored, longer than the day of its caps.
	CodesKept = 25 * time.Hour
)

// What a code is requested for. A code is valid for its purpose alone.
const (
	// ForLogin signs in.
	ForLogin access.Purpose = "login"
	// ForRegister registers a company.
	ForRegister access.Purpose = "register"
	// ForExperience opens a sandbox.
	ForExperience access.Purpose = "experience"
	// ForBind binds the phone to an account.
	ForBind access.Purpose = "bind"
	// ForUnbind unbinds the phone from an account.
	ForUnbind access.Purpose = "unbind"
	// ForNewPhone proves the new number when a phone is changed.
	ForNewPhone access.Purpose = "new_phone"
	// ForOldPhone proves the present number when a phone is changed.
	ForOldPhone access.Purpose = "old_phone"
	// ForReset resets a forgotten password.
	ForReset access.Purpose = "reset"
	// ForShopRegister sets up an account that a company opened.
	ForShopRegister access.Purpose = "shop_register"
	// ForApplication applies to become a customer.
	ForApplication access.Purpose = "application"
	// ForRole changes an administrator's role.
	ForRole access.Purpose = "role"
)

// AskCodeInput requests a code. Flow identifies the browser, session or program that requests it; the code is valid
// there alone.
type AskCodeInput struct {
	Purpose   access.Purpose `form:"purpose"`
	Phone     string         `form:"phone" json:"phone_"`
	Login     string         `form:"login" json:"login_"` // a reset by account name
	CompanyID int64          `json:"company_id_"`
	AccountID int64          `form:"account_id"`          // the account to unbind
	Proof     string         `form:"proof" json:"proof_"` // the token of a proof of work, and its answer
	Work      string         `form:"work" json:"work_"`
	Question  string         `form:"question"`
	Answer    string         `form:"answer"`
	Add       bool           `form:"add"`    // registering: a company is added to a phone that is registered
	Invite    string         `form:"invite"` // setting up an account: the link that invited to it

	Session access.Session // for bind and unbind
	Flow    string
	Browser bool   // a browser may answer a question instead of doing work
	Device  string // the browser's id, by which it may be known; "" for a program
	Place   access.Place
	Lang    string

	proofKey string // of the counter of requests that a proof names
	asks     int    // the counter's value before this request
	proven   bool   // this ask spends a proof
}

// CodeSent says how long to wait before requesting another code, and the masked phone that the code was sent to (""
// when the person typed the phone).
type CodeSent struct {
	ResendAfter time.Duration
	Phone       string
}

// Recipient is the phone that gets a code, and what the code is for.
type Recipient struct {
	Phone       string
	Name        string // the key of the account name that was typed instead of a phone
	Target      string
	Login       string        // of the account that the code is for, "" for none
	Company     store.Company // zero: none
	Asker       asker
	Silent      bool // nobody gets a code, and the answer must not reveal that
	SandboxOnly bool // strict mode: the phone has only accounts in sandboxes, and the answer must not reveal that
	Hidden      bool // the asker did not type the phone
}

// Subject returns the key of the countdown, the attempts and the caps of a code: the phone, or the account name that
// was typed instead. Two account names of one phone have separate counters, so that nobody learns that they share the
// phone.
func (to Recipient) Subject() string {
	if to.Name != "" {
		return NameSubject(to.Name)
	}
	return to.Phone
}

// Send sends a code to the recipient that the operation for in.Purpose has found. It refuses with CodeAlreadySent and
// the wait a request that comes too early, with TooManyAttempts a request past the caps, a request without the proof of
// work that is due, and with SMSUnavailable a failure of the provider (the request does not count then).
func (v *Verification) Send(ctx context.Context, in AskCodeInput, to Recipient) (CodeSent, error) {
	to, err := v.recognise(ctx, in, to)
	if err != nil {
		return CodeSent{}, err
	}
	now := v.core.Now()
	code := newCode()
	sealed, err := v.core.Sealing.Seal("code phone", to.Phone)
	if err != nil {
		return CodeSent{}, err
	}
	c := store.Code{
		Subject: v.core.Sealing.CodeSubject(to.Subject()), Purpose: string(in.Purpose), CompanyID: in.CompanyID,
		Phone: sealed, Flow: v.Flow(in.Flow), Target: to.Target,
		Hash: v.CodeHash(to.Phone, in.Purpose, code), SentAt: store.At(now), ExpiresAt: store.At(now.Add(CodeLife)),
	}
	in.proofKey = v.proofKey(in, c)
	if err := v.mayAsk(ctx, &in, to, c); err != nil {
		return CodeSent{}, err
	}
	silent, err := v.record(ctx, in, to, c, now)
	if err != nil {
		return CodeSent{}, err
	}
	to.Silent = to.Silent || silent
	if err := v.deliver(ctx, in, to, c, code); err != nil {
		return CodeSent{}, err
	}
	sent := CodeSent{ResendAfter: v.resend}
	if to.Hidden && !to.Silent && !v.core.Strict {
		sent.Phone = access.MaskPhone(to.Phone)
	}
	return sent, nil
}

// record stores the code and counts it in one transaction: of many requests at the same time, one succeeds. silent says
// that a cap was reached that must not be revealed: no message is sent.
func (v *Verification) record(
	ctx context.Context, in AskCodeInput, to Recipient, c store.Code, now time.Time,
) (silent bool, err error) {
	var watched []MessageCap
	err = v.core.DB.Tx(ctx, func(tx *store.DB) error {
		put, err := tx.Codes.Put(ctx, c, store.At(now.Add(-v.resend)))
		if err != nil {
			return err
		}
		if !put {
			return access.CodeAlreadySent
		}
		if watched, silent, err = v.countMessage(ctx, tx, in, to, now); err != nil {
			return err
		}
		return v.core.Access.Event(
			ctx, tx, "code_sent", store.Member{Account: store.Account{CompanyID: in.CompanyID}}, string(in.Purpose),
		)
	})
	switch {
	case errors.Is(err, access.CodeAlreadySent):
		return false, v.alreadySent(ctx, c)
	case errors.Is(err, errProofUsed):
		if err = v.mayAsk(ctx, &in, to, c); err == nil { // returns what is due now
			err = &access.Refused{Refusal: access.NotAvailable, Wait: time.Second}
		}
		return false, err
	case err != nil:
		return false, err
	}
	v.LogBudgets(ctx, watched)
	return silent, nil
}

// alreadySent returns the refusal with the wait until the next code.
func (v *Verification) alreadySent(ctx context.Context, c store.Code) error {
	before, err := v.core.DB.Codes.Of(ctx, c.Subject, c.Purpose, c.CompanyID)
	if errors.Is(err, store.ErrNotFound) { // the provider failed, and the code was deleted
		return &access.Refused{Refusal: access.SMSUnavailable}
	}
	if err != nil {
		return err
	}
	return &access.Refused{Refusal: access.CodeAlreadySent, Wait: v.resendAfter(before)}
}

func (v *Verification) resendAfter(c store.Code) time.Duration {
	return max(0, c.SentAt.Time().Add(v.resend).Sub(v.core.Now()))
}

// deliver sends the message after the code is stored, never inside a transaction. When the provider fails, the code is
// deleted and does not count.
func (v *Verification) deliver(ctx context.Context, in AskCodeInput, to Recipient, c store.Code, code string) error {
	if to.Silent {
		return nil
	}
	m := Message{
		ID:      access.RandomString(),
		Phone:   to.Phone,
		Purpose: in.Purpose,
		Code:    code,
		Lang:    in.Lang,
		Company: NameInMessages(to.Company),
		Host:    hostOf(in.Place.Origin),
		Login:   loginInMessage(to.Login),
	}
	if v.core.Strict { // the provider's response time would reveal which phones are registered
		v.core.Running.Go(func() { _ = v.deliverNow(context.WithoutCancel(ctx), m, in, to, c) })
		return nil
	}
	return v.deliverNow(ctx, m, in, to, c)
}

func (v *Verification) deliverNow(ctx context.Context, m Message, in AskCodeInput, to Recipient, c store.Code) error {
	lasting := store.AfterRequest(ctx) // the message is sent even if the caller hangs up
	err := v.SendSMS(lasting, m)
	if err == nil || errors.Is(err, ErrMaybeSent) {
		return nil
	}
	v.core.Log.LogAttrs(
		ctx,
		slog.LevelError,
		"sms failed",
		slog.String("request_id", access.CallerOf(ctx).RequestID),
		slog.String("message", m.ID),
		slog.Any("error", err),
	)
	if v.core.Strict {
		return nil // the next request would reveal that the phone is registered
	}
	err = v.core.DB.Tx(lasting, func(tx *store.DB) error {
		if err := tx.Codes.Drop(lasting, c); err != nil {
			return err
		}
		return v.uncountMessage(lasting, tx, in, to)
	})
	if err != nil {
		return err
	}
	return &access.Refused{Refusal: access.SMSUnavailable}
}

// SendInBackground sends a message in the background. It logs a failure.
func (v *Verification) SendInBackground(ctx context.Context, m Message) {
	m.ID = access.RandomString()
	v.core.Running.Go(func() {
		if err := v.SendSMS(context.WithoutCancel(ctx), m); err != nil {
			v.core.Log.LogAttrs(
				ctx, slog.LevelError, "sms failed", slog.String("message", m.ID), slog.Any("error", err),
			)
		}
	})
}

// PendingCode is a code that a flow requested, for the page that is shown again.
type PendingCode struct {
	Phone       string
	Hidden      bool // the person typed an account name: show the phone masked
	Target      string
	ResendAfter time.Duration
	Proven      bool // the code was accepted
}

// PendingCode returns the last code that a flow requested. ok is false when there is none, or it has expired.
func (v *Verification) PendingCode(
	ctx context.Context, flow string, purpose access.Purpose,
) (pending PendingCode, ok bool, err error) {
	if flow == "" {
		return pending, false, nil
	}
	c, err := v.core.DB.Codes.OfFlow(ctx, v.Flow(flow), string(purpose))
	if errors.Is(err, store.ErrNotFound) {
		return pending, false, nil
	}
	if err != nil {
		return pending, false, err
	}
	now := store.At(v.core.Now())
	if c.ExpiresAt <= now && c.ProvenUntil <= now {
		return pending, false, nil
	}
	if err := v.core.Sealing.Unseal("code phone", c.Phone, &pending.Phone); err != nil {
		return pending, false, nil //nolint:nilerr // another master key: begin again
	}
	pending.Target = c.Target
	pending.Hidden = purpose == ForUnbind || purpose == ForOldPhone || purpose == ForRole ||
		purpose == ForReset && strings.HasPrefix(c.Target, TargetAccount)
	if v.core.Strict && pending.Hidden {
		pending.Phone = ""
	}
	pending.ResendAfter, pending.Proven = v.resendAfter(c), c.ProvenUntil > now
	return pending, true, nil
}

func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return fmt.Sprintf("%06d", n.Int64())
}

// CodeHash returns the keyed hash of a code for a phone and a purpose.
func (v *Verification) CodeHash(phone string, purpose access.Purpose, code string) string {
	return v.core.Sealing.Tag("code", phone+"\x00"+string(purpose)+"\x00"+code)
}

// NewFlow returns a new id for a browser that requests codes.
func NewFlow() string { return access.RandomToken(16) }

// IsFlow says whether a text has the form of an id of a flow.
func IsFlow(id string) bool { return len(id) == 22 }

// Flow returns the keyed hash under which the id of a flow is stored.
func (v *Verification) Flow(id string) string { return v.core.Sealing.Tag("flow", id) }

const (
	// TargetPhone is the target of a code that is for the phone itself.
	TargetPhone = "phone"
	// TargetNobody is the target of a code for an unknown account name. No code ever matches it.
	TargetNobody = "account:0"
)
