package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"portico/config"
	"portico/locale"
	"portico/portal"
	"portico/portal/onboarding"
	"portico/standin"
)

func runDemo(ctx context.Context, c config.Config, out io.Writer, _ []string) error {
	if c.Production {
		return errors.New("demo: production has no demo accounts")
	}
	db, p, err := openMigrated(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := p.Onboarding.LoadDemo(ctx); err != nil {
		return err
	}
	fmt.Fprintln(out, "the demo data is loaded")
	return nil
}

// printAddresses prints the addresses of the sites and the demo accounts for developers.
func printAddresses(ctx context.Context, out io.Writer, c config.Config, p *portal.Portal) {
	site := func(label string) string { return c.Base.Scheme + "://" + label + c.Base.Host }
	fmt.Fprintf(out, "Portico is at %s\n  account site    %s/login\n", c.Base, site("account."))
	loaded, err := p.Onboarding.DemoLoaded(ctx)
	if err != nil || !loaded {
		fmt.Fprintln(out, "no demo data; load it with: portico demo")
		return
	}
	first, err := p.Operator.Company(ctx, onboarding.DemoCompany)
	if err != nil {
		return
	}
	fmt.Fprintf(out, "  %s        %s/login\n", first.Name, site(fmt.Sprintf("store%d.", first.ID)))
	fmt.Fprintf(out, "  mobile shop     %s/shop   mobile back office  %s/home\n", site("m."), site("mgr."))
	fmt.Fprintf(out, "  API             %s/docs   messages sent  %s/dev/inbox\n", site("api."), site("account."))
	fmt.Fprintf(out, "  WeChat, WeCom   %s%s\n\n", c.Base, standin.Path)
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(table, "DEMO PHONE OR LOGIN\tSHOWS\t(password of all: %s)\n", onboarding.DemoPassword)
	for _, row := range onboarding.DemoTable {
		shows := "demo." + row.Shows
		fmt.Fprintf(table, "%s\t%s\t%s\n", row.Login, locale.English.T(shows), locale.Chinese.T(shows))
	}
	_ = table.Flush()
}
