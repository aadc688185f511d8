package operator

import (
	"context"
	"errors"
	"fmt"

	"portico/portal/access"
	"portico/portal/office"
	"portico/store"
)

// giveDomain makes a host a company's on the operator's word, without a proof; takeDomain takes it back.
func (o *Operator) giveDomain(ctx context.Context, id int64, typed string) error {
	host, problem := o.core.Access.OwnHost(typed)
	if problem != "" {
		return fmt.Errorf("%w: a host of the company's own, like shop.example.com (%s)", office.ErrSetting, problem)
	}
	return o.operateDomain(ctx, id, func(tx *store.DB) error {
		given, err := o.branding.HoldHost(ctx, tx, id, host, "")
		if err == nil && !given {
			return fmt.Errorf("%w: another company holds %s", office.ErrSetting, host)
		}
		if err != nil {
			return err
		}
		claim, err := tx.Hosts.Claim(ctx, id, host)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.Hosts.DropClaim(ctx, claim)
	})
}

func (o *Operator) takeDomain(ctx context.Context, id int64, host string) error {
	return o.operateDomain(ctx, id, func(tx *store.DB) error {
		err := o.branding.DropHost(ctx, tx, id, host)
		if errors.Is(err, store.ErrNotFound) {
			err = fmt.Errorf("%w: %s is not the company's", office.ErrSetting, host)
		}
		return err
	})
}

func (o *Operator) operateDomain(ctx context.Context, id int64, change func(tx *store.DB) error) error {
	defer o.core.Access.Companies.Forget()
	err := o.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := tx.Companies.Lock(ctx, id); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		return o.core.Access.Event(
			ctx, tx, "company_set", store.Member{Account: store.Account{CompanyID: id}}, "operator",
		)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = access.NotFound
	}
	return err
}
