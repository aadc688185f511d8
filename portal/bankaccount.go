package portal

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portico/store"
)

// Limits of a bank account, in characters; a card's number is typed with its spaces.
const (
	MaxBankHolder = 60
	MaxBankName   = 60
	MaxCardTyped  = MaxCardDigits + (MaxCardDigits-1)/CardGroup
)

// CardPattern is the pattern of a card field: the number with or without its spaces.
const CardPattern = `\s*(\d\s*){12,19}`

// The problems of a bank account.
const (
	HolderRequired Problem = "holder_required"
	BankRequired   Problem = "bank_required"
	CardRequired   Problem = "card_required"
	CardMalformed  Problem = "card_malformed"
)

// BankAccountInput is where a company's customers pay to: all three, or none for no account.
type BankAccountInput struct {
	Holder string `form:"bank_holder"`
	Bank   string `form:"bank_name"`
	Card   string `form:"bank_card"` // typed in any grouping
}

// Validate brings the account into its one spelling and judges it.
func (in *BankAccountInput) Validate() error {
	fields := Fields{}
	line := func(name string, typed *string, longest int) bool {
		text, ok := NormalText(*typed, longest)
		if *typed = text; !ok {
			fields[name] = TextMalformed
		}
		return text == ""
	}
	noHolder, noBank := line("bank_holder", &in.Holder, MaxBankHolder), line("bank_name", &in.Bank, MaxBankName)
	card, ok := NormalDigits(in.Card)
	switch noCard := strings.TrimSpace(in.Card) == ""; {
	case noHolder && noBank && noCard:
		in.Card = ""
		return invalid(fields)
	case noCard:
		fields["bank_card"] = CardRequired
	case !ok || len(card) < MinCardDigits || len(card) > MaxCardDigits:
		fields["bank_card"] = CardMalformed
	default:
		in.Card = card
	}
	if noHolder && fields["bank_holder"] == "" {
		fields["bank_holder"] = HolderRequired
	}
	if noBank && fields["bank_name"] == "" {
		fields["bank_name"] = BankRequired
	}
	return invalid(fields)
}

// SetBankAccount says where a company's customers pay to; at once. Forbidden for others than its administrators; an account that
// is not whole, and a number that is no card's, are refused. The number is in no log.
func (p *Portal) SetBankAccount(ctx context.Context, here Landing, in BankAccountInput) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	return p.db.Tx(ctx, func(tx *store.DB) error {
		by, err := p.acting(ctx, tx, here, RightSettings)
		if err != nil {
			return err
		}
		if in.Card == "" {
			if err := tx.DropBankAccount(ctx, by.CompanyID); err != nil {
				return err
			}
			return p.event(ctx, tx, "bank_account_removed", by, "")
		}
		a := store.BankAccount{CompanyID: by.CompanyID, Holder: in.Holder, Bank: in.Bank, Card: in.Card, UpdatedAt: store.At(p.now())}
		if err := tx.PutBankAccount(ctx, a); err != nil {
			return err
		}
		return p.event(ctx, tx, "bank_account_set", by, "")
	})
}

// BankAccountOf is the account as it stands, for those who set it; empty where there is none. Forbidden.
func (p *Portal) BankAccountOf(ctx context.Context, here Landing) (BankAccountInput, error) {
	if err := may(here, RightSettings); err != nil {
		return BankAccountInput{}, err
	}
	return p.bankAccount(ctx, here)
}

// PayTo is where a customer pays what it orders from its own company; empty where that has named no account. NotFound for others.
func (p *Portal) PayTo(ctx context.Context, here Landing) (BankAccountInput, error) {
	if here.Member.Side != store.Shop || here.Member.ClientID == 0 {
		return BankAccountInput{}, NotFound
	}
	return p.bankAccount(ctx, here)
}

func (p *Portal) bankAccount(ctx context.Context, here Landing) (BankAccountInput, error) {
	a, err := p.db.BankAccountOf(ctx, here.Member.CompanyID)
	if errors.Is(err, store.ErrNotFound) {
		return BankAccountInput{}, nil
	}
	return BankAccountInput{Holder: a.Holder, Bank: a.Bank, Card: a.Card}, err
}

// NormalDigits gives a number in its one spelling, digits only: spaces and hyphens are dropped, full-width digits become plain
// ones. ok says whether nothing else was there.
func NormalDigits(typed string) (digits string, ok bool) {
	if len(typed) > maxTyped {
		return "", false
	}
	var plain strings.Builder
	for _, r := range norm.NFKC.String(typed) {
		switch {
		case r >= '0' && r <= '9':
			plain.WriteRune(r)
		case r == '-' || unicode.IsSpace(r):
		default:
			return "", false
		}
	}
	return plain.String(), plain.Len() > 0
}

// MaskCard is a card's number for lists: its last group alone, "•••• 0001".
func MaskCard(card string) string {
	if len(card) < MinCardDigits {
		return ""
	}
	return "•••• " + card[len(card)-CardGroup:]
}
