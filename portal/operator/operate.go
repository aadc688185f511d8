package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/office"
	"portico/portal/signin"
	"portico/portal/stylesheet"
	"portico/store"
)

// setStyle sets a company's style sheet for the operator, through the same filter as the company's own; "" removes it.
func (o *Operator) setStyle(ctx context.Context, id int64, source string) error {
	defer o.core.Access.Companies.Forget()
	return o.backoffice.ChangeCompanyIn(ctx, id, "company_set", func(tx *store.DB, c *store.Company) error {
		err := o.branding.TakeStyle(ctx, tx, c, stylesheet.TidyStyle(source))
		if refused, ok := errors.AsType[*access.Refused](err); ok {
			first := refused.Styles[0]
			return fmt.Errorf("%w: line %d: %s: %s", office.ErrSetting, first.Line, first.Why, first.What)
		}
		return err
	})
}

// OpenCompany opens a company and its administrator's account. See office.OpenCompany.
func (o *Operator) OpenCompany(
	ctx context.Context, in office.OpenCompanyInput,
) (office.OpenedCompany, error) {
	return o.backoffice.OpenCompany(ctx, in)
}

// Company reads one company. It returns NotFound for an unknown id.
func (o *Operator) Company(ctx context.Context, id int64) (store.Company, error) {
	c, err := o.core.DB.Companies.ByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = access.NotFound
	}
	return c, err
}

// EnableCompany ends a block of the operator. It takes effect at the next request.
func (o *Operator) EnableCompany(ctx context.Context, id int64) error {
	return o.backoffice.ChangeCompany(
		ctx, id, "company_enabled", func(c *store.Company) error { c.Disabled = false; return nil },
	)
}

// DisableCompany blocks a company: nobody can sign in to it or use it from the next request on.
func (o *Operator) DisableCompany(ctx context.Context, id int64) error {
	return o.backoffice.ChangeCompany(
		ctx, id, "company_disabled", func(c *store.Company) error { c.Disabled = true; return nil },
	)
}

// RenewCompany makes a company formal until the end of the given day.
func (o *Operator) RenewCompany(ctx context.Context, id int64, until time.Time) error {
	return o.backoffice.ChangeCompany(ctx, id, "company_renewed", func(c *store.Company) error {
		if !until.After(o.core.Now()) {
			return fmt.Errorf("%w: the new end must lie in the future", office.ErrSetting)
		}
		c.Standing = store.Formal
		c.EndsAt = store.At(until)
		c.Sandbox = false
		return nil
	})
}

// ExtendTrial extends a trial by days, from today when it has ended already.
func (o *Operator) ExtendTrial(ctx context.Context, id int64, days int) error {
	return o.backoffice.ChangeCompany(ctx, id, "trial_extended", func(c *store.Company) error {
		if c.Standing != store.Trial {
			return fmt.Errorf("%w: company %d is not on trial", office.ErrSetting, id)
		}
		if days < 1 || days > 365 {
			return fmt.Errorf("%w: a trial is extended by 1 to 365 days", office.ErrSetting)
		}
		from := max(c.EndsAt, store.At(o.core.Now()))
		c.EndsAt = from + store.At(time.Unix(0, 0).Add(time.Duration(days)*24*time.Hour))
		return nil
	})
}

// CompanySettings are the names SetCompany knows, for the operator's help.
var CompanySettings = []string{
	"name", "theme", "language", "shop_skin", "style", "view_count", "mall", "lighting", "exclusive_phones", "domain",
	"no_domain", "pc_domain", "contact", "manager", "wechat", "wechat_open", "wecom", "chat",
}

// confirmed is the value of the setting "name" that confirms the name a company has chosen itself.
const confirmed = "confirmed"

// SetCompany changes one setting of a company by its name. A company name that the operator sets is confirmed for
// messages.
func (o *Operator) SetCompany(ctx context.Context, id int64, name, value string) error {
	switch name {
	case "domain":
		return o.giveDomain(ctx, id, value)
	case "no_domain":
		return o.takeDomain(ctx, id, value)
	case "style":
		return o.setStyle(ctx, id, value)
	case "wechat", "wechat_open", "wecom":
		return o.setCredentials(ctx, id, signin.ChatSettings[name], value)
	case "chat":
		return o.switchChat(ctx, id, value)
	}
	return o.backoffice.ChangeCompany(
		ctx, id, "company_set", func(c *store.Company) error { return o.set(ctx, c, name, value) },
	)
}

func (o *Operator) set(ctx context.Context, c *store.Company, name, value string) error {
	switch name {
	case "name":
		if value == confirmed {
			c.ConfirmedName = c.Name
			return nil
		}
		clean, ok := access.NormalLogin(value)
		if !ok || clean == "" {
			return fmt.Errorf(
				"%w: a name of 1 to %d printable characters, or %s", office.ErrSetting, access.MaxLogin, confirmed,
			)
		}
		c.Name, c.ConfirmedName = clean, clean
	case "theme", "shop_skin":
		if !branding.GoodTheme(value) {
			return fmt.Errorf("%w: a colour of six hex digits, or nothing", office.ErrSetting)
		}
		if name == "theme" {
			c.Theme = strings.ToLower(value)
		} else {
			c.ShopSkin = strings.ToLower(value)
		}
	case "view_count":
		address, problem := o.core.Statistics.ViewCount(value)
		if problem != "" {
			return fmt.Errorf(
				"%w: an address of a tool whose host is in PORTICO_COUNTERS, in a form of docs/back-office.md, or "+
					"nothing", office.ErrSetting,
			)
		}
		c.ViewCountURL = address
	case "language":
		if value != "zh" && value != "es" && value != "en" {
			return fmt.Errorf("%w: zh, es or en", office.ErrSetting)
		}
		c.Language = value
	case "mall":
		c.Mall = store.Mall(value)
		if c.Mall != store.MallOpen && c.Mall != store.MallNotOpen && c.Mall != store.MallDisabled {
			return fmt.Errorf("%w: open, not_open or disabled", office.ErrSetting)
		}
	case "lighting":
		if value != "on" && value != "off" {
			return fmt.Errorf("%w: on or off", office.ErrSetting)
		}
		c.Lighting = value == "on"
	case "exclusive_phones":
		if value != "on" && value != "off" {
			return fmt.Errorf("%w: on or off", office.ErrSetting)
		}
		c.ExclusivePhones = value == "on"
	case "pc_domain":
		c.PCDomain = value
		if value == "" {
			return nil
		}
		own, err := o.entry.OwnDomain(ctx, *c)
		if err != nil {
			return fmt.Errorf(
				"%w: an origin like https://host whose host the company has registered", office.ErrSetting,
			)
		}
		c.PCDomain = own.String()
	case "contact", "manager":
		return setPerson(c, name, value)
	default:
		return fmt.Errorf(
			"%w: unknown setting %q; one of %s", office.ErrSetting, name, strings.Join(CompanySettings, ", "),
		)
	}
	return nil
}

func setPerson(c *store.Company, name, value string) error {
	person, phone, _ := strings.Cut(value, ":")
	person, ok := access.NormalLogin(person)
	number, good := access.NormalPhone(phone)
	if !ok || person == "" || !good {
		return fmt.Errorf("%w: NAME:PHONE", office.ErrSetting)
	}
	if name == "contact" {
		c.ContactName, c.ContactPhone = person, number
	} else {
		c.ManagerName, c.ManagerPhone = person, number
	}
	return nil
}
