package portal

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

	codesKept = 25 * time.Hour
)

// Purpose is what a code is for; a code for one opens no other.
type Purpose string

// The purposes.
const (
	ForLogin        Purpose = "login"
	ForRegister     Purpose = "register"
	ForExperience   Purpose = "experience"
	ForBind         Purpose = "bind"
	ForUnbind       Purpose = "unbind"
	ForNewPhone     Purpose = "new_phone" // changing a phone: the new number
	ForOldPhone     Purpose = "old_phone" // changing a phone: the present number
	ForReset        Purpose = "reset"
	ForShopRegister Purpose = "shop_register" // setting up an account a company opened
	ForApplication  Purpose = "application"
	ForRole         Purpose = "role" // changing the administrator's role
)

// Message is a text to a phone. The door to the provider makes the words of it: Lang "zh", "es" or "en".
type Message struct {
	ID      string
	Phone   string // 11 digits
	Purpose Purpose
	Notice  Notice // instead of a code
	Code    string
	Lang    string
	Company string // mentioned in the text: a confirmed name, cleaned; "" for none
	Host    string // the host the code belongs to
	Way     string // the address a notice leads to, "" for none
	Login   string // the account that it is about, cleaned; "" for the phone itself
	App     ProviderName
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
	Purpose   Purpose `form:"purpose"`
	Phone     string  `form:"phone" json:"phone_"`
	Login     string  `form:"login" json:"login_"` // a reset by account name
	CompanyID int64   `json:"company_id_"`
	AccountID int64   `form:"account_id"`          // the one to unbind
	Proof     string  `form:"proof" json:"proof_"` // the token of a proof of work, and its answer
	Work      string  `form:"work" json:"work_"`
	Question  string  `form:"question"`
	Answer    string  `form:"answer"`
	Add       bool    `form:"add"`    // registering: a company is added to a phone that is registered
	Invite    string  `form:"invite"` // setting up an account: the link that invited to it

	Session Session // of who is signed in, for bind and unbind
	Flow    string
	Browser bool   // a browser may answer a question instead of doing work
	Device  string // the browser's id, by which it may be known; "" for a program
	Place   Place
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

// recipient is who gets a code and what the code is for.
type recipient struct {
	phone       string
	name        string // the key of the account name that was typed instead of a phone
	target      string
	login       string        // of the account that the code is for, "" for none
	company     store.Company // zero: none
	asker       asker
	silent      bool // nobody gets a code, and the answer must not reveal that
	sandboxOnly bool // strict mode: the phone has only accounts in sandboxes, and the answer must not reveal that
	hidden      bool // the asker did not type the phone
}

// subject is what the countdown, the tries and the caps of a code belong to: the phone, or the account name that was
// typed instead. Two names of one phone each have their own, so that nobody learns that they share it.
func (to recipient) subject() string {
	if to.name != "" {
		return nameSubject(to.name)
	}
	return to.phone
}

// AskCode sends a code. Refused: malformed phones, CodeAlreadySent with the seconds to wait, TooManyAttempts past
// the caps, a proof that is due, SMSUnavailable when the provider failed, which costs nothing; and whatever the
// purpose refuses (see recipientOf).
func (p *Portal) AskCode(ctx context.Context, in AskCodeInput) (CodeSent, error) {
	to, err := p.recipientOf(ctx, &in)
	if err != nil {
		return CodeSent{}, err
	}
	now := p.now()
	code := newCode()
	sealed, err := p.seal("code phone", to.phone)
	if err != nil {
		return CodeSent{}, err
	}
	c := store.Code{
		Subject: p.codeSubject(to.subject()), Purpose: string(in.Purpose), CompanyID: in.CompanyID,
		Phone: sealed, Flow: p.flow(in.Flow), Target: to.target,
		Hash: p.codeHash(to.phone, in.Purpose, code), SentAt: store.At(now), ExpiresAt: store.At(now.Add(CodeLife)),
	}
	in.proofKey = p.proofKey(in, c)
	if err := p.mayAsk(ctx, &in, to, c); err != nil {
		return CodeSent{}, err
	}
	silent, err := p.record(ctx, in, to, c, now)
	if err != nil {
		return CodeSent{}, err
	}
	to.silent = to.silent || silent
	if err := p.deliver(ctx, in, to, c, code); err != nil {
		return CodeSent{}, err
	}
	sent := CodeSent{ResendAfter: p.resend}
	if to.hidden && !to.silent && !p.strict {
		sent.Phone = MaskPhone(to.phone)
	}
	return sent, nil
}

// record stores the code and counts it in one transaction: of many requests at the same time, one succeeds. silent says
// that a cap was reached that must not be revealed: no message is sent.
func (p *Portal) record(
	ctx context.Context, in AskCodeInput, to recipient, c store.Code, now time.Time,
) (silent bool, err error) {
	var watched []messageCap
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		put, err := tx.PutCode(ctx, c, store.At(now.Add(-p.resend)))
		if err != nil {
			return err
		}
		if !put {
			return CodeAlreadySent
		}
		if watched, silent, err = p.countMessage(ctx, tx, in, to, now); err != nil {
			return err
		}
		return p.event(ctx, tx, "code_sent", store.Member{Account: store.Account{CompanyID: in.CompanyID}}, string(in.Purpose))
	})
	switch {
	case errors.Is(err, CodeAlreadySent):
		return false, p.alreadySent(ctx, c)
	case errors.Is(err, errProofUsed):
		if err = p.mayAsk(ctx, &in, to, c); err == nil { // returns what is due now
			err = &Refused{Refusal: NotAvailable, Wait: time.Second}
		}
		return false, err
	case err != nil:
		return false, err
	}
	p.logBudgets(ctx, watched)
	return silent, nil
}

