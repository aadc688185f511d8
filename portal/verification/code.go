package verification

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"time"
	"unicode"

	"portico/portal/access"
	"portico/portal/sealing"
	"portico/store"
)

// The life of a verification code.
const (
	// CodeDigits is the length of a code.
	CodeDigits = 6
	// CodeLife is how long a code is good for.
	CodeLife = 5 * time.Minute
	// CodeTries is how often one code may be tried.
	CodeTries = 5
	// CodeTriesADay is how often a phone's codes for one purpose may be tried in a day.
	CodeTriesADay = 20
	// ProofLife is how long what a right code proved may be used.
	ProofLife = 10 * time.Minute
	// DefaultResend is how long before a code can be asked for again.
	DefaultResend = time.Minute

	CodesKept = 25 * time.Hour
)

// The purposes.
const (
	ForLogin        access.Purpose = "login"
	ForRegister     access.Purpose = "register"
	ForExperience   access.Purpose = "experience"
	ForBind         access.Purpose = "bind"
	ForUnbind       access.Purpose = "unbind"
	ForNewPhone     access.Purpose = "new_phone" // changing a phone: the new number
	ForOldPhone     access.Purpose = "old_phone" // changing a phone: the present number
	ForReset        access.Purpose = "reset"
	ForShopRegister access.Purpose = "shop_register" // setting up an account a company opened
	ForApplication  access.Purpose = "application"
	ForRole         access.Purpose = "role" // changing the administrator's role
)

// Message is a text to a phone. The door to the provider makes the words of it: Lang "zh", "es" or "en".
type Message struct {
	ID      string
	Phone   string // 11 digits
	Purpose access.Purpose
	Notice  Notice // instead of a code
	Code    string
	Lang    string
	Company string // mentioned in the text: a confirmed name, cleaned; "" for none
	Host    string // the host the code belongs to
	Way     string // the address a notice leads to, "" for none
	Login   string // the account that it is about, cleaned; "" for the phone itself
	App     access.ProviderName
	Nick    string    // of the identity at App, cleaned
	Device  string    // where it was done, one of a fixed list; "" unknown
	At      time.Time // when; zero is not said
	Waiting int       // applications that wait for a decision, up to WaitingShown+1
	Ended   bool      // passwords for signing in by name ended, too
}

// Notice is what a phone is told without having asked.
type Notice string

// The notices.
const (
	NoticePassword Notice = "password_changed"
	NoticeBound    Notice = "phone_bound"
	NoticeUnbound  Notice = "phone_unbound"
	// NoticePhoneChanged is sent to the former number.
	NoticePhoneChanged Notice = "phone_changed"

	NoticeLinked   Notice = "identity_linked"
	NoticeUnlinked Notice = "identity_unlinked"
	NoticeFirst    Notice = "first_password_given"
	NoticeApproved Notice = "application_approved"
	NoticeRejected Notice = "application_rejected"
	// NoticeApplications tells a reviewer how many applications wait.
	NoticeApplications Notice = "applications_waiting"

	NoticeAdministrator Notice = "administrator_made"    // to the person who became an administrator
	NoticeEmployee      Notice = "administrator_ended"   // to the person who is an employee now
	NoticeRoles         Notice = "administrator_changed" // to the other administrators; Login is the person's
)

// ErrMaybeSent is what SendSMS fails with when the provider may have sent the message: it counts, and its code is
// good.
var ErrMaybeSent = errors.New("portal: the message may have been sent")

// AskCodeInput asks for a code. Flow tells the browser, session or program that asks from others; what it is sent
// can be used there alone.
type AskCodeInput struct {
	Purpose   access.Purpose `form:"purpose"`
	Phone     string         `form:"phone" json:"phone_"`
	Login     string         `form:"login" json:"login_"` // a reset by account name
	CompanyID int64          `json:"company_id_"`
	AccountID int64          `form:"account_id"`          // the one to unbind
	Proof     string         `form:"proof" json:"proof_"` // the token of a proof of work, and its answer
	Work      string         `form:"work" json:"work_"`
	Question  string         `form:"question"`
	Answer    string         `form:"answer"`
	Add       bool           `form:"add"`    // registering: a company is added to a phone that is registered
	Invite    string         `form:"invite"` // setting up an account: the link that invited to it

	Session access.Session // of who is signed in, for bind and unbind
	Flow    string
	Browser bool   // a browser may answer a question instead of doing work
	Device  string // the browser's id, by which it may be known; "" for a program
	Place   access.Place
	Lang    string

	proofKey string // counts the asks that a proof names
	asks     int    // counted there before this one
	proven   bool   // this ask spends a proof
}

