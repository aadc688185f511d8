package portal_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"portico/portal"
)

const cardOf1001 = "6222000000000001"

func TestACompanyNamesTheAccountItsCustomersPayTo(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		admin, buyer := p.office("jinsui"), p.office("buyer1")
		if a, err := p.PayTo(t.Context(), buyer); err != nil || a != (portal.BankAccountInput{}) {
			t.Fatal(a, err)
		}
		in := portal.BankAccountInput{Holder: " 金穗粮油有限公司 ", Bank: "示例银行", Card: "６２２２ 0000-0000 0001"}
		if err := p.SetBankAccount(t.Context(), admin, in); err != nil {
			t.Fatal(err)
		}
		want := portal.BankAccountInput{Holder: "金穗粮油有限公司", Bank: "示例银行", Card: cardOf1001}
		if a, err := p.PayTo(t.Context(), buyer); err != nil || a != want {
			t.Error(a, err)
		}
		if a, err := p.BankAccountOf(t.Context(), admin); err != nil || unseen(a) != want {
			t.Error(a, err)
		}
		if err := p.SetBankAccount(t.Context(), admin, in); err != nil { // sent twice
			t.Error(err)
		}
		if p.events(1001, "bank_account_set") != 1 || strings.Count(p.rows(), cardOf1001) != 1 {
			t.Error("it is not noted once, or its number is elsewhere, too")
		}
		if log, err := p.Audit(t.Context(), admin, portal.AuditSettings, 0); err != nil || log.Events[0].Card != "•••• 0001" {
			t.Error("what it was set to is not said:", log, err)
		}
		want.Bank, in.Bank = "另一银行", "另一银行"
		if err := p.SetBankAccount(t.Context(), admin, in); err != nil {
			t.Fatal(err)
		}
		if a, err := p.PayTo(t.Context(), buyer); err != nil || a != want {
			t.Error(a, err)
		}
		if err := p.SetBankAccount(t.Context(), admin, portal.BankAccountInput{Card: " "}); err != nil {
			t.Fatal(err)
		}
		if a, err := p.PayTo(t.Context(), buyer); err != nil || a != (portal.BankAccountInput{}) || p.events(1001, "bank_account_removed") != 1 {
			t.Error(a, err)
		}
	})
}

// unseen is an account but for which one it is.
func unseen(a portal.BankAccountInput) portal.BankAccountInput {
	a.Seen = ""
	return a
}

func TestOfTwoWhoChangeTheAccountTheSecondIsTold(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		first, second := p.office("jinsui"), p.office("jinsui")
		set := func(here portal.Landing, card, seen string) error {
			return p.SetBankAccount(t.Context(), here, portal.BankAccountInput{Holder: "金穗", Bank: "示例银行", Card: card, Seen: seen})
		}
		seen := func() string {
			a, err := p.BankAccountOf(t.Context(), second)
			noError(t, err)
			return a.Seen
		}
		none := seen()
		noError(t, set(first, cardOf1001, none))
		for _, stale := range []string{none, "x"} {
			field(t, set(second, "6222000000000002", stale), "seen", portal.BankChanged)
			field(t, p.SetBankAccount(t.Context(), second, portal.BankAccountInput{Seen: stale}), "seen", portal.BankChanged)
		}
		if a, err := p.PayTo(t.Context(), p.office("buyer1")); err != nil || a.Card != cardOf1001 {
			t.Error(a, err)
		}
		noError(t, set(second, cardOf1001, none)) // as it is already
		was := seen()
		noError(t, set(second, "6222000000000002", was))
		field(t, set(first, cardOf1001, was), "seen", portal.BankChanged) // in the same millisecond, too
	})
}