// alreadySent tells the seconds until the next code.
func (p *Portal) alreadySent(ctx context.Context, c store.Code) error {
	before, err := p.db.CodeOf(ctx, c.Subject, c.Purpose, c.CompanyID)
	if errors.Is(err, store.ErrNotFound) { // it could not be sent, and was taken back
		return &Refused{Refusal: SMSUnavailable}
	}
	if err != nil {
		return err
	}
	return &Refused{Refusal: CodeAlreadySent, Wait: p.resendAfter(before)}
}

func (p *Portal) resendAfter(c store.Code) time.Duration {
	return max(0, c.SentAt.Time().Add(p.resend).Sub(p.now()))
}

// deliver hands the message over once all is written down (never inside a transaction). What a provider cannot
// send is taken back: it neither counts nor waits.
func (p *Portal) deliver(ctx context.Context, in AskCodeInput, to recipient, c store.Code, code string) error {
	if to.silent {
		return nil
	}
	m := Message{
		ID: RandomString(), Phone: to.phone, Purpose: in.Purpose, Code: code, Lang: in.Lang, Company: nameInMessages(to.company), Host: hostOf(in.Place.Origin),
		Login: loginInMessage(to.login),
	}
	if p.strict { // the time a provider takes would tell who is known
		p.running.Go(func() { _ = p.deliverNow(context.WithoutCancel(ctx), m, in, to, c) })
		return nil
	}
	return p.deliverNow(ctx, m, in, to, c)
}

func (p *Portal) deliverNow(ctx context.Context, m Message, in AskCodeInput, to recipient, c store.Code) error {
	lasting := store.AfterRequest(ctx) // the message is sent even if the caller hangs up
	err := p.sendSMS(lasting, m)
	if err == nil || errors.Is(err, ErrMaybeSent) {
		return nil
	}
	p.log.LogAttrs(ctx, slog.LevelError, "sms failed", slog.String("request_id", callerOf(ctx).RequestID), slog.String("message", m.ID), slog.Any("error", err))
	if p.strict {
		return nil // the next ask would tell
	}
	err = p.db.Tx(lasting, func(tx *store.DB) error {
		if err := tx.DropCode(lasting, c); err != nil {
			return err
		}
		return p.uncountMessage(lasting, tx, in, to)
	})
	if err != nil {
		return err
	}
	return &Refused{Refusal: SMSUnavailable}
}