// CodeSent says when a code may be asked for again, and to which phone, masked, it went ("" for one typed).
type CodeSent struct {
	ResendAfter time.Duration
	Phone       string
}

// Recipient is who gets a code and what the code is for.
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

// Subject is what the countdown, the tries and the caps of a code belong to: the phone, or the account name that was
// typed instead. Two names of one phone each have their own, so that nobody learns that they share it.
func (to Recipient) Subject() string {
	if to.Name != "" {
		return sealing.NameSubject(to.Name)
	}
	return to.Phone
}

// AskCode sends a code. Refused: malformed phones, CodeAlreadySent with the seconds to wait, TooManyAttempts past
// the caps, a proof that is due, SMSUnavailable when the provider failed, which costs nothing; and whatever the
// purpose refuses (see recipientOf).
func (v *Verification) AskCode(ctx context.Context, in AskCodeInput) (CodeSent, error) {
	to, err := v.FindRecipient(ctx, &in)
	if err != nil {
		return CodeSent{}, err
	}
	now := v.now()
	code := newCode()
	sealed, err := v.sealing.Seal("code phone", to.Phone)
	if err != nil {
		return CodeSent{}, err
	}
	c := store.Code{
		Subject: v.sealing.CodeSubject(to.Subject()), Purpose: string(in.Purpose), CompanyID: in.CompanyID,
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
	if to.Hidden && !to.Silent && !v.strict {
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
	err = v.db.Tx(ctx, func(tx *store.DB) error {
		put, err := tx.PutCode(ctx, c, store.At(now.Add(-v.resend)))
		if err != nil {
			return err
		}
		if !put {
			return access.CodeAlreadySent
		}
		if watched, silent, err = v.countMessage(ctx, tx, in, to, now); err != nil {
			return err
		}
		return v.access.Event(
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

// alreadySent tells the seconds until the next code.
func (v *Verification) alreadySent(ctx context.Context, c store.Code) error {
	before, err := v.db.CodeOf(ctx, c.Subject, c.Purpose, c.CompanyID)
	if errors.Is(err, store.ErrNotFound) { // it could not be sent, and was taken back
		return &access.Refused{Refusal: access.SMSUnavailable}
	}
	if err != nil {
		return err
	}
	return &access.Refused{Refusal: access.CodeAlreadySent, Wait: v.resendAfter(before)}
}

func (v *Verification) resendAfter(c store.Code) time.Duration {
	return max(0, c.SentAt.Time().Add(v.resend).Sub(v.now()))
}

// deliver hands the message over once all is written down (never inside a transaction). What a provider cannot
// send is taken back: it neither counts nor waits.
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
	if v.strict { // the time a provider takes would tell who is known
		v.running.Go(func() { _ = v.deliverNow(context.WithoutCancel(ctx), m, in, to, c) })
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
	v.log.LogAttrs(
		ctx,
		slog.LevelError,
		"sms failed",
		slog.String("request_id", access.CallerOf(ctx).RequestID),
		slog.String("message", m.ID),
		slog.Any("error", err),
	)
	if v.strict {
		return nil // the next ask would tell
	}
	err = v.db.Tx(lasting, func(tx *store.DB) error {
		if err := tx.DropCode(lasting, c); err != nil {
			return err
		}
		return v.uncountMessage(lasting, tx, in, to)
	})
	if err != nil {
		return err
	}
	return &access.Refused{Refusal: access.SMSUnavailable}
}

func (v *Verification) SendInBackground(ctx context.Context, m Message) {
	m.ID = access.RandomString()
	v.running.Go(func() {
		if err := v.SendSMS(context.WithoutCancel(ctx), m); err != nil {
			v.log.LogAttrs(ctx, slog.LevelError, "sms failed", slog.String("message", m.ID), slog.Any("error", err))
		}
	})
}

// PendingCode is a code that a flow asked for: its phone, and the seconds until the next one. For the page that
// is shown again.
type PendingCode struct {
	Phone       string
	Hidden      bool // the asker named an account: show the phone masked
	Target      string
	ResendAfter time.Duration
	Proven      bool // it was right already
}

// PendingCode reads what a flow asked for last; ok is false when there is nothing to resume.
func (v *Verification) PendingCode(
	ctx context.Context, flow string, purpose access.Purpose,
) (pending PendingCode, ok bool, err error) {
	if flow == "" {
		return pending, false, nil
	}
	c, err := v.db.CodeOfFlow(ctx, v.Flow(flow), string(purpose))
	if errors.Is(err, store.ErrNotFound) {
		return pending, false, nil
	}
	if err != nil {
		return pending, false, err
	}
	now := store.At(v.now())
	if c.ExpiresAt <= now && c.ProvenUntil <= now {
		return pending, false, nil
	}
	if err := v.sealing.Unseal("code phone", c.Phone, &pending.Phone); err != nil {
		return pending, false, nil //nolint:nilerr // another master key: begin again
	}
	pending.Target = c.Target
	pending.Hidden = purpose == ForUnbind || purpose == ForOldPhone || purpose == ForRole ||
		purpose == ForReset && strings.HasPrefix(c.Target, sealing.TargetAccount)
	if v.strict && pending.Hidden {
		pending.Phone = ""
	}
	pending.ResendAfter, pending.Proven = v.resendAfter(c), c.ProvenUntil > now
	return pending, true, nil
}

// CodeProof is what a right code proved, to be spent in the transaction of what it was for.
type CodeProof struct {
	Code  store.Code
	Phone string
}

// ProveCode counts a try and compares. It refuses with CodeWrong; with CodeExpired a code that expired, was used, was
// tried too often, or was sent to another phone, purpose, company or flow; with TooManyAttempts past the day's tries.
func (v *Verification) ProveCode(
	ctx context.Context, phone string, purpose access.Purpose, companyID int64, flow, target, typed string,
) (CodeProof, error) {
	return v.ProveCodeTo(ctx, Recipient{Phone: phone, Target: target}, purpose, companyID, flow, typed)
}

// ProveCodeTo is ProveCode for a code that somebody may have asked for by an account name.
func (v *Verification) ProveCodeTo(
	ctx context.Context, to Recipient, purpose access.Purpose, companyID int64, flow, typed string,
) (CodeProof, error) {
	now := v.now()
	c, err := v.db.TryCode(ctx, store.Code{
		Subject: v.sealing.CodeSubject(to.Subject()), Purpose: string(purpose), CompanyID: companyID,
		Flow: v.Flow(flow), Target: to.Target,
	}, CodeTries, store.At(now))
	if errors.Is(err, store.ErrNotFound) {
		return CodeProof{}, &access.Refused{Refusal: access.CodeExpired}
	}
	if err != nil {
		return CodeProof{}, err
	}
	// Only attempts at an existing code count, so nobody can use up another person's attempts.
	if err := v.countTry(ctx, to.Subject(), purpose); err != nil {
		return CodeProof{}, err
	}
	var sentTo string
	if v.sealing.Unseal("code phone", c.Phone, &sentTo) != nil ||
		sentTo != to.Phone { // the account has another phone now
		return CodeProof{}, &access.Refused{Refusal: access.CodeExpired}
	}
	if subtle.ConstantTimeCompare([]byte(c.Hash), []byte(v.CodeHash(to.Phone, purpose, typed))) != 1 {
		v.access.LogSecurity(ctx, access.LogInfo, "code_failed", slog.String("detail", string(purpose)))
		return CodeProof{}, &access.Refused{Refusal: access.CodeWrong}
	}
	if err := v.db.ProveCode(ctx, c, store.At(now), store.At(now.Add(ProofLife))); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = &access.Refused{Refusal: access.CodeExpired}
		}
		return CodeProof{}, err
	}
	return CodeProof{c, to.Phone}, nil
}

// Proven finds what a flow proved before and has not used yet; CodeExpired when there is nothing.
func (v *Verification) Proven(
	ctx context.Context, flow string, purpose access.Purpose, target string,
) (CodeProof, error) {
	c, err := v.db.CodeOfFlow(ctx, v.Flow(flow), string(purpose))
	if err == nil && (c.ProvenUntil <= store.At(v.now()) || c.Target != target) {
		err = store.ErrNotFound
	}
	if errors.Is(err, store.ErrNotFound) {
		return CodeProof{}, &access.Refused{Refusal: access.CodeExpired}
	}
	if err != nil {
		return CodeProof{}, err
	}
	proof := CodeProof{Code: c}
	if v.sealing.Unseal("code phone", c.Phone, &proof.Phone) != nil { // no master key opens it
		return CodeProof{}, &access.Refused{Refusal: access.CodeExpired}
	}
	return proof, nil
}

// Spend uses a proof up: of many at once one goes on.
func (v *Verification) Spend(ctx context.Context, tx *store.DB, proof CodeProof) error {
	err := tx.SpendProof(ctx, proof.Code, store.At(v.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = &access.Refused{Refusal: access.CodeExpired}
	}
	return err
}

// NormalCode drops what phones and people put around a code, and says whether six digits are left.
func NormalCode(typed string) (code string, ok bool) {
	if len(typed) > access.MaxTyped {
		return "", false
	}
	digits := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return r
		case r >= '０' && r <= '９':
			return '0' + r - '０'
		case r == ' ' || r == '-' || r == '\u00a0' || r == '\u3000':
			return -1
		}
		return 'x'
	}, typed)
	return digits, len(digits) == CodeDigits && !strings.Contains(digits, "x")
}

// CodeProblem names what is wrong with a typed code, "" for nothing.
func CodeProblem(typed string) access.Problem {
	if strings.TrimSpace(typed) == "" {
		return access.CodeRequired
	}
	if _, ok := NormalCode(typed); !ok {
		return access.CodeMalformed
	}
	return ""
}

func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return fmt.Sprintf("%06d", n.Int64())
}

func (v *Verification) CodeHash(phone string, purpose access.Purpose, code string) string {
	return v.sealing.Tag("code", phone+"\x00"+string(purpose)+"\x00"+code)
}

// NewFlow is an id for a browser that asks for codes; IsFlow says whether a text can be one.
func NewFlow() string { return access.RandomToken(16) }

// IsFlow says whether a text can be the id of a flow.
func IsFlow(id string) bool { return len(id) == 22 }

func (v *Verification) Flow(id string) string { return v.sealing.Tag("flow", id) }

const (
	TargetPhone  = "phone"
	TargetNobody = "account:0"
)

// hostOf is the host of an origin of ours, without the port: what phones offer a code to is never what a request
// said.
func hostOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	host, _ = access.NormalHost(host)
	return host
}

