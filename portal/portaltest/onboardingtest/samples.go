package onboardingtest

import (
	"fmt"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
)

// Initialise initialises the company of a session with an industry, with or without samples, and returns the
// operation's result.
func Initialise(
	p *portaltest.Platform, s access.Session, industry int64, samples bool,
) (onboarding.Initialised, error) {
	return p.Onboarding.Initialise(p.From(portaltest.HomeAddress), onboarding.InitialiseInput{
		Industry: industry, Import: samples, Session: s,
	})
}

// CountGoods returns the numbers of categories, products, customers and orders of a company, separated by spaces. It
// fails the test if they cannot be read.
func CountGoods(p *portaltest.Platform, company int64) string {
	p.T.Helper()
	ctx := p.T.Context()
	categories, err := p.DB.Catalogue.Categories(ctx, company)
	portaltest.NoError(p.T, err)
	products, err := p.DB.Catalogue.Products(ctx, company)
	portaltest.NoError(p.T, err)
	clients, err := p.DB.Clients.After(ctx, company, 0, 1000)
	portaltest.NoError(p.T, err)
	orders, err := p.DB.Orders.OfCompany(ctx, company, 1<<30, 1000)
	portaltest.NoError(p.T, err)
	return fmt.Sprintf("%d %d %d %d", len(categories), len(products), len(clients), len(orders))
}
