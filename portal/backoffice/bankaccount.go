package backoffice

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"portico/portal/access"
	"portico/store"
)

// Limits of a bank account, in characters; a card's number is typed with its spaces.
const (
	MaxBankHolder = 60
	MaxBankName   = 60
	MaxCardTyped  = access.MaxCardDigits + (access.MaxCardDigits-1)/access.CardGroup
)

// CardPattern is the pattern of a card field: the number with or without its spaces.
const CardPattern = `\s*(\d\s*){12,19}`

// The problems of a bank account.
const (
	HolderRequired access.Problem = "holder_required"
	BankRequired   access.Problem = "bank_required"
	CardRequired   access.Problem = "card_required"
	CardMalformed  access.Problem = "card_malformed"
	BankChanged    access.Problem = "bank_changed"
)

// BankAccountInput is where a company's customers pay to: all three, or none for no account.
type BankAccountInput struct {
	Holder string `form:"bank_holder"`
	Bank   string `form:"bank_name"`
	Card   string `form:"bank_card"` // typed in any grouping
	Seen   string `form:"seen"`      // which account was shown, as BankAccountOf says; "" is not compared
}

// Validate brings the account into its one spelling and judges it.
func (in *BankAccountInput) Validate() error {
	fields := access.Fields{}
	line := func(name string, typed *string, longest int) bool {
		text, ok := access.NormalText(*typed, longest)
		if *typed = text; !ok {
			fields[name] = access.TextMalformed
		}
		return text == ""
	}
	noHolder, noBank := line("bank_holder", &in.Holder, MaxBankHolder), line("bank_name", &in.Bank, MaxBankName)
	card, ok := NormalDigits(in.Card)
	switch noCard := strings.TrimSpace(in.Card) == ""; {
	case noHolder && noBank && noCard:
		in.Card = ""
		return access.Invalid(fields)
	case noCard:
		fields["bank_card"] = CardRequired
	case !ok || len(card) < access.MinCardDigits || len(card) > access.MaxCardDigits:
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
	return access.Invalid(fields)
}

// SetBankAccount says where a company's customers pay to; at once. Forbidden for others than its administrators; an
// account that is not whole, and a number that is no card's, are refused, and BankChanged under "seen" where somebody
// has changed the account since it was shown. Logs hold the last digits of the number alone.
func (b *Backoffice) SetBankAccount(ctx context.Context, here access.Landing, in BankAccountInput) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	return b.db.Tx(ctx, func(tx *store.DB) error {
		by, err := b.access.Acting(ctx, tx, here, access.RightSettings)
		if err != nil {
			return err
		}
		was, err := tx.BankAccountOf(ctx, by.CompanyID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if in.Holder == was.Holder && in.Bank == was.Bank && in.Card == was.Card { // perhaps sent twice
			return nil
		}
		if in.Seen != "" && in.Seen != bankTag(was) {
			return access.Invalid(access.Fields{"seen": BankChanged})
		}
		if in.Card == "" {
			if err := tx.DropBankAccount(ctx, by.CompanyID); err != nil {
				return err
			}
			return b.access.Event(ctx, tx, "bank_account_removed", by, MaskCard(was.Card))
		}
		a := store.BankAccount{
			CompanyID: by.CompanyID, Holder: in.Holder, Bank: in.Bank, Card: in.Card,
			UpdatedAt: max(was.UpdatedAt+1, store.At(b.now())),
		}
		if err := tx.PutBankAccount(ctx, a); err != nil {
			return err
		}
		return b.access.Event(ctx, tx, "bank_account_set", by, MaskCard(in.Card))
	})
}

// bankTag names an account as it stands, and that there is none.
func bankTag(a store.BankAccount) string { return strconv.FormatInt(int64(a.UpdatedAt), 10) }

// BankAccountOf is the account as it stands, for those who set it; empty but for Seen where there is none. Forbidden.
func (b *Backoffice) BankAccountOf(ctx context.Context, here access.Landing) (BankAccountInput, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return BankAccountInput{}, err
	}
	a, err := b.bankAccount(ctx, here)
	return BankAccountInput{Holder: a.Holder, Bank: a.Bank, Card: a.Card, Seen: bankTag(a)}, err
}

// PayTo is where a customer pays what it orders from its own company; empty where that has named no account. NotFound
// for others.
func (b *Backoffice) PayTo(ctx context.Context, here access.Landing) (BankAccountInput, error) {
	if here.Member.Side != store.Shop || here.Member.ClientID == 0 {
		return BankAccountInput{}, access.NotFound
	}
	a, err := b.bankAccount(ctx, here)
	return BankAccountInput{Holder: a.Holder, Bank: a.Bank, Card: a.Card}, err
}

func (b *Backoffice) bankAccount(ctx context.Context, here access.Landing) (store.BankAccount, error) {
	a, err := b.db.BankAccountOf(ctx, here.Member.CompanyID)
	if errors.Is(err, store.ErrNotFound) {
		return store.BankAccount{}, nil
	}
	return a, err
}

// NormalDigits gives a number in its one spelling, digits only: spaces and hyphens are dropped, full-width digits
// become plain ones. ok says whether nothing else was there: ² and ① are no digits of a number.
func NormalDigits(typed string) (digits string, ok bool) {
	if len(typed) > access.MaxTyped {
		return "", false
	}
	var plain strings.Builder
	for _, r := range typed {
		switch {
		case r >= '0' && r <= '9':
			plain.WriteRune(r)
		case r >= '０' && r <= '９':
			plain.WriteRune(r - '０' + '0')
		case r == '-' || unicode.IsSpace(r):
		default:
			return "", false
		}
	}
	return plain.String(), plain.Len() > 0
}

// MaskCard is a card's number for lists: its last group alone, "•••• 0001".
func MaskCard(card string) string {
	if len(card) < access.MinCardDigits {
		return ""
	}
	return "•••• " + card[len(card)-access.CardGroup:]
}
