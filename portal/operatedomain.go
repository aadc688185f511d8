package portal

import (
	"context"
	"errors"
	"fmt"

	"portico/store"
)

// giveDomain makes a host a company's on the operator's word, without a proof; takeDomain takes it back.
func (p *Portal) giveDomain(ctx context.Context, id int64, typed string) error {
	host, problem := p.ownHost(typed)
	if problem != "" {
		return fmt.Errorf("%w: a host of the company's own, like shop.example.com (%s)", ErrSetting, problem)
	}
	return p.operateDomain(ctx, id, func(tx *store.DB) error {
		given, err := p.holdHost(ctx, tx, id, host, "")
		if err == nil && !given {
			return fmt.Errorf("%w: another company holds %s", ErrSetting, host)
		}
		if err != nil {
			return err
		}
		claim, err := tx.DomainClaimOf(ctx, id, host)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.DropDomainClaim(ctx, claim)
	})
}

func (p *Portal) takeDomain(ctx context.Context, id int64, host string) error {
	return p.operateDomain(ctx, id, func(tx *store.DB) error {
		err := p.dropHost(ctx, tx, id, host)
		if errors.Is(err, store.ErrNotFound) {
			err = fmt.Errorf("%w: %s is not the company's", ErrSetting, host)
		}
		return err
	})
}

func (p *Portal) operateDomain(ctx context.Context, id int64, change func(tx *store.DB) error) error {
	defer p.companies.forget()
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockCompany(ctx, id); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		return p.event(ctx, tx, "company_set", store.Member{Account: store.Account{CompanyID: id}}, "operator")
	})
	if errors.Is(err, store.ErrNotFound) {
		err = NotFound
	}
	return err
}
