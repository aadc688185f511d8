package office

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/store"
)

const (
	// AccountsOpened is how many accounts a company on trial may try to open in a day.
	AccountsOpened = 200
	// AccountsOpenedFormal is how many accounts a company with a contract may try to open in a day: it can import its
	// customers at once.
	AccountsOpenedFormal = 2000
	// PhonesRevealed is how many different phones may be refused with PhoneBoundElsewhere to a company within
	// LookupWindow. Each such refusal reveals that the phone has an account in another company.
	PhonesRevealed = 20
	// OpenedAgain is how long an account of the same side, name and customer counts as a possible repetition. A person
	// who missed the response and opened the page again sends a form with another id.
	OpenedAgain = 5 * time.Minute
)

// OpenAccountInput opens an account for another person in the administrator's company. Type is 1 or 2 on the side
// "mgr", 3 on the side "shop". An empty Login is generated. With Phone the account is offered to the phone's holder,
// who accepts it after signing in or with an invitation link; without, the account gets a first password. A shop
// account belongs to the customer ClientID, or with 0 to a new customer named ClientName. Again confirms
// OpenedJustNow.
type OpenAccountInput struct {
	Side       string `form:"side"`
	Type       int64  `form:"type"`
	Login      string `form:"login"`
	Name       string `form:"name"`
	Phone      string `form:"phone"`
	ClientID   int64  `form:"client_id"`
	ClientName string `form:"client_name"`
	Form       string `form:"form"` // the id of the form: the same form sent again opens no second account
	Again      bool   `form:"again"`
}

// OpenedAccount is the new account. First has its first password, if it has no phone. Before says that the same form
// opened Member earlier and that nothing was done now. Earlier is the account that OpenedJustNow asks about.
type OpenedAccount struct {
	Member  store.Member
	First   credentials.FirstPassword
	Before  bool
	Earlier store.Member
}

// OpenAccount opens an account for another person. It refuses with Forbidden anyone without RightManagePeople;
// malformed fields; LoginTaken; NotFound for a customer of another company; PhoneRegistered when the phone has an
// account on that side of the company; PhoneBoundElsewhere; OfferDeclined under "phone" when the phone's holder
// declined an offer of the company; and TooManyAttempts after AccountsOpened or AccountsOpenedFormal, PhonesRevealed,
// DeclinesAMonth or FirstPasswordsAnHour. It asks with OpenedJustNow under "name" when the same administrator opened an
// account of the same side, name and customer within OpenedAgain.
func (b *Backoffice) OpenAccount(ctx context.Context, here access.Landing, in OpenAccountInput) (OpenedAccount, error) {
	if err := access.RequireRight(here, access.RightManagePeople); err != nil {
		return OpenedAccount{}, err
	}
	if err := in.validate(); err != nil {
		return OpenedAccount{}, err
	}
	form := ""
	if in.Form != "" {
		form = b.core.Sealing.Tag(
			"people form", access.Decimal(here.Member.ID)+"\x00"+access.Truncated(in.Form, access.MaxTyped),
		)
	}
	if opened, err := b.openedBefore(ctx, b.core.DB, here.Member.CompanyID, form); err != nil || opened.Before {
		return opened, err
	}
	if err := b.countOpening(ctx, here.Member.Company, in.Phone != ""); err != nil {
		return OpenedAccount{}, err
	}
	a := store.Account{
		CompanyID: here.Member.CompanyID, Side: store.Side(in.Side), Type: int(in.Type), Login: in.Login, Name: in.Name,
		Invited: in.Phone != "", OpenedBy: here.Member.ID, OpenedForm: form,
	}
	var result OpenedAccount
	var hash string
	if in.Phone == "" {
		var err error
		m := store.Member{Account: a, Company: here.Member.Company}
		if result.First, hash, err = b.credentials.MakeFirstPassword(ctx, m, ""); err != nil {
			return OpenedAccount{}, err
		}
	}
	err := b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightManagePeople)
		if err != nil {
			return err
		}
		return b.openAccount(ctx, tx, by, opening{in, a, hash}, &result)
	})
	if errors.Is(err, access.PhoneBoundElsewhere) {
		err = b.countRevealed(ctx, here.Member.CompanyID, in.Phone, err)
	}
	switch {
	case err != nil:
		return OpenedAccount{Earlier: result.Earlier}, err
	case result.Before:
		return OpenedAccount{Member: result.Member, Before: true}, nil
	}
	result.First.Member = result.Member
	return result, nil
}

// opening is an account to open: what was typed, the account without its phone and customer, and the hash of its first
// password, "" for an account with a phone.
type opening struct {
	in      OpenAccountInput
	account store.Account
	hash    string
}

