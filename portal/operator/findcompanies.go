package operator

import (
	"context"
	"fmt"
	"slices"

	"portico/portal/office"
	"portico/store"
)

// CompanyState is a state that the operator can list companies by.
type CompanyState string

// The states of companies. A company has one of them.
const (
	TrialCompany    CompanyState = "trial"
	FormalCompany   CompanyState = "formal"
	ExpiredCompany  CompanyState = "expired" // its trial or its term has ended
	DisabledCompany CompanyState = "disabled"
	SandboxCompany  CompanyState = "sandbox"
)

// CompanyStates are all states.
var CompanyStates = []CompanyState{TrialCompany, FormalCompany, ExpiredCompany, DisabledCompany, SandboxCompany}

// StateOf returns a company's state now.
func (o *Operator) StateOf(c store.Company) CompanyState {
	switch {
	case c.Disabled:
		return DisabledCompany
	case c.Sandbox:
		return SandboxCompany
	case c.EndsAt != 0 && c.EndsAt <= store.At(o.core.Now()):
		return ExpiredCompany
	case c.Standing == store.Trial:
		return TrialCompany
	}
	return FormalCompany
}

// findPage is how many companies FindCompanies reads at a time.
const findPage = 1000

// FindCompanies calls found with each company that a query selects and that is in a state, by id, until found returns
// an error. state is "" for all. A Limit of 0 means all companies.
func (o *Operator) FindCompanies(
	ctx context.Context, q store.CompanyQuery, state CompanyState, found func(store.Company) error,
) error {
	if state != "" && !slices.Contains(CompanyStates, state) {
		return fmt.Errorf("%w: the state %q; there are %v", office.ErrSetting, state, CompanyStates)
	}
	limit, count := q.Limit, 0
	q.Limit = findPage
	for {
		page, err := o.core.DB.Companies.Find(ctx, q)
		if err != nil {
			return err
		}
		for _, c := range page {
			if state != "" && o.StateOf(c) != state {
				continue
			}
			if err := found(c); err != nil {
				return err
			}
			if count++; count == limit {
				return nil
			}
		}
		if len(page) < findPage {
			return nil
		}
		q.After = page[len(page)-1].ID
	}
}
