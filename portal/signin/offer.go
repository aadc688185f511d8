package signin

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

const (
	// InvitationLife is how long an invitation link works and an offer can be accepted.
	InvitationLife = 7 * 24 * time.Hour
	// DeclinedFor is how long a company cannot offer an account again to a phone whose holder declined one.
	DeclinedFor = 90 * 24 * time.Hour
	// DeclinesAMonth is how many phones may decline the offers of a company within DeclinesCounted before the company
	// has to wait for DeclinesPause.
	DeclinesAMonth = 10
	// DeclinesCounted is how long a declined offer counts for DeclinesAMonth.
	DeclinesCounted = 30 * 24 * time.Hour
	// DeclinesPause is how long a company waits after each decline that reaches DeclinesAMonth.
	DeclinesPause = 24 * time.Hour
)

// Offer is an account that a company opened for the number of a person, who may accept or decline it.
type Offer struct {
	Member  store.Member
	Name    string    // the company's name if the platform has confirmed it, else ""
	Claimed string    // what the company calls itself if the platform has not confirmed a name, else ""
	Opener  string    // the name of the person who opened the account, set with Name only
	Applied bool      // whether the person applied to the company
	Trial   bool      // whether the company is on trial
	At      time.Time // when the offer was made
}

// Offers is the list of the offers to a person.
type Offers struct {
	Shown []Offer // the first access.OffersShown of them
	All   int     // the number of all
	Agree bool    // whether accepting one includes accepting the agreement
}

// Offers reads the offers to the person of a session, at a company's host only that company's. A session that an
// account name opened has none: only the phone's holder may answer them. version is the present version of the
// agreement.
func (a *Accounts) Offers(ctx context.Context, s access.Session, version string) (Offers, error) {
	rows, all, err := a.offersTo(ctx, s.PersonID, s.CompanyID)
	if err != nil || all == 0 {
		return Offers{}, err
	}
	offers := Offers{All: all}
	for _, row := range rows {
		offer := Offer{
			Member: row.Member, Applied: row.Applied,
			Trial: row.Company.Standing == store.Trial, At: row.InvitedAt.Time(),
		}
		if core.NameConfirmed(row.Company) {
			offer.Name, offer.Opener = row.Company.Name, row.OpenerName
		} else {
			offer.Claimed = row.Company.Name
		}
		offers.Shown = append(offers.Shown, offer)
	}
	offers.Agree, err = a.Agreements.Due(ctx, s, version)
	return offers, err
}

// OffersWaiting counts the offers to the person whose sign-in entered a side; 0 when that sign-in has ended.
func (a *Accounts) OffersWaiting(ctx context.Context, here access.Landing) (int, error) {
	s, err := a.core.DB.Sessions.SignInOfFamily(ctx, here.Family, store.At(a.core.Now()))
	if errors.Is(err, store.ErrNotFound) || err == nil && s.PersonID == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return a.core.DB.Offers.CountToPerson(ctx, s.PersonID, s.CompanyID, a.offersSince(), store.At(a.core.Now()))
}

// OfferViews returns the offers to a person as entries of an account list, blocked with Offered. companyID limits them
// to one company, 0 does not.
func (a *Accounts) OfferViews(ctx context.Context, personID, companyID int64) ([]AccountView, error) {
	rows, _, err := a.offersTo(ctx, personID, companyID)
	var views []AccountView
	for _, row := range rows {
		views = append(views, AccountView{Member: row.Member, Blocked: access.Offered})
	}
	return views, err
}

// AccountList does what Accounts does, and adds the offers to the person, blocked with Offered. Programs show both in
// one list.
func (a *Accounts) AccountList(ctx context.Context, s access.Session) ([]CompanyAccounts, error) {
	list, err := a.Accounts(ctx, s)
	if err != nil {
		return nil, err
	}
	offers, err := a.OfferViews(ctx, s.PersonID, s.CompanyID)
	for _, offer := range offers {
		i := slices.IndexFunc(list, func(c CompanyAccounts) bool { return c.Company.ID == offer.CompanyID })
		if i < 0 {
			i = len(list)
			list = append(list, CompanyAccounts{Company: offer.Company})
		}
		if offer.Side == store.Mgr {
			list[i].Mgr = append(list[i].Mgr, offer)
		} else {
			list[i].Shop = append(list[i].Shop, offer)
		}
	}
	return list, err
}