func TestAnAccountThatIsNotWholeIsRefused(t *testing.T) {
	whole := func(change func(*portal.BankAccountInput)) portal.BankAccountInput {
		in := portal.BankAccountInput{Holder: "金穗", Bank: "示例银行", Card: cardOf1001}
		change(&in)
		return in
	}
	each(t, func(t *testing.T, p *platform) {
		admin, before := p.office("jinsui"), p.rows()
		for _, c := range []struct {
			in   portal.BankAccountInput
			want portal.Fields
		}{
			{whole(func(in *portal.BankAccountInput) { in.Holder = "" }), portal.Fields{"bank_holder": portal.HolderRequired}},
			{whole(func(in *portal.BankAccountInput) { in.Bank = " " }), portal.Fields{"bank_name": portal.BankRequired}},
			{whole(func(in *portal.BankAccountInput) { in.Card = "" }), portal.Fields{"bank_card": portal.CardRequired}},
			{whole(func(in *portal.BankAccountInput) { in.Card = "62220000000" }), portal.Fields{"bank_card": portal.CardMalformed}},
			{whole(func(in *portal.BankAccountInput) { in.Card = strings.Repeat("6", 20) }), portal.Fields{"bank_card": portal.CardMalformed}},
			{whole(func(in *portal.BankAccountInput) { in.Card = "6222 0000 0000 000x" }), portal.Fields{"bank_card": portal.CardMalformed}},
			{whole(func(in *portal.BankAccountInput) { in.Holder = strings.Repeat("长", 61) }), portal.Fields{"bank_holder": portal.TextMalformed}},
			{portal.BankAccountInput{Bank: "x\x00"}, portal.Fields{"bank_holder": portal.HolderRequired, "bank_name": portal.TextMalformed, "bank_card": portal.CardRequired}},
		} {
			refused := new(portal.Refused)
			if err := p.SetBankAccount(t.Context(), admin, c.in); !errors.As(err, &refused) || !maps.Equal(refused.Fields, c.want) || p.rows() != before {
				t.Errorf("%+v: %v, want %v", c.in, err, c.want)
			}
		}
	})
}

func TestAnAccountIsItsCompanysAlone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		if err := p.SetBankAccount(t.Context(), p.office("jinsui"), portal.BankAccountInput{Holder: "金穗", Bank: "示例银行", Card: cardOf1001}); err != nil {
			t.Fatal(err)
		}
		before := p.rows()
		none := portal.BankAccountInput{}
		if a, err := p.BankAccountOf(t.Context(), p.office("northwind")); err != nil || unseen(a) != none {
			t.Error("another company reads it:", a, err)
		}
		if a, err := p.PayTo(t.Context(), p.office("li.lights")); err != nil || a != none {
			t.Error("another company's customer reads it:", a, err)
		}
		for login, want := range map[string]error{"li.manager": portal.Forbidden, "buyer1": portal.NotFound} {
			_, err := p.BankAccountOf(t.Context(), p.office(login))
			if err = errors.Join(err, p.SetBankAccount(t.Context(), p.office(login), none)); !errors.Is(err, want) {
				t.Errorf("%s: %v", login, err)
			}
		}
		if _, err := p.PayTo(t.Context(), p.office("jinsui")); !errors.Is(err, portal.NotFound) {
			t.Error("who is no customer is told where to pay:", err)
		}
		if p.rows() != before {
			t.Error("something was written")
		}
	})
}

func TestACardIsReadInAnyGroupingAndMaskedInLists(t *testing.T) {
	for typed, want := range map[string]string{
		"6222 0000 0000 0001": cardOf1001, "6222-0000-0000-0001": cardOf1001, " ６２２２0000　00000001\n": cardOf1001, "": "", "x": "", "6222.0": "", "+86": "", "٦٢٢٢": "", "6222²": "", "①②③④": "", "𝟔𝟐𝟐𝟐": "", "6222\u202e0000": "", "6222\u200b0000": "",
		strings.Repeat("1", 400): "",
	} {
		if digits, ok := portal.NormalDigits(typed); ok != (want != "") || ok && digits != want {
			t.Errorf("%q: %q %v", typed, digits, ok)
		}
	}
	if got := portal.MaskCard(cardOf1001); got != "•••• 0001" || portal.MaskCard("123") != "" {
		t.Error(got)
	}
}
