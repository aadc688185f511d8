package onboarding

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"portico/portal/access"
	"portico/portal/samples"
	"portico/store"
)

// InitialiseInput chooses the industry of a new company, and whether to import the samples of that industry. Industry
// is the id of one of the twelve industries, 0 for none.
type InitialiseInput struct {
	Industry int64 `form:"industry" json:"industry_id_"`
	Import   bool  `form:"import" json:"import_"`
	Company  int64 `form:"company"` // the company that the form was shown for, 0 for any that is not initialised

	Session access.Session
}

// Initialised is an initialised company; Imported says whether samples were imported.
type Initialised struct {
	Company  store.Company
	Imported bool
}

// ToInitialise returns a company that the session's administrator has still to initialise, the chosen one before
// others. ok is false when there is none.
func (o *Onboarding) ToInitialise(ctx context.Context, s access.Session) (c store.Company, ok bool, err error) {
	m, err := o.waiting(ctx, s, 0)
	if errors.Is(err, access.WrongParameters) || errors.Is(err, access.Forbidden) {
		return c, false, nil
	}
	return m.Company, err == nil, err
}

// waiting returns the administrator's account of a company that a session may initialise. It refuses with Forbidden a
// session without an administrator's account, with WrongParameters when no company is left to initialise, and with the
// reason why the account is blocked.
func (o *Onboarding) waiting(ctx context.Context, s access.Session, company int64) (store.Member, error) {
	members, _, err := o.accounts.Members(ctx, s)
	if err != nil {
		return store.Member{}, err
	}
	if s.ActingID != 0 {
		members = slices.DeleteFunc(members, func(m store.Member) bool { return m.ID != s.ActingID })
	}
	if len(members) > 0 && !slices.ContainsFunc(members, access.IsAdministrator) {
		return store.Member{}, &access.Refused{Refusal: access.Forbidden}
	}
	var found store.Member
	for _, m := range members {
		if access.IsAdministrator(m) && m.Company.InitialisedAt == 0 && !m.Company.Sandbox &&
			(company == 0 || m.CompanyID == company) && (found.ID == 0 || m.CompanyID == s.ChosenCompanyID) {
			found = m
		}
	}
	if found.ID == 0 {
		return found, &access.Refused{Refusal: access.WrongParameters}
	}
	if reason := access.BlockedBy(found, s.Lighting, o.core.Now()); reason != "" {
		return found, o.core.Access.Blocked(ctx, o.core.DB, found, reason)
	}
	return found, nil
}

// Initialise stores a company's industry and, with Import, fills the company with samples, once, all or nothing. The
// same input from the same sign-in within RepeatWindow returns the same result and changes nothing. It refuses with
// ChoiceRequired under "industry" when samples are wanted without an industry, and what waiting refuses.
func (o *Onboarding) Initialise(ctx context.Context, in InitialiseInput) (Initialised, error) {
	pack, known := samples.Samples(in.Industry)
	switch {
	case in.Industry == 0 && in.Import:
		return Initialised{}, access.Invalid(access.Fields{"industry": access.IndustryRequired})
	case in.Industry != 0 && !known:
		return Initialised{}, access.Invalid(access.Fields{"industry": access.ChoiceRequired})
	}
	if !in.Import {
		pack = nil
	}
	imports := strconv.FormatBool(in.Import)
	id := o.core.Replay.OperationID(
		"initialise", in.Session.Family, access.Decimal(in.Company), access.Decimal(in.Industry), imports,
	)
	defer o.core.Replay.Proofs.Hold(id)() // a repetition waits for the first request
	c, err := o.initialiseWaiting(ctx, in, pack, id)
	if errors.Is(err, access.WrongParameters) {
		if before, done, lookErr := o.initialisedBefore(ctx, id); done || lookErr != nil {
			c, err = before, lookErr
		}
	}
	if err != nil {
		return Initialised{}, err
	}
	return Initialised{c, in.Import}, nil
}

// initialiseWaiting initialises the company of a session, and records the request so that it can be repeated.
func (o *Onboarding) initialiseWaiting(
	ctx context.Context, in InitialiseInput, pack *samples.SamplePack, id string,
) (store.Company, error) {
	m, err := o.waiting(ctx, in.Session, in.Company)
	if err != nil {
		return m.Company, err
	}
	err = o.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := o.initialise(ctx, tx, m, in.Industry, pack); err != nil {
			return err
		}
		return o.core.Replay.NoteDone(ctx, tx, id, access.Decimal(m.CompanyID))
	})
	m.Company.IndustryID, m.Company.InitialisedAt = in.Industry, store.At(o.core.Now())
	return m.Company, err
}

// initialisedBefore reads the company that the same sign-in initialised with the same input within RepeatWindow.
func (o *Onboarding) initialisedBefore(ctx context.Context, id string) (c store.Company, done bool, err error) {
	note, done, err := o.core.Replay.DoneBefore(ctx, id)
	if !done || err != nil {
		return c, false, err
	}
	number, _ := access.DecimalID(note.Result)
	c, err = o.core.DB.Companies.ByID(ctx, number)
	return c, err == nil, err
}

