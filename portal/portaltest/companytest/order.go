package companytest

import (
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/shop"
	"portico/store"
)

// OrderFirstProduct orders the first product of the catalogue and returns the order. It fails the test if the order is
// refused.
func OrderFirstProduct(p *portaltest.SMSPlatform, v access.Landing, quantity string) store.Order {
	p.T.Helper()
	page, err := p.Shop.Catalogue(p.T.Context(), v, shop.CatalogueInput{}, "zh")
	portaltest.NoError(p.T, err)
	o, err := p.Shop.PlaceOrder(p.From(portaltest.HomeAddress), v,
		shop.OrderInput{ProductID: page.Groups[0].Products[0].ID, Quantity: quantity, Form: shop.NewForm()})
	portaltest.NoError(p.T, err)
	return o
}

// FirstProduct returns the first product of a company. It fails the test if the products cannot be read.
func FirstProduct(p *portaltest.Platform, company int64) store.Product {
	p.T.Helper()
	all, err := p.DB.Catalogue.Products(p.T.Context(), company)
	portaltest.NoError(p.T, err)
	return all[0]
}

// PlaceOrder orders a product, and confirms that a second order of the same kind is intended. It returns the
// operation's result.
func PlaceOrder(
	p *portaltest.Platform, here access.Landing, product int64, quantity, form string,
) (store.Order, error) {
	return p.Shop.PlaceOrder(p.From(portaltest.HomeAddress), here, shop.OrderInput{
		ProductID: product, Quantity: quantity, Form: form, Again: true,
	})
}

// Stock returns the stock of a product. It fails the test if there is no such product.
func Stock(p *portaltest.Platform, company, product int64) int64 {
	p.T.Helper()
	k, err := p.DB.Products.ByID(p.T.Context(), company, product)
	portaltest.NoError(p.T, err)
	return k.Stock
}