// OfferInput answers an offer. Version is the version of the agreement that the page showed beside the button, "" for
// none. Lang is the language that it was shown in.
type OfferInput struct {
	AccountID int64  `form:"account_id"`
	Version   string `form:"version"`

	Session access.Session
	Lang    string
}

// AcceptOffer gives an offered account to the person, and returns the step that enters it. Accepting the same offer
// again returns the same step. It refuses with LoginRequired a session that no phone proved, with NotFound an account
// that is not offered to the person, with Offered an offer that has expired, with PhoneBoundElsewhere, and with the
// reason that blocks the account.
func (a *Accounts) AcceptOffer(ctx context.Context, in OfferInput) (Step, error) {
	step := Step{Kind: StepEnter, AccountID: in.AccountID}
	err := a.core.DB.Tx(ctx, func(tx *store.DB) error {
		m, err := a.offer(ctx, tx, in)
		step.CompanyID = m.CompanyID
		if err != nil {
			return err
		}
		if m.InvitedAt < a.offersSince() {
			return &access.Refused{Refusal: access.Offered}
		}
		a.MarkEntry(&m, in.Session.Provider) // a company that turned chat apps off takes no acceptance by one either
		if reason := access.BlockedOnceAccepted(m, in.Session.Lighting, a.core.Now()); reason != "" {
			return &access.Refused{Refusal: reason}
		}
		if err := access.MayJoin(ctx, tx, m, in.Session.PersonID); err != nil {
			return err
		}
		if err := tx.Offers.Accept(ctx, m.CompanyID, m.ID, m.PersonID); err != nil {
			return err
		}
		if in.Version != "" {
			if err := a.Agreements.Record(ctx, tx, Signatory{PersonID: m.PersonID}, in.Version, in.Lang); err != nil {
				return err
			}
		}
		return a.core.Access.Event(ctx, tx, "account_set_up", m, "")
	})
	if !errors.Is(err, store.ErrNotFound) {
		return step, err
	}
	m, err := a.OwnMember(ctx, in.Session, in.AccountID) // accepted before
	step.CompanyID = m.CompanyID
	return step, err
}

