package office_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
)

const CardOf1001 = "6222000000000001"

func TestACompanySetsTheBankAccountThatItsCustomersSee(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		admin, buyer := p.Office("jinsui"), p.Office("buyer1")
		if a, err := p.Backoffice.PayTo(t.Context(), buyer); err != nil || a != (office.BankAccountInput{}) {
			t.Fatal(a, err)
		}
		in := office.BankAccountInput{Holder: " 金穗粮油有限公司 ", Bank: "示例银行", Card: "６２２２ 0000-0000 0001"}
		if err := p.Backoffice.SetBankAccount(t.Context(), admin, in); err != nil {
			t.Fatal(err)
		}
		want := office.BankAccountInput{Holder: "金穗粮油有限公司", Bank: "示例银行", Card: CardOf1001}
		if a, err := p.Backoffice.PayTo(t.Context(), buyer); err != nil || a != want {
			t.Error(a, err)
		}
		if a, err := p.Backoffice.BankAccountOf(t.Context(), admin); err != nil || WithoutSeen(a) != want {
			t.Error(a, err)
		}
		if err := p.Backoffice.SetBankAccount(t.Context(), admin, in); err != nil { // sent twice
			t.Error(err)
		}
		if p.CountEvents(1001, "bank_account_set") != 1 || strings.Count(p.DumpRows(), CardOf1001) != 1 {
			t.Error("it is not noted once, or its number is elsewhere, too")
		}
		if log, err := p.Access.Audit(t.Context(), admin, access.AuditFilter{Of: access.AuditSettings}); err != nil ||
			log.Events[0].Card != "•••• 0001" {
			t.Error("what it was set to is not said:", log, err)
		}
		want.Bank, in.Bank = "另一银行", "另一银行"
		if err := p.Backoffice.SetBankAccount(t.Context(), admin, in); err != nil {
			t.Fatal(err)
		}
		if a, err := p.Backoffice.PayTo(t.Context(), buyer); err != nil || a != want {
			t.Error(a, err)
		}
		if err := p.Backoffice.SetBankAccount(t.Context(), admin, office.BankAccountInput{Card: " "}); err != nil {
			t.Fatal(err)
		}
		if a, err := p.Backoffice.PayTo(t.Context(), buyer); err != nil || a != (office.BankAccountInput{}) ||
			p.CountEvents(1001, "bank_account_removed") != 1 {
			t.Error(a, err)
		}
	})
}

// WithoutSeen returns the input without the tag of the values that the form showed.
func WithoutSeen(a office.BankAccountInput) office.BankAccountInput {
	a.Seen = ""
	return a
}

func TestTheSecondOfTwoChangesOfABankAccountIsRefused(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		first, second := p.Office("jinsui"), p.Office("jinsui")
		set := func(here access.Landing, card, seen string) error {
			return p.Backoffice.SetBankAccount(t.Context(), here, office.BankAccountInput{
				Holder: "金穗", Bank: "示例银行", Card: card, Seen: seen,
			})
		}
		seen := func() string {
			a, err := p.Backoffice.BankAccountOf(t.Context(), second)
			portaltest.NoError(t, err)
			return a.Seen
		}
		none := seen()
		portaltest.NoError(t, set(first, CardOf1001, none))
		for _, stale := range []string{none, "x"} {
			portaltest.WantField(t, set(second, "6222000000000002", stale), "seen", office.BankChanged)
			portaltest.WantField(
				t, p.Backoffice.SetBankAccount(t.Context(), second, office.BankAccountInput{Seen: stale}), "seen",
				office.BankChanged,
			)
		}
		if a, err := p.Backoffice.PayTo(t.Context(), p.Office("buyer1")); err != nil || a.Card != CardOf1001 {
			t.Error(a, err)
		}
		portaltest.NoError(t, set(second, CardOf1001, none)) // as it is already
		was := seen()
		portaltest.NoError(t, set(second, "6222000000000002", was))
		// in the same millisecond, too
		portaltest.WantField(t, set(first, CardOf1001, was), "seen", office.BankChanged)
	})
}

