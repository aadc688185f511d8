package portaltest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"portico/portal/access"
	"portico/portal/limits"
	"portico/portal/verification"
	"portico/store"
)

// FarAddress returns the nth of many addresses, each in a /16 of its own.
func FarAddress(n int) string { return fmt.Sprintf("%d.%d.7.9", 11+n/200, n%200) }

// Spend makes strangers use up their share of the hour, from addresses in different /16 networks.
func (p *Carer) Spend(messages int) {
	p.T.Helper()
	for n := range messages {
		NoError(p.T, p.Anyone(n, FarAddress(n)))
	}
}

// Trial gives a number a sandbox and nothing else. Anybody who has the number once can do this.
func (p *Carer) Trial(number string) {
	p.T.Helper()
	_, err := p.Db.Phones.Add(p.T.Context(), store.Phone{Phone: number, CreatedAt: 1})
	NoError(p.T, err)
	phone, now := PhoneOf(p.T, p.Db, number), store.At(p.Clock.Now())
	id, err := p.Db.Companies.Add(p.T.Context(), store.Company{
		Name:      "Prueba",
		Language:  "es",
		Standing:  store.Trial,
		EndsAt:    now + store.Instant(24*time.Hour/time.Millisecond),
		Mall:      store.MallOpen,
		Sandbox:   true,
		CreatedAt: now,
		UpdatedAt: now,
	})
	NoError(p.T, err)
	_, err = p.Db.Accounts.Add(p.T.Context(), store.Account{
		CompanyID: id, Login: "trial" + number, Side: store.Mgr, Type: store.TypeAdministrator, Name: "谁",
		PhoneID: phone.ID, State: store.AccountActive, CreatedAt: 1,
	})
	NoError(p.T, err)
}

// Scattered is the nth of many numbers with a prefix that are not consecutive.
func Scattered(prefix string, n int) string {
	return fmt.Sprintf("%s%08d", prefix, n*10_007%100_000_000)
}

// Anyone asks for a code that every phone may have, from an address.
func (p *Carer) Anyone(n int, address string) error {
	p.T.Helper()
	_, err := p.AskFrom(address, p.Asking(verification.ForExperience, Scattered("139", n), verification.NewFlow()))
	return err
}

// Over demands that an ask is past a cap, and neither sends nor counts.
func (p *Carer) Over(ask func() error) time.Duration {
	p.T.Helper()
	before, sent := p.Counters(), len(p.Sms.Codes())
	with := Refused(p.T, ask(), access.TooManyAttempts)
	if with.Wait <= 0 || with.Wait > 24*time.Hour {
		p.T.Errorf("the wait is %v", with.Wait)
	}
	if p.Counters() != before {
		p.T.Error("something was counted all the same")
	}
	if n := len(p.Sms.Codes()); n != sent {
		p.T.Errorf("%d were sent", n-sent)
	}
	return with.Wait
}

// KnownAsks returns a function that requests a code for a phone, in a browser that has signed in with the phone.
func (p *Carer) KnownAsks() func(company int64, phone string) error {
	p.T.Helper()
	devices := map[string]string{}
	for _, phone := range DemoPhones {
		devices[phone] = p.SignIn(AccountHost, phone).Device
	}
	return func(company int64, phone string) error {
		in := p.Asking(verification.ForApplication, phone, verification.NewFlow())
		in.CompanyID, in.Device = company, devices[phone]
		_, err := p.Ask(in)
		return err
	}
}

// BudgetLines counts the log lines about a budget at a level.
func (p *Carer) BudgetLines(of, level string) int {
	return p.Log.Count(`"event":"sms_budget"`, `"of":"`+of+`"`, `"level":"`+level+`"`)
}

// DemoPhones are registered phones that can sign in.
var DemoPhones = []string{BuyerPhone, ManagerPhone, ManyPhone, BothPhone}

// Browsing is an ask by a browser for any phone.
func (p *Carer) Browsing(n int, flow string) verification.AskCodeInput {
	p.T.Helper()
	in := p.Asking(verification.ForExperience, fmt.Sprintf("139%08d", n), flow)
	in.Browser = true
	return in
}

// Due demands that an ask is refused for want of a proof, sends and counts nothing, and gives what may be proven.
func (p *Carer) Due(in verification.AskCodeInput, want access.Problem) *access.Refused {
	p.T.Helper()
	before, sent := p.Counters(), len(p.Sms.Codes())
	_, err := p.Ask(in)
	with := Refused(p.T, err, access.ValidationFailed)
	if with.Fields["answer"] != want || with.Question == nil || with.Work == nil || with.Work.Bits != limits.WorkBits {
		p.T.Fatalf("%+v", with)
	}
	if p.Counters() != before || len(p.Sms.Codes()) != sent {
		p.T.Error("it was counted or sent")
	}
	return with
}

// Work does what was set: the smallest number that fits, and one that does not.
func Work(w *access.Work) (right, wrong string) {
	text := append([]byte(w.Token), ':')
	for n := uint64(0); ; n++ {
		text = strconv.AppendUint(text[:len(w.Token)+1], n, 10)
		sum := sha256.Sum256(text)
		if bits.LeadingZeros64(binary.BigEndian.Uint64(sum[:])) >= w.Bits {
			return strconv.FormatUint(n, 10), strconv.FormatUint(n+1, 10)
		}
	}
}

// OnlyNotice returns the notice that was sent since the last call; there must be exactly one.
func (p *Carer) OnlyNotice() verification.Message {
	p.T.Helper()
	p.Settle()
	notices := slices.DeleteFunc(p.Sms.Messages(), func(m verification.Message) bool { return m.Notice == "" })
	p.Sms.Forget()
	if len(notices) != 1 {
		p.T.Fatalf("%d notices were sent", len(notices))
	}
	return notices[0]
}

// Forget drops the messages that were sent so far.
func (s *Provider) Forget() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Got = nil
}

// WantNotice demands that one notice was sent since the last call, and what it says.
func (p *Carer) WantNotice(what string, want verification.Message) {
	p.T.Helper()
	got := p.OnlyNotice()
	if want.ID, want.At = got.ID, p.Clock.Now(); got != want {
		p.T.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

// NameOf is the name that messages give the company of an account.
func (p *Carer) NameOf(login string) string {
	return verification.NameInMessages(p.Account(login).Company)
}