const (
	// maxCompanyText is the longest company name in a message, in characters.
	maxCompanyText = 20
	// maxCompanyDigits is how many digits it may have before they look like a code.
	maxCompanyDigits = 3
)

// NameInMessages returns the name by which messages mention a company, "" for none: its name while that is the one the
// operator confirmed. Anybody can open a company, and its administrators choose its name.
func NameInMessages(c store.Company) string {
	if !NameConfirmed(c) {
		return ""
	}
	return cleanCompany(c.Name)
}

// NameConfirmed says whether the operator has confirmed the name that a company uses now.
func NameConfirmed(c store.Company) bool { return c.Name == c.ConfirmedName }

// cleanCompany keeps the letters and digits of a company's name: nothing in a message looks like a link or a second
// code.
func cleanCompany(name string) string {
	digits := 0
	for _, r := range name {
		if unicode.IsNumber(r) {
			digits++
		}
	}
	var kept strings.Builder
	n := 0
	for _, r := range name {
		switch {
		case n == maxCompanyText || unicode.IsNumber(r) && digits > maxCompanyDigits:
			continue
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			kept.WriteRune(r)
		case r == ' ' && kept.Len() > 0:
			kept.WriteByte(' ')
		default:
			continue
		}
		n++
	}
	return strings.Join(strings.Fields(kept.String()), " ")
}

// LookUpsADay is how often what a phone's proofs have made may be asked for again in a day.
const LookUpsADay = 40

// CodeFields puts a phone and the code sent to it into their one spelling, or says what is wrong with them.
func CodeFields(phone, code *string) access.Fields {
	fields := access.PhoneFields(phone)
	if problem := CodeProblem(*code); problem != "" {
		fields["code"] = problem
	}
	*code, _ = NormalCode(*code)
	return fields
}