// openAccount opens an account, unless its form has opened one before.
func (b *Backoffice) openAccount(
	ctx context.Context, tx *store.DB, by store.Member, o opening, result *OpenedAccount,
) error {
	in, a := o.in, o.account
	opened, err := b.openedBefore(ctx, tx, by.CompanyID, a.OpenedForm)
	result.Member, result.Before = opened.Member, opened.Before
	if err != nil || opened.Before {
		return err
	}
	if result.Earlier, err = b.openedJustNow(ctx, tx, a, in); err != nil {
		return err
	}
	if in.Phone != "" {
		if a.PersonID, err = b.invitee(ctx, tx, by, a.Side, in.Phone); err != nil {
			return err
		}
	}
	if a.ClientID, err = b.clientOf(ctx, tx, by, in); err != nil {
		return err
	}
	id, err := b.addAccountOf(ctx, tx, by, a, o.hash, result.First.Until)
	if err != nil {
		return err
	}
	if result.Earlier.ID != 0 && !in.Again { // asked last: an account that cannot be opened is refused instead
		return access.Invalid(access.Fields{"name": access.OpenedJustNow})
	}
	result.Member, err = tx.Accounts.ByID(ctx, a.CompanyID, id)
	return err
}

// openedBefore reads the account that a form has opened; Before is false when it has opened none, and for "".
func (b *Backoffice) openedBefore(
	ctx context.Context, db *store.DB, companyID int64, form string,
) (OpenedAccount, error) {
	if form == "" {
		return OpenedAccount{}, nil
	}
	m, err := db.Accounts.ByForm(ctx, companyID, form)
	if errors.Is(err, store.ErrNotFound) {
		return OpenedAccount{}, nil
	}
	return OpenedAccount{Member: m, Before: err == nil}, err
}

// openedJustNow reads the account of the same side, name and customer that the same administrator opened within
// OpenedAgain; the zero Member when there is none.
func (b *Backoffice) openedJustNow(
	ctx context.Context, tx *store.DB, a store.Account, in OpenAccountInput,
) (store.Member, error) {
	customer := ""
	switch {
	case a.Side != store.Shop:
	case in.ClientID != 0:
		a.ClientID = in.ClientID
	default:
		a.ClientID, customer = -1, in.ClientName // no customer has the id -1: compare by name
	}
	m, err := tx.Accounts.OpenedSince(ctx, a, customer, store.At(b.core.Now().Add(-OpenedAgain)))
	if errors.Is(err, store.ErrNotFound) {
		return store.Member{}, nil
	}
	return m, err
}

// FirstPasswordUnused reports whether an account still has the first password that it was opened with, and no session.
// In that case the administrator may have missed the response that showed the password.
func (b *Backoffice) FirstPasswordUnused(ctx context.Context, m store.Member) (bool, error) {
	if PersonStateOf(m) != PersonFirstPassword ||
		m.FirstPasswordUntil > m.CreatedAt+store.Instant(credentials.FirstPasswordLife.Milliseconds()) {
		return false, nil // a first password that was set later expires later
	}
	sessions, err := b.core.DB.Sessions.OfHolder(ctx, 0, m.ID, store.At(b.core.Now()))
	return len(sessions) == 0, err
}

// countOpening counts an attempt to open an account. It runs before any lookup, because a refusal reveals something
// too.
func (b *Backoffice) countOpening(ctx context.Context, company store.Company, byPhone bool) error {
	most := AccountsOpened
	if company.Standing == store.Formal {
		most = AccountsOpenedFormal
	}
	if err := b.core.Limits.CountUpTo(
		ctx, b.core.DB, "opened:"+access.Decimal(company.ID), most, access.Day,
	); err != nil || !byPhone || b.core.NoLimit {
		return err
	}
	since := store.At(b.core.Now().Add(-core.LookupWindow))
	revealed, err := b.core.DB.Attempts.CountLookups(ctx, lookupsBy(company.ID), since, PhonesRevealed)
	if err != nil {
		return err
	}
	if revealed >= PhonesRevealed {
		b.core.Access.CountLimited("phones_revealed")
		return &access.Refused{Refusal: access.TooManyAttempts, Wait: core.LookupWindow}
	}
	return nil
}

// countRevealed counts a refusal with PhoneBoundElsewhere, which reveals that another company has the phone, and
// returns it; TooManyAttempts after PhonesRevealed.
func (b *Backoffice) countRevealed(ctx context.Context, companyID int64, phone string, refusal error) error {
	if b.core.NoLimit {
		return refusal
	}
	now := b.core.Now()
	revealed, err := b.core.DB.Attempts.NoteLookup(
		ctx, lookupsBy(companyID), b.core.Sealing.Tag("lookup", "phone:"+phone), store.At(now),
		store.At(now.Add(-core.LookupWindow)), PhonesRevealed+1,
	)
	switch {
	case err != nil:
		return err
	case revealed > PhonesRevealed:
		b.core.Access.CountLimited("phones_revealed")
		return &access.Refused{Refusal: access.TooManyAttempts, Wait: core.LookupWindow}
	}
	return refusal
}

