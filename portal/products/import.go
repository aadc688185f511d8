package products

import (
	"context"
	"errors"
	"strings"

	"portico/portal/access"
	"portico/store"
	"portico/store/lists"
	"portico/store/products"
	"portico/store/searchkey"
)

// ProductNamed says that the company has a product with the name, and the row that would add another one has no number.
const ProductNamed access.Problem = "product_named"

// Outcome is what a row of a price list does.
type Outcome string

// The outcomes.
const (
	Adds    Outcome = "adds"
	Changes Outcome = "changes"
	Keeps   Outcome = "keeps" // the product is stored so already
)

// ImportCheck says what Import will do with a row: its Outcome, or the Fields that it will refuse.
type ImportCheck struct {
	Outcome Outcome
	Fields  access.Fields
}

// CheckImport checks rows as Import does, and changes nothing. It refuses with Forbidden an account without
// RightProducts.
func (s *Products) CheckImport(ctx context.Context, here access.Landing, rows []Input) ([]ImportCheck, error) {
	if err := access.RequireRight(here, access.RightProducts); err != nil {
		return nil, err
	}
	var numbers, names []string
	for _, row := range rows {
		numbers, names = append(numbers, searchkey.Of(row.Number)), append(names, searchkey.OfRow(row.Name))
	}
	numbered, err := lists.ProductsByNumber(ctx, s.db, here.Member.CompanyID, numbers)
	if err != nil {
		return nil, err
	}
	named, err := lists.ProductsByName(ctx, s.db, here.Member.CompanyID, names)
	if err != nil {
		return nil, err
	}
	categories, err := s.db.Catalogue.Categories(ctx, here.Member.CompanyID)
	if err != nil {
		return nil, err
	}
	byNumber, isNamed := map[string]store.Product{}, map[string]bool{}
	for _, p := range numbered {
		byNumber[searchkey.Of(p.Number)] = p
	}
	for _, p := range named {
		isNamed[searchkey.OfRow(p.Name)] = true
	}
	all := make([]ImportCheck, len(rows))
	for i, row := range rows {
		was := byNumber[searchkey.Of(row.Number)]
		_, all[i] = merge(row, was, categories, isNamed[searchkey.OfRow(row.Name)])
	}
	return all, nil
}

// Import adds a product that is on, or changes the one with the row's number: its empty texts stay as they are stored.
// It refuses with Forbidden an account without RightProducts; malformed fields; ProductNamed; and CategoriesFull.
func (s *Products) Import(ctx context.Context, here access.Landing, in Input) (Outcome, error) {
	if err := access.RequireRight(here, access.RightProducts); err != nil {
		return "", err
	}
	var check ImportCheck
	err := s.db.Tx(ctx, func(tx *store.DB) error {
		by, err := s.access.LockActor(ctx, tx, here, access.RightProducts)
		if err != nil {
			return err
		}
		was, err := products.ByNumber(ctx, tx, by.CompanyID, in.Number)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		named, err := lists.ProductsByName(ctx, tx, by.CompanyID, []string{searchkey.OfRow(in.Name)})
		if err != nil {
			return err
		}
		categories, err := tx.Catalogue.Categories(ctx, by.CompanyID)
		if err != nil {
			return err
		}
		var row merged
		row, check = merge(in, was, categories, len(named) > 0)
		if err := access.Invalid(check.Fields); err != nil || check.Outcome == Keeps {
			return err
		}
		p := row.Product
		p.CompanyID = by.CompanyID
		if p.CategoryID, err = s.category(ctx, tx, by.CompanyID, row.category); err != nil {
			return err
		}
		if check.Outcome == Changes {
			p.Sample = ""
			return s.update(ctx, tx, by, was, p, "product_edited")
		}
		p.State, p.CreatedAt = "on", store.At(s.now())
		if p.ID, err = tx.Catalogue.AddProduct(ctx, p); err != nil {
			return err
		}
		return s.access.Event(ctx, tx, "product_added", by, access.Decimal(p.ID))
	})
	if err != nil {
		return "", err
	}
	return check.Outcome, nil
}

// merged is a product as a row makes it, with the name of its category.
type merged struct {
	store.Product
	category string
}

// merge returns the product that a row makes of a stored one, which is zero for a new one.
func merge(in Input, was store.Product, categories []store.Category, isNamed bool) (merged, ImportCheck) {
	category := ""
	for _, c := range categories {
		if c.ID == was.CategoryID {
			category = c.Name
		}
	}
	if was.ID != 0 {
		stored := inputOf(was, category)
		for _, f := range []struct {
			typed  *string
			stored string
		}{
			{&in.Name, stored.Name}, {&in.Category, stored.Category}, {&in.Spec, stored.Spec}, {&in.Unit, stored.Unit},
			{&in.Price, stored.Price}, {&in.Stock, stored.Stock},
		} {
			if strings.TrimSpace(*f.typed) == "" {
				*f.typed = f.stored
			}
		}
		in.Number = was.Number
	}
	v, err := in.validate()
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return merged{}, ImportCheck{Fields: refused.Fields}
	}
	if was.ID == 0 && in.Number == "" && isNamed {
		return merged{}, ImportCheck{Fields: access.Fields{"name": ProductNamed}}
	}
	p := merged{was, in.Category}
	p.Number, p.Name, p.Spec, p.Unit, p.Price, p.Stock = in.Number, in.Name, in.Spec, in.Unit, v.price, v.stock
	switch {
	case was.ID == 0:
		return p, ImportCheck{Outcome: Adds}
	case p.Product == was && searchkey.Of(p.category) == searchkey.Of(category):
		return p, ImportCheck{Outcome: Keeps}
	}
	return p, ImportCheck{Outcome: Changes}
}
