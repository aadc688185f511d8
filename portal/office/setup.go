package office

import (
	"context"
	"errors"
	"slices"
	"time"

	"portico/portal/access"
	"portico/store"
)

// SetupShown is how long after its registration a company is shown what to set up first.
const SetupShown = 30 * 24 * time.Hour

// SetupStep is something that a new company sets up first. IsDone says whether it did, however that happened.
type SetupStep struct {
	Name   SetupName
	IsDone bool
}

// SetupName is the name of a SetupStep.
type SetupName string

// The steps, in their order.
const (
	SetupProducts     SetupName = "products"     // the shop has a product that is no sample
	SetupApplications SetupName = "applications" // customers can apply
	SetupLook         SetupName = "look"         // the company has its own colour or icon
	SetupBank         SetupName = "bank"         // customers see where to pay
	SetupStaff        SetupName = "staff"        // a second person works in the back office
	SetupSamples      SetupName = "samples"      // the sample data is cleared; a step only while there is any
)

// setup returns the first steps of a company that registered itself less than SetupShown ago. It returns none once all
// are done, in a sandbox, and for accounts that may not take them all.
func (v *Overview) setup(ctx context.Context, m store.Member) ([]SetupStep, error) {
	c := m.Company
	isNew := c.InitialisedAt != 0 && v.core.Now().Sub(c.CreatedAt.Time()) < SetupShown
	if !isNew || c.Sandbox || !access.May(m, access.RightSettings) || !access.May(m, access.RightPeople) {
		return nil, nil
	}
	_, err := v.core.DB.Companies.BankAccount(ctx, m.CompanyID)
	hasBank := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	staff, err := v.core.DB.Accounts.After(ctx, m.CompanyID, store.Mgr, 0, 2)
	if err != nil {
		return nil, err
	}
	sample, err := v.core.DB.Catalogue.CountSamples(ctx, m.CompanyID)
	if err != nil {
		return nil, err
	}
	hasProduct, err := v.core.DB.Reports.HasOwnProduct(ctx, m.CompanyID)
	if err != nil {
		return nil, err
	}
	steps := []SetupStep{
		{SetupProducts, hasProduct},
		{SetupApplications, c.ApplicationsOpen},
		{SetupLook, c.Theme != "" || c.IconURL != ""},
		{SetupBank, hasBank},
		{SetupStaff, len(staff) > 1},
	}
	if sample != (store.SampleCounts{}) {
		steps = append(steps, SetupStep{Name: SetupSamples})
	}
	if !slices.ContainsFunc(steps, func(s SetupStep) bool { return !s.IsDone }) {
		return nil, nil
	}
	return steps, nil
}
