package portal

import (
	"context"
	"errors"
	"slices"
	"time"

	"portico/store"
)

const (
	// DeclinedFor is how long a company cannot offer an account again to a phone whose holder declined one.
	DeclinedFor = 90 * 24 * time.Hour
	// DeclinesAMonth is after how many declined phones within DeclinesCounted a company has to wait for DeclinesPause
	// before it may offer accounts to phones again.
	DeclinesAMonth = 10
	// DeclinesCounted is how long a declined offer counts for DeclinesAMonth.
	DeclinesCounted = 30 * 24 * time.Hour
	// DeclinesPause is how long a company waits after each decline that reaches DeclinesAMonth.
	DeclinesPause = 24 * time.Hour
)

// Offer is an account that a company opened for the number of a person, who may accept or decline it. Name is the name
// that the platform confirmed for the company, "" for none: then Claimed is what the company calls itself, and nobody
// has checked it. Opener is the person who opened the account, "" where Name is.
type Offer struct {
	Member  store.Member
	Name    string
	Claimed string
	Opener  string
	Applied bool // the person applied to the company
	Trial   bool // the company is on trial
	At      time.Time
}

// Offers are the offers that wait for a person: the first OffersShown of All. Agree says that accepting one includes
// accepting the agreement.
type Offers struct {
	Shown []Offer
	All   int
	Agree bool
}

// Offers reads the offers to the person of a session, at a company's host only that company's. A session that an
// account name opened has none: only the phone's holder may answer them. version is the present version of the
// agreement.
func (p *Portal) Offers(ctx context.Context, s Session, version string) (Offers, error) {
	rows, all, err := p.offersTo(ctx, s.PhoneID, s.CompanyID)
	if err != nil || all == 0 {
		return Offers{}, err
	}
	offers := Offers{All: all}
	for _, row := range rows {
		offer := Offer{
			Member: row.Member, Applied: row.Applied,
			Trial: row.Company.Standing == store.Trial, At: row.InvitedAt.Time(),
		}
		if NameConfirmed(row.Company) {
			offer.Name, offer.Opener = row.Company.Name, row.OpenerName
		} else {
			offer.Claimed = row.Company.Name
		}
		offers.Shown = append(offers.Shown, offer)
	}
	offers.Agree, err = p.AgreementDue(ctx, s, version)
	return offers, err
}

// OffersWaiting counts the offers to the person whose sign-in entered a side; 0 when that sign-in has ended.
func (p *Portal) OffersWaiting(ctx context.Context, here Landing) (int, error) {
	s, err := p.db.SignInOfFamily(ctx, here.family, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) || err == nil && s.PhoneID == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return p.db.CountOffersTo(ctx, s.PhoneID, s.CompanyID, p.offersSince(), store.At(p.now()))
}

// offerViews are the offers to a person as entries of an account list: blocked by Offered.
func (p *Portal) offerViews(ctx context.Context, phoneID, companyID int64) ([]AccountView, error) {
	rows, _, err := p.offersTo(ctx, phoneID, companyID)
	var views []AccountView
	for _, row := range rows {
		views = append(views, AccountView{Member: row.Member, Blocked: Offered})
	}
	return views, err
}

// AccountList is Accounts with the offers to the person of a session, which are blocked by Offered. Programs show both
// in one list.
func (p *Portal) AccountList(ctx context.Context, s Session) ([]CompanyAccounts, error) {
	list, err := p.Accounts(ctx, s)
	if err != nil {
		return nil, err
	}
	offers, err := p.offerViews(ctx, s.PhoneID, s.CompanyID)
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

// OfferInput answers an offer. Version is the version of the agreement that the page showed beside the button, "" where
// none was asked for.
type OfferInput struct {
	AccountID int64  `form:"account_id"`
	Version   string `form:"version"`

	Session Session
	Lang    string
}

// AcceptOffer gives an offered account to the person, and returns the step that enters it. Accepting the same offer
// again returns the same step. It refuses with LoginRequired a session that no phone proved, with NotFound an account
// that is not offered to the person, with Offered an offer that has expired, with PhoneBoundElsewhere, and with the
// reason that blocks the account.
func (p *Portal) AcceptOffer(ctx context.Context, in OfferInput) (Step, error) {
	step := Step{Kind: StepEnter, AccountID: in.AccountID}
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		m, err := p.offer(ctx, tx, in)
		step.CompanyID = m.CompanyID
		if err != nil {
			return err
		}
		if m.InvitedAt < p.offersSince() {
			return &Refused{Refusal: Offered}
		}
		p.markEntry(&m, in.Session.Provider) // a company that turned chat apps off takes no acceptance by one either
		if reason := blockedOnceAccepted(m, in.Session.Lighting, p.now()); reason != "" {
			return &Refused{Refusal: reason}
		}
		if err := mayJoin(ctx, tx, m, in.Session.PhoneID); err != nil {
			return err
		}
		if err := tx.AcceptOffer(ctx, m.CompanyID, m.ID, m.PhoneID); err != nil {
			return err
		}
		if in.Version != "" {
			if err := p.accept(ctx, tx, signatory{PhoneID: m.PhoneID}, in.Version, in.Lang); err != nil {
				return err
			}
		}
		return p.event(ctx, tx, "account_set_up", m, "")
	})
	if !errors.Is(err, store.ErrNotFound) {
		return step, err
	}
	m, err := p.ownMember(ctx, in.Session, in.AccountID) // accepted before
	step.CompanyID = m.CompanyID
	return step, err
}

