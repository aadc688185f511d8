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

// LoginStyle returns the path of a company's style sheet on any of its hosts, "" for none.
func LoginStyle(c store.Company) string {
	if access.StyleName(c.LoginStyleURL) == "" {
		return ""
	}
	return c.LoginStyleURL + styleQuery
}

// TakeStyle stores a checked style sheet for a company, in the transaction of the caller. The address of the sheet
// depends on the served content.
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
	return tx.Looks.KeepStyle(ctx, c.ID, name, source, store.At(b.core.Now()))
}

// Style returns a company's style sheet by the last part of its address, as it is served on the company's own hosts and
// on hosts that belong to no company. It filters the sheet each time, so that the stored text is not trusted. It
// refuses with NotFound an unknown address.
func (b *Branding) Style(ctx context.Context, place access.Place, name string) (string, error) {
	owner, source, err := b.core.DB.Looks.StyleByName(ctx, access.StyleName(access.StylePrefix+name))
	if errors.Is(err, store.ErrNotFound) || err == nil && place.CompanyID() != 0 && place.CompanyID() != owner {
		return "", access.NotFound
	}
	if err != nil {
		return "", err
	}
	css, _ := stylesheet.FilterStyle(source)
	return ServedStyle(css), nil
}