func (p *Portal) tellBy(ctx context.Context, m Message) {
	m.ID = RandomString()
	p.running.Go(func() {
		if err := p.sendSMS(context.WithoutCancel(ctx), m); err != nil {
			p.log.LogAttrs(ctx, slog.LevelError, "sms failed", slog.String("message", m.ID), slog.Any("error", err))
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
func (p *Portal) PendingCode(
	ctx context.Context, flow string, purpose Purpose,
) (pending PendingCode, ok bool, err error) {
	if flow == "" {
		return pending, false, nil
	}
	c, err := p.db.CodeOfFlow(ctx, p.flow(flow), string(purpose))
	if errors.Is(err, store.ErrNotFound) {
		return pending, false, nil
	}
	if err != nil {
		return pending, false, err
	}
	now := store.At(p.now())
	if c.ExpiresAt <= now && c.ProvenUntil <= now {
		return pending, false, nil
	}
	if err := p.unseal("code phone", c.Phone, &pending.Phone); err != nil {
		return pending, false, nil //nolint:nilerr // another master key: begin again
	}
	pending.Target = c.Target
	pending.Hidden = purpose == ForUnbind || purpose == ForOldPhone || purpose == ForRole ||
		purpose == ForReset && strings.HasPrefix(c.Target, targetAccount)
	if p.strict && pending.Hidden {
		pending.Phone = ""
	}
	pending.ResendAfter, pending.Proven = p.resendAfter(c), c.ProvenUntil > now
	return pending, true, nil
}

// codeProof is what a right code proved, to be spent in the transaction of what it was for.
type codeProof struct {
	code  store.Code
	phone string
}

// proveCode counts a try and compares. It refuses with CodeWrong; with CodeExpired a code that expired, was used, was
// tried too often, or was sent to another phone, purpose, company or flow; with TooManyAttempts past the day's tries.
func (p *Portal) proveCode(
	ctx context.Context, phone string, purpose Purpose, companyID int64, flow, target, typed string,
) (codeProof, error) {
	return p.proveCodeTo(ctx, recipient{phone: phone, target: target}, purpose, companyID, flow, typed)
}

// proveCodeTo is proveCode for a code that somebody may have asked for by an account name.
func (p *Portal) proveCodeTo(
	ctx context.Context, to recipient, purpose Purpose, companyID int64, flow, typed string,
) (codeProof, error) {
	now := p.now()
	c, err := p.db.TryCode(ctx, store.Code{
		Subject: p.codeSubject(to.subject()), Purpose: string(purpose), CompanyID: companyID,
		Flow: p.flow(flow), Target: to.target,
	}, CodeTries, store.At(now))
	if errors.Is(err, store.ErrNotFound) {
		return codeProof{}, &Refused{Refusal: CodeExpired}
	}
	if err != nil {
		return codeProof{}, err
	}
	// Only attempts at an existing code count, so nobody can use up another person's attempts.
	if err := p.countTry(ctx, to.subject(), purpose); err != nil {
		return codeProof{}, err
	}
	var sentTo string
	if p.unseal("code phone", c.Phone, &sentTo) != nil || sentTo != to.phone { // the account has another phone now
		return codeProof{}, &Refused{Refusal: CodeExpired}
	}
	if subtle.ConstantTimeCompare([]byte(c.Hash), []byte(p.codeHash(to.phone, purpose, typed))) != 1 {
		p.logSecurity(ctx, logInfo, "code_failed", slog.String("detail", string(purpose)))
		return codeProof{}, &Refused{Refusal: CodeWrong}
	}
	if err := p.db.ProveCode(ctx, c, store.At(now), store.At(now.Add(ProofLife))); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = &Refused{Refusal: CodeExpired}
		}
		return codeProof{}, err
	}
	return codeProof{c, to.phone}, nil
}

// proven finds what a flow proved before and has not used yet; CodeExpired when there is nothing.
func (p *Portal) proven(ctx context.Context, flow string, purpose Purpose, target string) (codeProof, error) {
	c, err := p.db.CodeOfFlow(ctx, p.flow(flow), string(purpose))
	if err == nil && (c.ProvenUntil <= store.At(p.now()) || c.Target != target) {
		err = store.ErrNotFound
	}
	if errors.Is(err, store.ErrNotFound) {
		return codeProof{}, &Refused{Refusal: CodeExpired}
	}
	if err != nil {
		return codeProof{}, err
	}
	proof := codeProof{code: c}
	if p.unseal("code phone", c.Phone, &proof.phone) != nil { // no master key opens it
		return codeProof{}, &Refused{Refusal: CodeExpired}
	}
	return proof, nil
}

// spend uses a proof up: of many at once one goes on.
func (p *Portal) spend(ctx context.Context, tx *store.DB, proof codeProof) error {
	err := tx.SpendProof(ctx, proof.code, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = &Refused{Refusal: CodeExpired}
	}
	return err
}

// normalCode drops what phones and people put around a code, and says whether six digits are left.
func normalCode(typed string) (code string, ok bool) {
	if len(typed) > maxTyped {
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

// codeProblem names what is wrong with a typed code, "" for nothing.
func codeProblem(typed string) Problem {
	if strings.TrimSpace(typed) == "" {
		return CodeRequired
	}
	if _, ok := normalCode(typed); !ok {
		return CodeMalformed
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

func (p *Portal) codeHash(phone string, purpose Purpose, code string) string {
	return p.tag("code", phone+"\x00"+string(purpose)+"\x00"+code)
}

// NewFlow is an id for a browser that asks for codes; IsFlow says whether a text can be one.
func NewFlow() string { return randomToken(16) }

// IsFlow says whether a text can be the id of a flow.
func IsFlow(id string) bool { return len(id) == 22 }

func (p *Portal) flow(id string) string { return p.tag("flow", id) }

// Targets of codes.
const (
	targetPhone   = "phone"
	targetAccount = "account:"
	targetNobody  = "account:0"
)

// hostOf is the host of an origin of ours, without the port: what phones offer a code to is never what a request
// said.
func hostOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	host, _ = NormalHost(host)
	return host
}

const (
	// maxCompanyText is the longest company name in a message, in characters.
	maxCompanyText = 20
	// maxCompanyDigits is how many digits it may have before they look like a code.
	maxCompanyDigits = 3
)

// nameInMessages returns the name by which messages mention a company, "" for none: its name while that is the one the
// operator confirmed. Anybody can open a company, and its administrators choose its name.
func nameInMessages(c store.Company) string {
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

// doneByCode does what doneBefore does, for an operation that a verification code proved. Each call counts, so that
// nobody can guess codes here: after LookUpsADay calls in a day it finds nothing.
func (p *Portal) doneByCode(
	ctx context.Context, purpose Purpose, phone, id string,
) (note store.Repeat, ok bool, err error) {
	err = p.countUpTo(ctx, p.db, "look-ups:"+string(purpose)+":"+p.codeSubject(phone), LookUpsADay, day)
	if errors.Is(err, TooManyAttempts) {
		return note, false, nil
	}
	if err != nil {
		return note, false, err
	}
	return p.doneBefore(ctx, id)
}

// LookUpsADay is how often what a phone's proofs have made may be asked for again in a day.
const LookUpsADay = 40

// codeFields puts a phone and the code sent to it into their one spelling, or says what is wrong with them.
func codeFields(phone, code *string) Fields {
	fields := phoneFields(phone)
	if problem := codeProblem(*code); problem != "" {
		fields["code"] = problem
	}
	*code, _ = normalCode(*code)
	return fields
}