// DeclineOffer ends an offer, also one that has expired. After that the account belongs to nobody, and its company
// cannot offer one to this phone for DeclinedFor. Declining an account that is not offered to the person changes
// nothing. It refuses with LoginRequired a session that no phone proved.
func (p *Portal) DeclineOffer(ctx context.Context, in OfferInput) error {
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		m, err := p.offer(ctx, tx, in)
		if err != nil {
			return err
		}
		applied, err := p.appliedFor(ctx, tx, m)
		if err != nil {
			return err
		}
		now := store.At(p.now())
		if err := tx.DeclineOffer(ctx, m.CompanyID, m.ID, m.PhoneID, now); err != nil {
			return err
		}
		if err := tx.EndOpenCodes(ctx, p.codeSubject(m.Phone), m.CompanyID, targetOf(m.ID)); err != nil {
			return err
		}
		if !applied { // else people could apply and decline, and so stop the company from opening accounts
			if err := tx.NoteDeclined(ctx, m.CompanyID, p.declineSubject(m.Phone), now); err != nil {
				return err
			}
		}
		company := store.Member{Account: store.Account{CompanyID: m.CompanyID}} // the log hides who declined
		return p.event(ctx, tx, "offer_declined", company, decimal(m.ID))
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// offer reads the offer that an input names. ErrNotFound when it is not offered to the person of the session.
func (p *Portal) offer(ctx context.Context, tx *store.DB, in OfferInput) (store.Member, error) {
	if in.Session.PhoneID == 0 {
		return store.Member{}, LoginRequired
	}
	m, err := tx.OfferByID(ctx, in.Session.PhoneID, in.AccountID)
	if err == nil && len(p.inPlace([]store.Member{m}, in.Session.CompanyID)) == 0 {
		err = store.ErrNotFound
	}
	return m, err
}

// appliedFor says whether an offered account was opened because the phone's holder applied to the company.
func (p *Portal) appliedFor(ctx context.Context, tx *store.DB, m store.Member) (bool, error) {
	a, err := tx.LastApplication(ctx, m.CompanyID, m.Phone)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return a.AccountID == m.ID, err
}

func (p *Portal) declineSubject(phone string) string { return p.tag("declined offer", phone) }

// mayOffer refuses a company that may not offer an account to a phone now: with OfferDeclined under "phone" for
// DeclinedFor after its holder declined one, with TooManyAttempts for DeclinesPause after DeclinesAMonth.
func (p *Portal) mayOffer(ctx context.Context, tx *store.DB, companyID int64, phone string) error {
	now := p.now()
	declined, err := tx.DeclinedSince(ctx, companyID, p.declineSubject(phone), store.At(now.Add(-DeclinedFor)))
	switch {
	case err != nil:
		return err
	case declined:
		return invalid(Fields{"phone": OfferDeclined})
	case p.noLimit:
		return nil
	}
	n, last, err := tx.CountDeclined(ctx, companyID, store.At(now.Add(-DeclinesCounted)), DeclinesAMonth)
	if wait := last.Time().Add(DeclinesPause).Sub(now); err == nil && n >= DeclinesAMonth && wait > 0 {
		err = &Refused{Refusal: TooManyAttempts, Wait: wait}
	}
	return err
}
