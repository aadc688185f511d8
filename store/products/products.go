// Package products has the SQL of companies' products, beside the store because that is full: how the back office
// changes them and how the shop reads them.
package products

import (
	"context"
	"strings"

	"portico/store"
	"portico/store/searchkey"
)

// MostSearched is how many products of a company the search of its shop looks at.
const MostSearched = 10_000

// ByID reads a product of a company; store.ErrNotFound.
func ByID(ctx context.Context, db *store.DB, companyID, id int64) (store.Product, error) {
	return first(ctx, db, companyID, "p.id = ?", id)
}

// ByNumber reads the product of a company with a number, however that is spelled; store.ErrNotFound.
func ByNumber(ctx context.Context, db *store.DB, companyID int64, number string) (store.Product, error) {
	return first(ctx, db, companyID, "p.number_key = ? AND p.number_key <> ''", searchkey.Of(number))
}

// ByForm reads the product of a company that a form added; store.ErrNotFound.
func ByForm(ctx context.Context, db *store.DB, companyID int64, form string) (store.Product, error) {
	return first(ctx, db, companyID, "p.form = ? AND p.form <> ''", form)
}

// AddedSince reads a product of a company with a name that was added after an instant; store.ErrNotFound.
func AddedSince(
	ctx context.Context, db *store.DB, companyID int64, name string, since store.Instant,
) (store.Product, error) {
	return first(ctx, db, companyID, "p.search = ? AND p.created_at > ?", searchkey.OfRow(name), since)
}

// first reads the first product of a company that meets a condition.
func first(
	ctx context.Context, db *store.DB, companyID int64, where string, args ...any,
) (store.Product, error) {
	var all []store.Product
	err := db.ReadRows(ctx, &all, "SELECT "+store.ProductColumns+" FROM products p WHERE p.company_id = ? AND "+where+
		" ORDER BY p.id LIMIT 1", append([]any{companyID}, args...)...)
	if err == nil && len(all) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Product{}, err
	}
	return all[0], nil
}

// Update writes what an edit may change of a product, if nobody has edited it since UpdatedAt was was. The stock
// changes by so many units, because orders change it meanwhile. store.ErrNotFound when it was edited, or the stock
// would fall below 0.
func Update(ctx context.Context, db *store.DB, p store.Product, stockBy int64, was store.Instant) error {
	n, err := db.ChangeRows(ctx, `UPDATE products SET category_id = ?, number = ?, number_key = ?, name = ?, search = ?,
		spec = ?, unit = ?, price = ?, stock = stock + ?, state = ?, picture = ?, sample = ?, updated_at = ?
		WHERE id = ? AND company_id = ? AND updated_at = ? AND stock + ? >= 0`,
		p.CategoryID, p.Number, searchkey.Of(p.Number), p.Name, searchkey.OfRow(p.Name), p.Spec, p.Unit, p.Price,
		stockBy, p.State, p.Picture, p.Sample, p.UpdatedAt, p.ID, p.CompanyID, was, stockBy)
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	return err
}

// TakeStock takes a quantity of a product that is on out of stock. store.ErrNotFound when there is not as much.
func TakeStock(ctx context.Context, db *store.DB, companyID, productID, quantity int64) error {
	n, err := db.ChangeRows(ctx, "UPDATE products SET stock = stock - ? "+
		"WHERE id = ? AND company_id = ? AND stock >= ? AND state = 'on'", quantity, productID, companyID, quantity)
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	return err
}

// UsedCategories reads the categories of a company that have products.
func UsedCategories(ctx context.Context, db *store.DB, companyID int64) ([]store.Category, error) {
	return categories(ctx, db, "EXISTS (SELECT 1 FROM products p WHERE p.category_id = c.id)", companyID)
}

// CategoriesInShop reads the categories of a company that have products that are on.
func CategoriesInShop(ctx context.Context, db *store.DB, companyID int64) ([]store.Category, error) {
	return categories(ctx, db, `EXISTS (SELECT 1 FROM products p
		WHERE p.company_id = c.company_id AND p.state = 'on' AND p.category_id = c.id)`, companyID)
}

func categories(ctx context.Context, db *store.DB, where string, companyID int64) ([]store.Category, error) {
	var all []store.Category
	err := db.ReadRows(ctx, &all, "SELECT c.id, c.company_id, c.name, c.picture, c.sample FROM categories c "+
		"WHERE c.company_id = ? AND "+where+" ORDER BY c.id", companyID)
	return all, err
}

// ShopQuery says which products of a company's shop to read. They are sorted by category, then by age.
type ShopQuery struct {
	CompanyID  int64
	CategoryID int64    // 0 for all
	Search     string   // a part of the name, or the beginning of the number; "" for all
	Samples    []string // with Search: samples that are found, too, by their keys
	After      Place    // continue after this product; the zero value begins
	Limit      int
}

// Place is the place of a product in the shop.
type Place struct{ CategoryID, ID int64 }

// InShop reads products that are on.
func InShop(ctx context.Context, db *store.DB, q ShopQuery) ([]store.Product, error) {
	query, args := "SELECT "+store.ProductColumns+" FROM products p WHERE p.company_id = ? AND p.state = 'on'",
		[]any{q.CompanyID}
	wanted, of := "", []any{}
	if q.CategoryID != 0 {
		wanted, of = wanted+" AND p.category_id = ?", append(of, q.CategoryID)
	}
	if q.After.ID != 0 {
		wanted, of = wanted+" AND (p.category_id, p.id) > (?, ?)", append(of, q.After.CategoryID, q.After.ID)
	}
	if key := searchkey.Of(q.Search); key == "" {
		query, args = query+wanted, append(args, of...)
	} else {
		// The indexes have all of this, so that only the rows of the page are read.
		found := `SELECT s.id, s.category_id FROM (SELECT id, search, category_id FROM products
			WHERE company_id = ? AND state = 'on' ORDER BY search, id LIMIT ?) s WHERE s.search LIKE ? ESCAPE '!'
			UNION SELECT id, category_id FROM products WHERE company_id = ? AND number_key >= ? AND number_key < ?
			AND number_key <> '' AND state = 'on'`
		args = append(args, q.CompanyID, MostSearched, "%"+escaped(key)+"%", q.CompanyID, key, searchkey.End(key))
		if len(q.Samples) > 0 {
			found += ` UNION SELECT id, category_id FROM products WHERE company_id = ? AND state = 'on' AND sample <> ''
				AND sample IN (?` + strings.Repeat(", ?", len(q.Samples)-1) + ")"
			args = append(args, q.CompanyID)
			for _, sample := range q.Samples {
				args = append(args, sample)
			}
		}
		query += " AND p.id IN (SELECT p.id FROM (" + found + ") p WHERE TRUE" + wanted +
			" ORDER BY p.category_id, p.id LIMIT ?)"
		args = append(append(args, of...), q.Limit)
	}
	var all []store.Product
	err := db.ReadRows(ctx, &all, query+" ORDER BY p.category_id, p.id LIMIT ?", append(args, q.Limit)...)
	return all, err
}

// escaped returns a text for LIKE that stands for itself.
func escaped(text string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text)
}