func TestAnIncompleteBankAccountIsRefused(t *testing.T) {
	whole := func(change func(*office.BankAccountInput)) office.BankAccountInput {
		in := office.BankAccountInput{Holder: "金穗", Bank: "示例银行", Card: CardOf1001}
		change(&in)
		return in
	}
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		admin, before := p.Office("jinsui"), p.DumpRows()
		for _, c := range []struct {
			in   office.BankAccountInput
			want access.Fields
		}{
			{whole(func(in *office.BankAccountInput) { in.Holder = "" }), access.Fields{
				"bank_holder": office.HolderRequired,
			}},
			{whole(func(in *office.BankAccountInput) { in.Bank = " " }), access.Fields{
				"bank_name": office.BankRequired,
			}},
			{whole(func(in *office.BankAccountInput) { in.Card = "" }), access.Fields{
				"bank_card": office.CardRequired,
			}},
			{whole(func(in *office.BankAccountInput) { in.Card = "62220000000" }), access.Fields{
				"bank_card": office.CardMalformed,
			}},
			{whole(func(in *office.BankAccountInput) { in.Card = strings.Repeat("6", 20) }), access.Fields{
				"bank_card": office.CardMalformed,
			}},
			{whole(func(in *office.BankAccountInput) { in.Card = "6222 0000 0000 000x" }), access.Fields{
				"bank_card": office.CardMalformed,
			}},
			{
				whole(func(in *office.BankAccountInput) { in.Holder = strings.Repeat("长", 61) }),
				access.Fields{"bank_holder": access.TextMalformed},
			},
			{office.BankAccountInput{Bank: "x\x00"}, access.Fields{
				"bank_holder": office.HolderRequired, "bank_name": access.TextMalformed,
				"bank_card": office.CardRequired,
			}},
		} {
			refused := new(access.Refused)
			if err := p.Backoffice.SetBankAccount(t.Context(), admin, c.in); !errors.As(err, &refused) ||
				!maps.Equal(refused.Fields, c.want) || p.DumpRows() != before {
				t.Errorf("%+v: %v, want %v", c.in, err, c.want)
			}
		}
	})
}

func TestTheLongestBankAccountIsAccepted(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := office.BankAccountInput{
			Holder: strings.Repeat("长", 60), Bank: strings.Repeat("长", 60), Card: "6222 0000 0000 0000 001",
		}
		portaltest.NoError(t, p.Backoffice.SetBankAccount(t.Context(), p.Office("jinsui"), in))
		if len(in.Card) != office.MaxCardTyped { // the page's field takes no more
			t.Errorf("a field takes %d characters, the longest card has %d", office.MaxCardTyped, len(in.Card))
		}
		in.Bank += "长"
		portaltest.WantField(
			t, p.Backoffice.SetBankAccount(t.Context(), p.Office("jinsui"), in), "bank_name", access.TextMalformed,
		)
	})
}

func TestABankAccountBelongsToOneCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		if err := p.Backoffice.SetBankAccount(t.Context(), p.Office("jinsui"), office.BankAccountInput{
			Holder: "金穗", Bank: "示例银行", Card: CardOf1001,
		}); err != nil {
			t.Fatal(err)
		}
		before := p.DumpRows()
		none := office.BankAccountInput{}
		if a, err := p.Backoffice.BankAccountOf(t.Context(), p.Office("northwind")); err != nil ||
			WithoutSeen(a) != none {
			t.Error("another company reads it:", a, err)
		}
		if a, err := p.Backoffice.PayTo(t.Context(), p.Office("li.lights")); err != nil || a != none {
			t.Error("another company's customer reads it:", a, err)
		}
		for login, want := range map[string]error{"li.manager": access.Forbidden, "buyer1": access.NotFound} {
			_, err := p.Backoffice.BankAccountOf(t.Context(), p.Office(login))
			if err = errors.Join(
				err, p.Backoffice.SetBankAccount(t.Context(), p.Office(login), none),
			); !errors.Is(err, want) {
				t.Errorf("%s: %v", login, err)
			}
		}
		if _, err := p.Backoffice.PayTo(t.Context(), p.Office("jinsui")); !errors.Is(err, access.NotFound) {
			t.Error("an account without a customer sees the bank account:", err)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}

func TestACardNumberIsReadInAnyGroupingAndMasked(t *testing.T) {
	for typed, want := range map[string]string{
		"6222 0000 0000 0001": CardOf1001, "6222-0000-0000-0001": CardOf1001, " ６２２２0000　00000001\n": CardOf1001,
		"": "", "x": "", "6222.0": "", "+86": "", "٦٢٢٢": "", "6222²": "", "①②③④": "", "𝟔𝟐𝟐𝟐": "", "6222\u202e0000": "",
		"6222\u200b0000":         "",
		strings.Repeat("1", 400): "",
	} {
		if digits, ok := office.NormalDigits(typed); ok != (want != "") || ok && digits != want {
			t.Errorf("%q: %q %v", typed, digits, ok)
		}
	}
	if got := office.MaskCard(CardOf1001); got != "•••• 0001" || office.MaskCard("123") != "" {
		t.Error(got)
	}
}
