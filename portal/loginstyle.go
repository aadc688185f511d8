package portal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"portico/store"
)

const stylePrefix = "/style/"

// styleEdition is raised when sheets are written otherwise than before: browsers keep what they were given for a year.
const styleEdition = 2

// styleQuery ends the addresses of sheets. It changes with what is served beside what companies wrote.
var styleQuery = "?" + hashed(fmt.Sprint(styleEdition, styleSpares, styleGuard))[:8]

// styleNameOf is the name in the address of a sheet; "" where it is none of ours.
func styleNameOf(address string) string {
	name, ours := strings.CutPrefix(address, stylePrefix)
	name, css := strings.CutSuffix(name, ".css")
	if !ours || !css || !plainName(name) {
		return ""
	}
	return name
}

// LoginStyle is the address of a company's style sheet on any of its hosts, "" for none.
func LoginStyle(c store.Company) string {
	if styleNameOf(c.LoginStyleURL) == "" {
		return ""
	}
	return c.LoginStyleURL + styleQuery
}

// takeStyle makes a sheet that was judged a company's, as part of a transaction. The address changes with what is
// served.
func (p *Portal) takeStyle(ctx context.Context, tx *store.DB, c *store.Company, source string) error {
	css, problems := FilterStyle(source)
	if len(problems) > 0 {
		return &Refused{Refusal: ValidationFailed, Fields: Fields{"style": StyleRefused}, Styles: problems}
	}
	if css == "" && source == "" {
		c.LoginStyleURL = ""
		return nil
	}
	name := hashed(fmt.Sprint(c.ID, "\x00", source, "\x00", ServedStyle(css)))[:24]
	c.LoginStyleURL = stylePrefix + name + ".css"
	return tx.KeepStyle(ctx, c.ID, name, source, store.At(p.now()))
}

// Style is a company's style sheet by the last part of its address, as browsers get it: on the company's own hosts,
// and on those that are no company's. It goes through the filter each time, so that nothing in the database is
// trusted. NotFound.
func (p *Portal) Style(ctx context.Context, place Place, name string) (string, error) {
	owner, source, err := p.db.StyleByName(ctx, styleNameOf(stylePrefix+name))
	if errors.Is(err, store.ErrNotFound) || err == nil && place.CompanyID() != 0 && place.CompanyID() != owner {
		return "", NotFound
	}
	if err != nil {
		return "", err
	}
	css, _ := FilterStyle(source)
	return ServedStyle(css), nil
}

// setStyle gives a company a style sheet on the operator's word, held to the same filter; "" takes it away.
func (p *Portal) setStyle(ctx context.Context, id int64, source string) error {
	defer p.companies.forget()
	return p.changeCompanyIn(ctx, id, "company_set", func(tx *store.DB, c *store.Company) error {
		err := p.takeStyle(ctx, tx, c, tidyStyle(source))
		if refused, ok := errors.AsType[*Refused](err); ok {
			first := refused.Styles[0]
			return fmt.Errorf("%w: line %d: %s: %s", ErrSetting, first.Line, first.Why, first.What)
		}
		return err
	})
}
