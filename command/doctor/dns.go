package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// LookUp returns the addresses of a name.
type LookUp func(ctx context.Context, host string) ([]string, error)

// Own is a company's own domain that is in use.
type Own struct {
	Host      string
	CompanyID int64
}

// DNS checks that the names of a platform at host lead to one place, and that companies' own domains lead there too.
func DNS(host string, lookUp LookUp, domains func(ctx context.Context) ([]Own, error)) Area {
	return Area{"dns", func(ctx context.Context) []Result {
		var l list
		base, err := lookUp(ctx, host)
		if err != nil {
			l.fail(host, fmt.Sprintf("the name cannot be found: %v", err), "add an A or AAAA record for "+host)
			return l
		}
		slices.Sort(base)
		l.ok(host, "%s", strings.Join(base, ", "))
		for _, label := range []string{"account", "m", "mgr", "api", "store1", "astore987654"} {
			name := label + "." + host
			l.sameAs(ctx, lookUp, name, host, base, "add a record for *."+host+" that leads where "+host+" does")
		}
		owned, err := domains(ctx)
		if err != nil {
			l.fail("domains", fmt.Sprintf("companies' domains cannot be read: %v", err), "check the database first")
			return l
		}
		for _, o := range owned {
			l.sameAs(ctx, lookUp, o.Host, host, base, fmt.Sprintf(
				"ask company %d to point it at %s, or take it away: portico company set %d no_domain %s",
				o.CompanyID, host, o.CompanyID, o.Host,
			))
		}
		return l
	}}
}

// sameAs checks that a name has one of the addresses of the platform.
func (l *list) sameAs(ctx context.Context, lookUp LookUp, name, host string, base []string, do string) {
	found, err := lookUp(ctx, name)
	if err != nil {
		l.fail(name, fmt.Sprintf("the name cannot be found: %v", err), do)
		return
	}
	slices.Sort(found)
	if !slices.ContainsFunc(found, func(address string) bool { return slices.Contains(base, address) }) {
		text := fmt.Sprintf("leads to %s, %s to %s", strings.Join(found, ", "), host, strings.Join(base, ", "))
		l.warn(name, text, do)
		return
	}
	l.ok(name, "leads to the same place")
}
