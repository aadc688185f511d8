package shop

import (
	"context"
	"strconv"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/samples"
	"portico/store"
	"portico/store/searchkey"
)

// ProductsShown is how many products a page of the shop has.
const ProductsShown = 60

// CatalogueInput is what an address says about the products of the shop, as it was typed. Wrong values are ignored.
type CatalogueInput struct {
	Search   string // a part of a name, or the beginning of a number
	Category string // the id of a category
	After    string // CataloguePage.Next of the page before
}

// CataloguePage is a page of the shop. Search and Category are what was understood, "" and 0 for all products. Next is
// the input After of the next page, "" at the end.
type CataloguePage struct {
	Search     string
	Category   int64
	IsFirst    bool
	Categories []store.Category // that have products, for all pages
	Groups     []CatalogueCategory
	Next       string
}

// CatalogueCategory is a category with those of its products that the page shows.
type CatalogueCategory struct {
	store.Category
	Products []CatalogueProduct
}

// CatalogueProduct is a product as a customer sees it. Drawing is the name of its drawing. Seen is the tag of the
// product and its price, for OrderInput.
type CatalogueProduct struct {
	store.Product
	Drawing, Seen string
}

// Catalogue reads a page of what a company sells: its products that are on. Samples are in the reader's language, and
// are found by their names in it. Categories without products are left out.
func (s *Shop) Catalogue(
	ctx context.Context, here access.Landing, in CatalogueInput, lang string,
) (CataloguePage, error) {
	c := here.Member.Company
	search := strings.ToValidUTF8(access.Truncated(in.Search, access.MaxTyped), "")
	page := CataloguePage{Search: strings.TrimSpace(strings.ReplaceAll(search, "\x00", ""))}
	page.Category, _ = access.DecimalID(in.Category)
	words := samples.WordsFor(c, lang)
	query := store.ShopQuery{
		CompanyID: c.ID, CategoryID: page.Category, Search: page.Search, After: placeOf(in.After),
		Limit: ProductsShown + 1,
	}
	page.IsFirst = query.After == store.ShopPlace{}
	if key := searchkey.Of(page.Search); key != "" {
		query.Samples = words.ProductsNamed(func(name string) bool { return strings.Contains(searchkey.Of(name), key) })
	}
	var err error
	if page.Categories, err = s.core.DB.Products.CategoriesInShop(ctx, c.ID); err != nil {
		return page, err
	}
	all, err := s.core.DB.Products.InShop(ctx, query)
	if err != nil {
		return page, err
	}
	if len(all) > ProductsShown {
		all = all[:ProductsShown]
		last := all[ProductsShown-1]
		page.Next = access.Decimal(last.CategoryID) + "-" + access.Decimal(last.ID)
	}
	of := map[int64][]CatalogueProduct{}
	for _, product := range all {
		seen := productSeen(product)
		words.Product(product.Sample, &product.Name, &product.Spec, &product.Unit)
		of[product.CategoryID] = append(of[product.CategoryID], CatalogueProduct{Product: product, Seen: seen})
	}
	for i := range page.Categories {
		category := &page.Categories[i]
		words.Category(category)
		for i := range of[category.ID] {
			k := &of[category.ID][i]
			k.Drawing = words.Drawing(k.Sample, category.Picture)
		}
		if len(of[category.ID]) > 0 {
			page.Groups = append(page.Groups, CatalogueCategory{*category, of[category.ID]})
		}
	}
	return page, nil
}

// placeOf reads CataloguePage.Next; anything else means the beginning.
func placeOf(after string) store.ShopPlace {
	category, product, _ := strings.Cut(after, "-")
	categoryID, ok := access.DecimalID(category)
	id, isID := access.DecimalID(product)
	if !ok || !isID {
		return store.ShopPlace{}
	}
	return store.ShopPlace{CategoryID: categoryID, ID: id}
}

// productSeen returns the tag of a product and its price, "3280-5f2c0a1b": the price in cents and a hash of the name,
// size and unit. It uses the stored values, so that it is the same in every language.
func productSeen(k store.Product) string {
	return access.Decimal(k.Price) + "-" + core.SeenTag([]string{k.Name, k.Spec, k.Unit, k.Sample})[:8]
}

// PriceSeen reads the price in cents from the tag of a product; ok is false when there is none.
func PriceSeen(seen string) (cents int64, ok bool) {
	price, _, _ := strings.Cut(seen, "-")
	cents, err := strconv.ParseInt(price, 10, 64)
	return cents, err == nil && cents >= 0
}

// changedSince says how a product with the tag now differs from one with the tag seen; "" for not at all, or without
// seen.
func changedSince(now, seen string) access.Problem {
	if seen == "" || seen == now {
		return ""
	}
	_, was, _ := strings.Cut(seen, "-")
	if _, ok := PriceSeen(seen); ok && strings.HasSuffix(now, "-"+was) {
		return access.PriceChanged
	}
	return access.ProductChanged
}