// initialise stores the industry and imports the samples; a pack of nil imports none. It refuses with WrongParameters a
// company that is initialised already.
func (o *Onboarding) initialise(
	ctx context.Context, tx *store.DB, m store.Member, industry int64, pack *samples.SamplePack,
) error {
	err := tx.Companies.Initialise(ctx, m.CompanyID, industry, store.At(o.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return &access.Refused{Refusal: access.WrongParameters}
	}
	if err != nil {
		return err
	}
	detail := "empty"
	if pack != nil {
		detail = "samples"
		if err := importSamples(ctx, tx, m.Company, pack, 0, o.core.Now()); err != nil {
			return err
		}
	}
	return o.core.Access.Event(ctx, tx, "company_initialised", m, detail)
}

// importSamples adds the rows of a pack to a company in the company's language, with dates before now. guest is an
// existing customer of the company that gets a sample order too, 0 for none.
func importSamples(
	ctx context.Context, tx *store.DB, c store.Company, pack *samples.SamplePack, guest int64, now time.Time,
) error {
	products, err := importProducts(ctx, tx, c, pack, store.At(now))
	if err != nil {
		return err
	}
	clients := map[string]int64{guestKey: guest}
	for _, k := range pack.Customers {
		if clients[k.Key], err = tx.Clients.Add(ctx, store.Client{
			CompanyID: c.ID, Name: k.Name.In(c.Language), Contact: k.Contact.In(c.Language), Sample: k.Key,
			State: store.ClientPartner, CreatedAt: store.At(now),
		}); err != nil {
			return err
		}
	}
	orders := slices.Clone(pack.Orders)
	if guest != 0 {
		first := orders[0]
		first.Customer = guestKey
		orders = append(orders, first)
	}
	slices.SortStableFunc(
		orders, func(a, b samples.SampleOrder) int { return sampleTime(a, now).Compare(sampleTime(b, now)) },
	)
	for i, o := range orders {
		placed, form := sampleTime(o, now), "sample "+access.Decimal(int64(i+1))
		order := store.Order{
			CompanyID: c.ID, ClientID: clients[o.Customer], Form: form, Sample: form, State: store.OrderState(o.State),
			PlacedAt: store.At(placed),
		}
		if order.State == store.OrderConfirmed {
			order.ConfirmedAt = min(store.At(placed.Add(time.Hour)), store.At(now))
		}
		if err := importOrder(ctx, tx, order, o.Lines, products); err != nil {
			return err
		}
	}
	return nil
}

// guestKey is the key of the guest among the customers of a pack. No pack uses it.
const guestKey = "guest"

// importProducts adds the categories and products of a pack. It returns the products by their keys.
func importProducts(
	ctx context.Context, tx *store.DB, c store.Company, pack *samples.SamplePack, now store.Instant,
) (map[string]store.Product, error) {
	categories, products := map[string]int64{}, map[string]store.Product{}
	for _, k := range pack.Categories {
		id, err := tx.Catalogue.AddCategory(ctx, store.Category{
			CompanyID: c.ID, Name: k.Name.In(c.Language), Picture: k.Picture, Sample: k.Key,
		})
		if err != nil {
			return nil, err
		}
		categories[k.Key] = id
	}
	for _, s := range pack.Products {
		product := store.Product{
			CompanyID: c.ID, CategoryID: categories[s.Category], Name: s.Name.In(c.Language),
			Spec: s.Spec.In(c.Language), Unit: s.Unit.In(c.Language),
			Price: s.Price, Stock: s.Stock, Sample: s.Key, CreatedAt: now,
		}
		var err error
		if product.ID, err = tx.Catalogue.AddProduct(ctx, product); err != nil {
			return nil, err
		}
		products[s.Key] = product
	}
	return products, nil
}

// sampleTime returns when a sample order was placed, at the latest now.
func sampleTime(o samples.SampleOrder, now time.Time) time.Time {
	today := now.In(access.CompanyDay)
	placed := time.Date(today.Year(), today.Month(), today.Day()-o.DaysAgo, o.Hour, 0, 0, 0, access.CompanyDay)
	if placed.After(now) {
		return now
	}
	return placed
}

// importOrder adds a sample order with lines of a pack. Number and Total are set here.
func importOrder(
	ctx context.Context, tx *store.DB, order store.Order, lines []samples.SampleLine,
	products map[string]store.Product,
) error {
	for _, l := range lines {
		order.Total += products[l.Product].Price * l.Quantity
	}
	var err error
	if order.Number, err = tx.Orders.NextNumber(ctx, order.CompanyID); err != nil {
		return err
	}
	if order.ID, err = tx.Orders.Add(ctx, order); err != nil {
		return err
	}
	for i, l := range lines {
		product := products[l.Product]
		if err := tx.Orders.AddLine(ctx, store.OrderLine{
			OrderID: order.ID, Line: i + 1, ProductID: product.ID, Quantity: l.Quantity, Price: product.Price,
			Sample: order.Sample,
		}); err != nil {
			return err
		}
	}
	return nil
}
