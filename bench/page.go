package main

import (
	"context"
	_ "embed"

	"portico/bench/page"
	"portico/portal/onboarding"
)

//go:embed budgets.json
var budgets []byte

// platform is the host of the platform whose pages are measured. As on the internet, its sites are of one site to a
// browser, which then keeps its process from one to the next. Those directly below localhost are not.
const platform = "portico.localhost"

// page compares the pages that need no account with a bare form and with their budgets.
func (b *bench) page(ctx context.Context) error {
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
