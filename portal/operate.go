package portal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"portico/store"
)

// Companies lists every company, for the operator.
func (p *Portal) Companies(ctx context.Context) ([]store.Company, error) {
	return p.db.ListCompanies(ctx)
}

// Company reads one company, for the operator; NotFound.
func (p *Portal) Company(ctx context.Context, id int64) (store.Company, error) {
	c, err := p.db.CompanyByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = NotFound
	}
	return c, err
}

// EnableCompany lifts the provider's block; DisableCompany sets it. Both bite at the next request of
// everyone in the company.
func (p *Portal) EnableCompany(ctx context.Context, id int64) error {
	return p.changeCompany(ctx, id, "company_enabled", func(c *store.Company) error { c.Disabled = false; return nil })
}

// DisableCompany blocks a company: nobody of it signs in.
func (p *Portal) DisableCompany(ctx context.Context, id int64) error {
	return p.changeCompany(ctx, id, "company_disabled", func(c *store.Company) error { c.Disabled = true; return nil })
}

// RenewCompany makes a company formal until the end of the given day.
func (p *Portal) RenewCompany(ctx context.Context, id int64, until time.Time) error {
	return p.changeCompany(ctx, id, "company_renewed", func(c *store.Company) error {
		if !until.After(p.now()) {
			return fmt.Errorf("%w: the new end must lie in the future", ErrSetting)
		}
		c.Standing, c.EndsAt, c.Sandbox = store.Formal, store.At(until), false
		return nil
	})
}

// ExtendTrial lengthens a trial by days, counted from today when it has ended already.
func (p *Portal) ExtendTrial(ctx context.Context, id int64, days int) error {
	return p.changeCompany(ctx, id, "trial_extended", func(c *store.Company) error {
		if c.Standing != store.Trial {
			return fmt.Errorf("%w: company %d is not on trial", ErrSetting, id)
		}
		if days < 1 || days > 365 {
			return fmt.Errorf("%w: a trial is extended by 1 to 365 days", ErrSetting)
		}
		from := max(c.EndsAt, store.At(p.now()))
		c.EndsAt = from + store.At(time.Unix(0, 0).Add(time.Duration(days)*24*time.Hour))
		return nil
	})
}

// CompanySettings are the names SetCompany knows, for the operator's help.
var CompanySettings = []string{"name", "theme", "language", "shop_skin", "style", "view_count", "mall", "lighting", "exclusive_phones", "domain", "no_domain", "pc_domain", "contact", "manager", "wechat", "wechat_open", "wecom", "chat"}

// confirmed is the value of the setting "name" that confirms the name a company has chosen itself.
const confirmed = "confirmed"

// SetCompany changes one setting of a company by name. A name that the operator sets is confirmed for messages.
func (p *Portal) SetCompany(ctx context.Context, id int64, name, value string) error {
	switch name {
	case "domain":
		return p.giveDomain(ctx, id, value)
	case "no_domain":
		return p.takeDomain(ctx, id, value)
	case "style":
		return p.setStyle(ctx, id, value)
	case "wechat", "wechat_open", "wecom":
		return p.setCredentials(ctx, id, chatSettings[name], value)
	case "chat":
		return p.switchChat(ctx, id, value)
	}
	return p.changeCompany(ctx, id, "company_set", func(c *store.Company) error { return p.set(ctx, c, name, value) })
}

func (p *Portal) set(ctx context.Context, c *store.Company, name, value string) error {
	switch name {
	case "name":
		if value == confirmed {
			c.ConfirmedName = c.Name
			return nil
		}
		clean, ok := NormalLogin(value)
		if !ok || clean == "" {
			return fmt.Errorf("%w: a name of 1 to %d printable characters, or %s", ErrSetting, MaxLogin, confirmed)
		}
		c.Name, c.ConfirmedName = clean, clean
	case "theme", "shop_skin":
		if !goodTheme(value) {
			return fmt.Errorf("%w: a colour of six hex digits, or nothing", ErrSetting)
		}
		if name == "theme" {
			c.Theme = strings.ToLower(value)
		} else {
			c.ShopSkin = strings.ToLower(value)
		}
	case "view_count":
		address, problem := p.viewCount(value)
		if problem != "" {
			return fmt.Errorf("%w: an address of a tool whose host is in PORTICO_COUNTERS, in a form of docs/back-office.md, or nothing", ErrSetting)
		}
		c.ViewCountURL = address
	case "language":
		if value != "zh" && value != "es" && value != "en" {
			return fmt.Errorf("%w: zh, es or en", ErrSetting)
		}
		c.Language = value
	case "mall":
		c.Mall = store.Mall(value)
		if c.Mall != store.MallOpen && c.Mall != store.MallNotOpen && c.Mall != store.MallDisabled {
			return fmt.Errorf("%w: open, not_open or disabled", ErrSetting)
		}
	case "lighting":
		if value != "on" && value != "off" {
			return fmt.Errorf("%w: on or off", ErrSetting)
		}
		c.Lighting = value == "on"
	case "exclusive_phones":
		if value != "on" && value != "off" {
			return fmt.Errorf("%w: on or off", ErrSetting)
		}
		c.ExclusivePhones = value == "on"
	case "pc_domain":
		c.PCDomain = value
		if value == "" {
			return nil
		}
		own, err := p.ownDomain(ctx, *c)
		if err != nil {
			return fmt.Errorf("%w: an origin like https://host whose host the company has registered", ErrSetting)
		}
		c.PCDomain = own.String()
	case "contact", "manager":
		return setPerson(c, name, value)
	default:
		return fmt.Errorf("%w: unknown setting %q; one of %s", ErrSetting, name, strings.Join(CompanySettings, ", "))
	}
	return nil
}

func setPerson(c *store.Company, name, value string) error {
	person, phone, _ := strings.Cut(value, ":")
	person, ok := NormalLogin(person)
	number, good := NormalPhone(phone)
	if !ok || person == "" || !good {
		return fmt.Errorf("%w: NAME:PHONE", ErrSetting)
	}
	if name == "contact" {
		c.ContactName, c.ContactPhone = person, number
	} else {
		c.ManagerName, c.ManagerPhone = person, number
	}
	return nil
}

// Backup writes a copy of the running database to a file that does not exist yet.
func (p *Portal) Backup(ctx context.Context, path string) error { return p.db.Backup(ctx, path) }
