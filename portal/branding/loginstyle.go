package branding

import (
	"context"
	"errors"
	"fmt"

	"portico/portal/access"
	"portico/portal/stylesheet"
	"portico/store"
)

// styleEdition is raised when sheets are written otherwise than before: browsers keep what they were given for a year.
const styleEdition = 2

// styleQuery ends the addresses of sheets. It changes with what is served beside what companies wrote.
var styleQuery = "?" + access.Hashed(fmt.Sprint(styleEdition, stylesheet.StyleSpares, styleGuard))[:8]

// LoginStyle is the address of a company's style sheet on any of its hosts, "" for none.
func LoginStyle(c store.Company) string {
	if access.StyleNameOf(c.LoginStyleURL) == "" {
		return ""
	}
	return c.LoginStyleURL + styleQuery
}

// TakeStyle makes a sheet that was judged a company's, as part of a transaction. The address changes with what is
// served.
func (b *Branding) TakeStyle(ctx context.Context, tx *store.DB, c *store.Company, source string) error {
	css, problems := stylesheet.FilterStyle(source)
	if len(problems) > 0 {
		return &access.Refused{
			Refusal: access.ValidationFailed, Fields: access.Fields{"style": access.StyleRefused}, Styles: problems,
		}
	}
	if css == "" && source == "" {
		c.LoginStyleURL = ""
		return nil
	}
	name := access.Hashed(fmt.Sprint(c.ID, "\x00", source, "\x00", ServedStyle(css)))[:24]
	c.LoginStyleURL = access.StylePrefix + name + ".css"
	return tx.KeepStyle(ctx, c.ID, name, source, store.At(b.now()))
}

// Style is a company's style sheet by the last part of its address, as browsers get it: on the company's own hosts,
// and on those that are no company's. It goes through the filter each time, so that nothing in the database is
// trusted. NotFound.
func (b *Branding) Style(ctx context.Context, place access.Place, name string) (string, error) {
	owner, source, err := b.db.StyleByName(ctx, access.StyleNameOf(access.StylePrefix+name))
	if errors.Is(err, store.ErrNotFound) || err == nil && place.CompanyID() != 0 && place.CompanyID() != owner {
		return "", access.NotFound
	}
	if err != nil {
		return "", err
	}
	css, _ := stylesheet.FilterStyle(source)
	return ServedStyle(css), nil
}