// DeclineOffer ends an offer, also one that has expired. After that the account belongs to nobody, and its company
// cannot offer one to this phone for DeclinedFor. Declining an account that is not offered to the person changes
// nothing. It refuses with LoginRequired a session that no phone proved.
func (a *Accounts) DeclineOffer(ctx context.Context, in OfferInput) error {
	err := a.core.DB.Tx(ctx, func(tx *store.DB) error {
		m, err := a.offer(ctx, tx, in)
		if err != nil {
			return err
		}
		applied, err := a.appliedFor(ctx, tx, m)
		if err != nil {
			return err
		}
		now := store.At(a.core.Now())
		if err := tx.Offers.Decline(ctx, m.CompanyID, m.ID, m.PersonID, now); err != nil {
			return err
		}
		if err := tx.Codes.EndOpen(ctx, a.core.Sealing.CodeSubject(m.Phone), m.CompanyID,
			core.AccountTarget(m.ID)); err != nil {
			return err
		}
		if !applied { // else people could apply and decline, and so stop the company from opening accounts
			if err := tx.Offers.NoteDeclined(ctx, m.CompanyID, a.declineSubject(m.Phone), now); err != nil {
				return err
			}
		}
		company := store.Member{Account: store.Account{CompanyID: m.CompanyID}} // the log hides who declined
		return a.core.Access.Event(ctx, tx, "offer_declined", company, access.Decimal(m.ID))
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// offer reads the offer that an input names. It returns store.ErrNotFound when the account is not offered to the person
// of the session, and refuses with LoginRequired a session that no phone opened.
func (a *Accounts) offer(ctx context.Context, tx *store.DB, in OfferInput) (store.Member, error) {
	if in.Session.PersonID == 0 {
		return store.Member{}, access.LoginRequired
	}
	m, err := tx.Offers.ByID(ctx, in.Session.PersonID, in.AccountID)
	if err != nil {
		return m, err
	}
	if len(a.core.Access.InPlace([]store.Member{m}, in.Session.CompanyID)) == 0 {
		return m, store.ErrNotFound
	}
	return m, nil
}

// appliedFor says whether an offered account was opened because the phone's holder applied to the company.
func (a *Accounts) appliedFor(ctx context.Context, tx *store.DB, m store.Member) (bool, error) {
	last, err := tx.Applications.Last(ctx, m.CompanyID, m.Phone)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return last.AccountID == m.ID, err
}

// declineSubject identifies a phone in the table of declined offers, without naming it.
func (a *Accounts) declineSubject(phone string) string {
	return a.core.Sealing.Tag("declined offer", phone)
}

// MayOffer refuses a company that may not offer an account to a phone now: with OfferDeclined under "phone" for
// DeclinedFor after its holder declined one, with TooManyAttempts for DeclinesPause after DeclinesAMonth.
func (a *Accounts) MayOffer(ctx context.Context, tx *store.DB, companyID int64, phone string) error {
	now := a.core.Now()
	declined, err := tx.Offers.DeclinedSince(ctx, companyID, a.declineSubject(phone), store.At(now.Add(-DeclinedFor)))
	switch {
	case err != nil:
		return err
	case declined:
		return access.Invalid(access.Fields{"phone": access.OfferDeclined})
	case a.core.NoLimit:
		return nil
	}
	n, last, err := tx.Offers.CountDeclined(ctx, companyID, store.At(now.Add(-DeclinesCounted)), DeclinesAMonth)
	if wait := last.Time().Add(DeclinesPause).Sub(now); err == nil && n >= DeclinesAMonth && wait > 0 {
		a.core.Access.CountLimited("offers_declined")
		err = &access.Refused{Refusal: access.TooManyAttempts, Wait: wait}
	}
	return err
}

// offersSince returns the instant from which on an offer must have been made to be accepted now.
func (a *Accounts) offersSince() store.Instant { return store.At(a.core.Now().Add(-InvitationLife)) }

// offersTo reads the first OffersShown offers to a person, of one company or, for 0, of all, and counts all of them.
func (a *Accounts) offersTo(ctx context.Context, personID, companyID int64) ([]store.Offer, int, error) {
	if personID == 0 {
		return nil, 0, nil
	}
	since, now := a.offersSince(), store.At(a.core.Now())
	rows, err := a.core.DB.Offers.ToPerson(ctx, personID, companyID, since, now, access.OffersShown)
	if err != nil || len(rows) < access.OffersShown {
		return rows, len(rows), err
	}
	all, err := a.core.DB.Offers.CountToPerson(ctx, personID, companyID, since, now)
	return rows, all, err
}

// OfferWaits says whether a person has an offer to accept, from one company or, for 0, from any.
func (a *Accounts) OfferWaits(ctx context.Context, personID, companyID int64) (bool, error) {
	_, all, err := a.offersTo(ctx, personID, companyID)
	return all > 0, err
}

// AddOwnAccount adds an account for the person of a phone and returns its id. Its name is word and the company's id,
// with a random suffix when the name is taken. The account has no password: the phone's opens it.
func (a *Accounts) AddOwnAccount(
	ctx context.Context, tx *store.DB, account store.Account, word string,
) (int64, error) {
	account.State, account.CreatedAt = store.AccountActive, store.At(a.core.Now())
	account.Login = word + access.Decimal(account.CompanyID)
	id, err := tx.Accounts.Add(ctx, account)
	if err == nil && id == 0 { // the name is taken
		account.Login += "-" + strings.ToLower(access.RandomToken(6))
		id, err = tx.Accounts.Add(ctx, account)
	}
	if err == nil && id == 0 {
		err = errors.New("portal: no login is free for " + account.Login)
	}
	return id, err
}
