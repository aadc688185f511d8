package main

import (
	"context"
	"os"

	"portico/e2e/testscope"
	"portico/portal/onboarding"
	"portico/tools/bench/page"
)

// platform is the host of the platform whose pages are measured. A browser keeps its process between two hosts below
// it, as it does below a real domain, but not between two hosts directly below localhost.
const platform = "portico.localhost"

// page compares the pages that need no account with a bare form and with their budgets.
func (b *bench) page(ctx context.Context) error {
	budgets, err := os.ReadFile(testscope.File("e2e/page/budgets.json")) // which the browser tests hold
	if err != nil {
		return err
	}
	portico, err := b.porticoAt(ctx, platform, "PORTICO_LIMITS=off")
	if err != nil {
		return err
	}
	defer portico.stop()
	bare, err := b.startBareServer(bareSignIn())
	if err != nil {
		return err
	}
	defer bare.stop()
	return page.Measure(ctx, page.Options{
		Program: portico.url, Host: platform, Bare: bare.url,
		Phone: demoPhones[0], Secret: onboarding.DemoPassword, Budgets: budgets, Dir: b.dir, Table: &b.table,
	})
}
