package office

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"portico/portal/access"
	"portico/store"
)

const (
	// MaxBankHolder is the longest name of an account's holder, in characters.
	MaxBankHolder = 60
	// MaxBankName is the longest name of a bank, in characters.
	MaxBankName = 60
	// MaxCardTyped is the longest card number with the spaces between its groups, in characters.
	MaxCardTyped = access.MaxCardDigits + (access.MaxCardDigits-1)/access.CardGroup
)

// CardPattern is the HTML pattern of a card field: a number with or without spaces.
const CardPattern = `\s*(\d\s*){12,19}`

const (
	// HolderRequired says that the account has no holder.
	HolderRequired access.Problem = "holder_required"
	// BankRequired says that the account has no bank.
	BankRequired access.Problem = "bank_required"
	// CardRequired says that the account has no number.
	CardRequired access.Problem = "card_required"
	// CardMalformed says that a number is not one of a bank card.
	CardMalformed access.Problem = "card_malformed"
	// BankChanged says that another person changed the account after its page was opened.
	BankChanged access.Problem = "bank_changed"
)

// BankAccountInput is the bank account to which a company's customers pay. Holder, Bank and Card are all set, or all ""
// for no account.
type BankAccountInput struct {
	Holder string `form:"bank_holder"`
	Bank   string `form:"bank_name"`
	Card   string `form:"bank_card"` // with or without spaces
	Seen   string `form:"seen"`      // the tag of the account that was shown, from BankAccountOf; "" is not compared
}

// Validate normalises and checks the account.
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

// SetBankAccount changes the bank account to which a company's customers pay, at once. It refuses with Forbidden anyone
// but the company's administrators; malformed or missing fields; and with BankChanged under "seen" when another person
// changed the account after it was shown. Only the last digits of the number are logged.
func (b *Backoffice) SetBankAccount(ctx context.Context, here access.Landing, in BankAccountInput) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	return b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightSettings)
		if err != nil {
			return err
		}
		was, err := tx.Companies.BankAccount(ctx, by.CompanyID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if in.Holder == was.Holder && in.Bank == was.Bank && in.Card == was.Card { // the form may be sent twice
			return nil
		}
		if in.Seen != "" && in.Seen != bankTag(was) {
			return access.Invalid(access.Fields{"seen": BankChanged})
		}
		if in.Card == "" {
			if err := tx.Companies.DropBankAccount(ctx, by.CompanyID); err != nil {
				return err
			}
			return b.core.Access.Event(ctx, tx, "bank_account_removed", by, MaskCard(was.Card))
		}
		a := store.BankAccount{
			CompanyID: by.CompanyID, Holder: in.Holder, Bank: in.Bank, Card: in.Card,
			UpdatedAt: max(was.UpdatedAt+1, store.At(b.core.Now())),
		}
		if err := tx.Companies.PutBankAccount(ctx, a); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "bank_account_set", by, MaskCard(in.Card))
	})
}

// bankTag is the tag of a stored account; the zero account has one too.
func bankTag(a store.BankAccount) string { return strconv.FormatInt(int64(a.UpdatedAt), 10) }

// BankAccountOf reads the stored account with its tag; without an account, only Seen is set. It refuses with Forbidden
// anyone but the company's administrators.
func (b *Backoffice) BankAccountOf(ctx context.Context, here access.Landing) (BankAccountInput, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return BankAccountInput{}, err
	}
	a, err := b.bankAccount(ctx, here)
	return BankAccountInput{Holder: a.Holder, Bank: a.Bank, Card: a.Card, Seen: bankTag(a)}, err
}

// PayTo reads for a customer the bank account of the company, zero when the company has none. It refuses with NotFound
// an account of the back office.
func (b *Backoffice) PayTo(ctx context.Context, here access.Landing) (BankAccountInput, error) {
	if here.Member.Side != store.Shop || here.Member.ClientID == 0 {
		return BankAccountInput{}, access.NotFound
	}
	a, err := b.bankAccount(ctx, here)
	return BankAccountInput{Holder: a.Holder, Bank: a.Bank, Card: a.Card}, err
}

// bankAccount reads the bank account of the company, zero when it has none.
func (b *Backoffice) bankAccount(ctx context.Context, here access.Landing) (store.BankAccount, error) {
	a, err := b.core.DB.Companies.BankAccount(ctx, here.Member.CompanyID)
	if errors.Is(err, store.ErrNotFound) {
		return store.BankAccount{}, nil
	}
	return a, err
}

// NormalDigits normalises a number to ASCII digits: it drops spaces and hyphens, and converts full-width digits. ok is
// false for an empty number or one with any other character, such as ² or ①.
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

// MaskCard returns a card's number with only its last group, "•••• 0001".
func MaskCard(card string) string {
	if len(card) < access.MinCardDigits {
		return ""
	}
	return "•••• " + card[len(card)-access.CardGroup:]
}
