package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/signin"
	"portico/store"
)

// setCredentials gives a company credentials of its own, "" takes them away. For the operator.
func (o *Operator) setCredentials(ctx context.Context, id int64, kind store.CredentialKind, value string) error {
	app, ok := signin.ReadProviderApp(kind, value)
	if value != "" && !ok {
		return fmt.Errorf("%w: %s, or nothing", office.ErrSetting, signin.CredentialsForm(kind))
	}
	return o.backoffice.ChangeCompanyIn(ctx, id, "company_set", func(tx *store.DB, c *store.Company) error {
		doors := slices.DeleteFunc(strings.Fields(c.ChatDoors), func(one string) bool { return one == string(kind) })
		if value != "" && c.ChatDoors != access.ChatAppsOff { // which stays so until it is switched on
			doors = append(doors, string(kind))
		}
		c.ChatDoors = strings.Join(doors, " ")
		if value == "" {
			return tx.Credentials.Drop(ctx, c.ID, kind)
		}
		sealed, err := o.core.Sealing.Seal(core.CredentialsPurpose(c.ID, kind), app.Secret)
		if err != nil {
			return err
		}
		own := store.Credentials{
			CompanyID: c.ID, Kind: kind, App: app.ID, Agent: app.Agent, Secret: sealed, UpdatedAt: store.At(
				o.core.Now(),
			),
		}
		free, err := tx.Credentials.Put(ctx, own)
		if err == nil && !free {
			err = fmt.Errorf("%w: another company has this application", office.ErrSetting)
		}
		return err
	})
}

// switchChat turns all chat sign-in methods of a company off, or on again with the credentials it has. For the
// operator.
func (o *Operator) switchChat(ctx context.Context, id int64, value string) error {
	if value != access.ChatAppsOff && value != "on" {
		return fmt.Errorf("%w: on or off", office.ErrSetting)
	}
	return o.backoffice.ChangeCompanyIn(ctx, id, "company_set", func(tx *store.DB, c *store.Company) error {
		if c.ChatDoors = access.ChatAppsOff; value == access.ChatAppsOff {
			return nil
		}
		var doors []string
		for _, kind := range []store.CredentialKind{store.WeChatAccount, store.WeChatOpen, store.WeComCorp} {
			switch _, err := tx.Credentials.Of(ctx, c.ID, kind); {
			case err == nil:
				doors = append(doors, string(kind))
			case !errors.Is(err, store.ErrNotFound):
				return err
			}
		}
		c.ChatDoors = strings.Join(doors, " ")
		return nil
	})
}
