package store

import (
	"context"
	"strings"

	"portico/store/searchkey"
)

// MostProductsSearched is how many products of a company the search of its shop looks at.
const MostProductsSearched = 10_000

// ProductTable reads and changes products: as the back office changes them and as the shop shows them. CatalogueTable
// adds them.
type ProductTable struct{ db *DB }

// ByID reads a product of a company; ErrNotFound.
func (t ProductTable) ByID(ctx context.Context, companyID, id int64) (Product, error) {
	return t.first(ctx, companyID, "p.id = ?", id)
}

// ByNumber reads the product of a company with a number, however that is spelled; ErrNotFound.
func (t ProductTable) ByNumber(ctx context.Context, companyID int64, number string) (Product, error) {
	return t.first(ctx, companyID, "p.number_key = ? AND p.number_key <> ''", searchkey.Of(number))
}

// ByForm reads the product of a company that a form added; ErrNotFound.
func (t ProductTable) ByForm(ctx context.Context, companyID int64, form string) (Product, error) {
	return t.first(ctx, companyID, "p.form = ? AND p.form <> ''", form)
}

// AddedSince reads a product of a company with a name that was added after an instant; ErrNotFound.
func (t ProductTable) AddedSince(
	ctx context.Context, companyID int64, name string, since Instant,
) (Product, error) {
	return t.first(ctx, companyID, "p.search = ? AND p.created_at > ?", searchkey.OfRow(name), since)
}

// first reads the first product of a company that meets a condition.
func (t ProductTable) first(
	ctx context.Context, companyID int64, where string, args ...any,
) (Product, error) {
	return row[Product](ctx, t.db, "SELECT "+ProductColumns+" FROM products p WHERE p.company_id = ? AND "+where+
		" ORDER BY p.id LIMIT 1", append([]any{companyID}, args...)...)
}

// Update writes what an edit may change of a product, if nobody has edited it since UpdatedAt was was. The stock
// changes by so many units, because orders change it meanwhile. ErrNotFound when it was edited, or the stock
// would fall below 0.
func (t ProductTable) Update(ctx context.Context, p Product, stockBy int64, was Instant) error {
	n, err := t.db.ChangeRows(ctx, `UPDATE products SET category_id = ?, number = ?, number_key = ?, name = ?,
		search = ?, spec = ?, unit = ?, price = ?, stock = stock + ?, state = ?, picture = ?, sample = ?, updated_at = ?
		WHERE id = ? AND company_id = ? AND updated_at = ? AND stock + ? >= 0`,
		p.CategoryID, p.Number, searchkey.Of(p.Number), p.Name, searchkey.OfRow(p.Name), p.Spec, p.Unit, p.Price,
		stockBy, p.State, p.Picture, p.Sample, p.UpdatedAt, p.ID, p.CompanyID, was, stockBy)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// TakeStock takes a quantity of a product that is on out of stock. ErrNotFound when there is not as much.
func (t ProductTable) TakeStock(ctx context.Context, companyID, productID, quantity int64) error {
	n, err := t.db.ChangeRows(ctx, "UPDATE products SET stock = stock - ? "+
		"WHERE id = ? AND company_id = ? AND stock >= ? AND state = 'on'", quantity, productID, companyID, quantity)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// UsedCategories reads the categories of a company that have products.
func (t ProductTable) UsedCategories(ctx context.Context, companyID int64) ([]Category, error) {
	return t.categories(ctx, "EXISTS (SELECT 1 FROM products p WHERE p.category_id = c.id)", companyID)
}

// CategoriesInShop reads the categories of a company that have products that are on.
func (t ProductTable) CategoriesInShop(ctx context.Context, companyID int64) ([]Category, error) {
	return t.categories(ctx, `EXISTS (SELECT 1 FROM products p
		WHERE p.company_id = c.company_id AND p.state = 'on' AND p.category_id = c.id)`, companyID)
}

func (t ProductTable) categories(ctx context.Context, where string, companyID int64) ([]Category, error) {
	return rows[Category](ctx, t.db, "SELECT c.id, c.company_id, c.name, c.picture, c.sample FROM categories c "+
		"WHERE c.company_id = ? AND "+where+" ORDER BY c.id", companyID)
}

// ShopQuery says which products of a company's shop to read. They are sorted by category, then by age.
type ShopQuery struct {
	CompanyID  int64
	CategoryID int64     // 0 for all
	Search     string    // a part of the name, or the beginning of the number; "" for all
	Samples    []string  // with Search: samples that are found, too, by their keys
	After      ShopPlace // continue after this product; the zero value begins
	Limit      int
}

// ShopPlace is the place of a product in the shop.
type ShopPlace struct{ CategoryID, ID int64 }

// InShop reads products that are on.
func (t ProductTable) InShop(ctx context.Context, q ShopQuery) ([]Product, error) {
	query, args := "SELECT "+ProductColumns+" FROM products p WHERE p.company_id = ? AND p.state = 'on'",
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
		args = append(args, q.CompanyID, MostProductsSearched, "%"+escaped(key)+"%")
		args = append(args, q.CompanyID, key, searchkey.End(key))
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
	return rows[Product](ctx, t.db, query+" ORDER BY p.category_id, p.id LIMIT ?", append(args, q.Limit)...)
}

// escaped returns a text for LIKE that stands for itself.
func escaped(text string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text)
}
