package onboarding

import (
	"context"

	"portico/portal/access"
	"portico/portal/samples"
	"portico/store"
)

// SampleRows are a company's samples: how many of each kind ClearSamples removes (Clears), and the rows that it keeps
// because real orders or accounts use them.
type SampleRows struct {
	Clears     store.SampleCounts
	Categories []store.Category
	Products   []store.Product
	Clients    []store.Client
}

// Empty reports whether there is nothing to clear.
func (s SampleRows) Empty() bool { return s.Clears == store.SampleCounts{} }

// Kept reports whether any samples are in use.
func (s SampleRows) Kept() bool { return len(s.Categories)+len(s.Products)+len(s.Clients) > 0 }

// Samples reads what ClearSamples would clear of a company and what it would keep. It refuses with Forbidden anyone but
// the company's administrators.
func (o *Onboarding) Samples(ctx context.Context, here access.Landing, lang string) (SampleRows, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return SampleRows{}, err
	}
	c := here.Member.Company
	rows, err := samplesOf(ctx, o.core.DB, c.ID)
	if err != nil {
		return SampleRows{}, err
	}
	words := samples.WordsFor(c, lang)
	for i := range rows.Categories {
		words.Category(&rows.Categories[i])
	}
	for i := range rows.Products {
		k := &rows.Products[i]
		words.Product(k.Sample, &k.Name, &k.Spec, &k.Unit)
	}
	return rows, nil
}

// samplesOf reads the samples of a company.
func samplesOf(ctx context.Context, db *store.DB, companyID int64) (SampleRows, error) {
	n, err := db.Catalogue.CountSamples(ctx, companyID)
	if err != nil {
		return SampleRows{}, err
	}
	rows := SampleRows{Clears: n}
	rows.Categories, rows.Products, rows.Clients, err = db.Catalogue.SamplesInUse(ctx, companyID)
	rows.Clears.Categories -= len(rows.Categories)
	rows.Clears.Products -= len(rows.Products)
	rows.Clears.Clients -= len(rows.Clients)
	return rows, err
}

// ClearSamples removes a company's samples in one transaction, except those that real orders and accounts use. It
// returns how many it removed. It refuses with Forbidden anyone but the company's administrators.
func (o *Onboarding) ClearSamples(ctx context.Context, here access.Landing) (store.SampleCounts, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return store.SampleCounts{}, err
	}
	var cleared store.SampleCounts
	err := o.core.DB.Tx(ctx, func(tx *store.DB) error {
		cleared = store.SampleCounts{}
		// LockActor locks the company, so no order is placed meanwhile
		by, err := o.core.Access.LockActor(ctx, tx, here, access.RightSettings)
		if err != nil {
			return err
		}
		rows, err := samplesOf(ctx, tx, by.CompanyID)
		if err != nil || rows.Empty() {
			return err
		}
		cleared = rows.Clears
		if err := tx.Catalogue.ClearSamples(ctx, by.CompanyID); err != nil {
			return err
		}
		if by.Company.Sandbox && !rows.Kept() { // it may be filled again
			if err := tx.Sandboxes.Empty(ctx, by.CompanyID); err != nil {
				return err
			}
		}
		return o.core.Access.Event(ctx, tx, "samples_cleared", by, "")
	})
	return cleared, err
}