// lookupsBy is the key under which a company's look-ups are counted.
func lookupsBy(companyID int64) string { return "company:" + access.Decimal(companyID) }

func (in *OpenAccountInput) validate() error { return access.Invalid(in.Problems()) }

// Problems normalises and checks the input.
func (in *OpenAccountInput) Problems() access.Fields {
	fields := access.Fields{}
	side := store.Side(in.Side)
	fits := side == store.Shop && in.Type == store.TypeShop || side == store.Mgr &&
		(in.Type == store.TypeAdministrator || in.Type == store.TypeEmployee)
	switch {
	case side != store.Shop && side != store.Mgr:
		fields["side"] = access.ChoiceRequired
	case !fits:
		fields["type"] = access.ChoiceRequired
	}
	var problem access.Problem
	if in.Login, problem = newAccountName(in.Login); problem != "" {
		fields["login"] = problem
	}
	access.NameField(fields, &in.Name)
	if in.Phone = strings.TrimSpace(in.Phone); in.Phone != "" {
		for _, problem := range access.PhoneFields(&in.Phone) {
			fields["phone"] = problem
		}
	}
	if side == store.Shop && in.ClientID == 0 {
		var ok bool
		switch in.ClientName, ok = access.NormalText(in.ClientName, access.MaxCompanyName); {
		case !ok:
			fields["client_name"] = access.CompanyMalformed
		case in.ClientName == "":
			fields["client_id"] = access.ClientRequired
		}
	}
	return fields
}

// invitee returns the id of the phone that an account is offered to. It refuses with PhoneRegistered,
// PhoneBoundElsewhere, and what MayOffer refuses.
func (b *Backoffice) invitee(
	ctx context.Context, tx *store.DB, by store.Member, side store.Side, number string,
) (int64, error) {
	person, err := b.core.Access.PersonOf(ctx, tx, number)
	if err != nil {
		return 0, err
	}
	members, err := tx.Accounts.ByPerson(ctx, person.ID)
	if err != nil {
		return 0, err
	}
	offers, err := tx.Offers.InCompany(ctx, by.CompanyID, person.ID)
	if err != nil {
		return 0, err
	}
	here := append(b.core.Access.InPlace(members, by.CompanyID), offers...)
	if slices.ContainsFunc(here, func(m store.Member) bool { return m.Side == side }) {
		return 0, &access.Refused{Refusal: access.PhoneRegistered}
	}
	if err := b.accounts.MayOffer(ctx, tx, by.CompanyID, number); err != nil {
		return 0, err
	}
	return person.ID, access.RequireExclusivePhone(by, members)
}

// clientOf returns the customer that a shop account is opened for, and adds it when only a name is given; 0 for an
// account of the management side.
func (b *Backoffice) clientOf(ctx context.Context, tx *store.DB, by store.Member, in OpenAccountInput) (int64, error) {
	switch {
	case store.Side(in.Side) != store.Shop:
		return 0, nil
	case in.ClientID == 0:
		return b.addClient(ctx, tx, by, in.ClientName, in.Name)
	}
	client, err := b.partner(ctx, tx, by, in.ClientID)
	return client.ID, err
}

// addAccountOf adds the account and logs who opened it.
func (b *Backoffice) addAccountOf(
	ctx context.Context, tx *store.DB, by store.Member, a store.Account, hash string, until store.Instant,
) (id int64, err error) {
	a.State, a.CreatedAt = store.AccountActive, store.At(b.core.Now())
	if a.Login == "" {
		id, err = addUnderMadeUpLogin(ctx, tx, a)
	} else {
		id, err = tx.Accounts.Add(ctx, a)
	}
	if err == nil && id == 0 {
		err = access.Invalid(access.Fields{"login": access.LoginTaken})
	}
	if err != nil {
		return 0, err
	}
	then := "account_invited"
	if hash != "" {
		then = "first_password_given"
		if err := tx.Passwords.SetFirst(ctx, a.CompanyID, id, hash, until); err != nil {
			return 0, err
		}
	}
	for _, kind := range []string{"account_opened", then} {
		if err := b.core.Access.Event(ctx, tx, kind, by, access.Decimal(id)); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// addUnderMadeUpLogin adds an account with a generated login that names its type and is easy to read aloud; 0 when no
// such login was free.
func addUnderMadeUpLogin(ctx context.Context, tx *store.DB, a store.Account) (id int64, err error) {
	const tries = 8
	word := map[int]string{
		store.TypeAdministrator: "admin", store.TypeEmployee: "staff",
		store.TypeShop: "c" + access.Decimal(a.ClientID) + "-",
	}[a.Type] + access.Decimal(a.CompanyID)
	a.Login = word
	for range tries {
		if id, err = tx.Accounts.Add(ctx, a); err != nil || id != 0 {
			return id, err
		}
		a.Login = word + "-" + access.RandomText(credentials.PlainCharacters, 4)
	}
	return 0, nil
}
