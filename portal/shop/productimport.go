package shop

import (
	"context"
	"errors"
	"strings"

	"portico/portal/access"
	"portico/portal/samples"
	"portico/store"
	"portico/store/lists"
	"portico/store/searchkey"
)

// ProductNamed says that the company has a product with the name, and the row that would add another one has no number.
const ProductNamed access.Problem = "product_named"

// ImportOutcome is what a row of a price list does.
type ImportOutcome string

// The outcomes.
const (
	Adds    ImportOutcome = "adds"
	Changes ImportOutcome = "changes"
	Keeps   ImportOutcome = "keeps" // the product is stored so already
)

// ImportCheck says what Import will do with a row: its Outcome, or the Fields that it will refuse.
type ImportCheck struct {
	Outcome ImportOutcome
	Fields  access.Fields
}

// CheckImport checks rows as Import does, and changes nothing. It refuses with Forbidden an account without
// RightProducts.
func (s *Shop) CheckImport(ctx context.Context, here access.Landing, rows []ProductInput) ([]ImportCheck, error) {
	if err := access.RequireRight(here, access.RightProducts); err != nil {
		return nil, err
	}
	known, err := s.knownProducts(ctx, s.core.DB, here.Member.Company, rows)
	if err != nil {
		return nil, err
	}
	all := make([]ImportCheck, len(rows))
	for i, row := range rows {
		_, all[i] = known.merge(row)
	}
	return all, nil
}

// Import adds a product that is on, or changes the one that the row means: that with its number, or the only one with
// its name if that has no number. What the row leaves empty stays as it is stored.
// It refuses with Forbidden an account without RightProducts; malformed fields; ProductNamed; and CategoriesFull.
func (s *Shop) Import(ctx context.Context, here access.Landing, in ProductInput) (ImportOutcome, error) {
	if err := access.RequireRight(here, access.RightProducts); err != nil {
		return "", err
	}
	var check ImportCheck
	err := s.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := s.core.Access.LockActor(ctx, tx, here, access.RightProducts)
		if err != nil {
			return err
		}
		known, err := s.knownProducts(ctx, tx, by.Company, []ProductInput{in})
		if err != nil {
			return err
		}
		var row merged
		row, check = known.merge(in)
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
			return s.update(ctx, tx, by, row.was, p, "product_edited")
		}
		p.State, p.CreatedAt = "on", store.At(s.core.Now())
		if p.ID, err = tx.Catalogue.AddProduct(ctx, p); err != nil {
			return err
		}
		return s.core.Access.Event(ctx, tx, "product_added", by, access.Decimal(p.ID))
	})
	if err != nil {
		return "", err
	}
	return check.Outcome, nil
}

// knownProducts are the products of a company that rows may mean.
type knownProducts struct {
	company    store.Company
	categories []store.Category
	byNumber   map[string]store.Product
	byName     map[string][]store.Product // samples by their names in every language
}

func (s *Shop) knownProducts(
	ctx context.Context, db *store.DB, company store.Company, rows []ProductInput,
) (k knownProducts, err error) {
	k = knownProducts{company: company, byNumber: map[string]store.Product{}, byName: map[string][]store.Product{}}
	spellings := map[string][]string{}
	for _, names := range samples.ProductNames(company) {
		for _, name := range names {
			spellings[searchkey.OfRow(name)] = names
		}
	}
	var numbers, names []string
	for _, row := range rows {
		numbers, names = append(numbers, searchkey.Of(row.Number)), append(names, searchkey.OfRow(row.Name))
		for _, name := range spellings[searchkey.OfRow(row.Name)] {
			names = append(names, searchkey.OfRow(name))
		}
	}
	numbered, err := lists.ProductsByNumber(ctx, db, company.ID, numbers)
	if err != nil {
		return k, err
	}
	named, err := lists.ProductsByName(ctx, db, company.ID, names)
	if err != nil {
		return k, err
	}
	for _, p := range numbered {
		k.byNumber[searchkey.Of(p.Number)] = p
	}
	for _, p := range named {
		keys := map[string]bool{searchkey.OfRow(p.Name): true}
		for _, lang := range samples.Langs {
			keys[searchkey.OfRow(inLang(company, p, lang).Name)] = true
		}
		for key := range keys {
			k.byName[key] = append(k.byName[key], p)
		}
	}
	k.categories, err = db.Catalogue.Categories(ctx, company.ID)
	return k, err
}

// inLang returns a product with its texts in a language, if it is a sample.
func inLang(company store.Company, p store.Product, lang string) store.Product {
	samples.WordsFor(company, lang).Product(p.Sample, &p.Name, &p.Spec, &p.Unit)
	return p
}

// meant returns the stored product that a row means, and false if it means none. isNamed reports that others have the
// row's name, so that a row without a number could be one of them.
func (k knownProducts) meant(in ProductInput) (was store.Product, ok, isNamed bool) {
	number := searchkey.Of(in.Number)
	if was, ok = k.byNumber[number]; ok && number != "" {
		return was, true, false
	}
	named := k.byName[searchkey.OfRow(in.Name)]
	if len(named) == 1 && named[0].Number == "" {
		return named[0], true, false
	}
	return store.Product{}, false, len(named) > 0
}

// merged is a product as a row makes it, with the name of its category. was is the stored product, zero for a new one.
type merged struct {
	store.Product
	category string
	was      store.Product
}

// merge returns the product that a row makes of the stored one that it means. A sample is compared in the language in
// which the row has its name; when the row changes it, the texts of that language are stored.
func (k knownProducts) merge(in ProductInput) (merged, ImportCheck) {
	was, isKnown, isNamed := k.meant(in)
	seen, category := was, k.category(was.CategoryID)
	if isKnown {
		for _, lang := range samples.Langs {
			if shown := inLang(k.company, was, lang); searchkey.Of(shown.Name) == searchkey.Of(in.Name) {
				seen = shown
				samples.WordsFor(k.company, lang).Category(&category)
				break
			}
		}
		stored := inputOf(seen, category.Name)
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
		if was.Number != "" {
			in.Number = was.Number
		}
	}
	v, err := in.validate()
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return merged{}, ImportCheck{Fields: refused.Fields}
	}
	if isNamed && in.Number == "" {
		return merged{}, ImportCheck{Fields: access.Fields{"name": ProductNamed}}
	}
	p := merged{seen, k.named(in.Category), was}
	p.Number = in.Number
	p.Name = in.Name
	p.Spec = in.Spec
	p.Unit = in.Unit
	p.Price = v.price
	p.Stock = v.stock
	switch {
	case !isKnown:
		return p, ImportCheck{Outcome: Adds}
	case p.Product == seen && searchkey.Of(p.category) == searchkey.Of(k.category(was.CategoryID).Name):
		return p, ImportCheck{Outcome: Keeps}
	}
	return p, ImportCheck{Outcome: Changes}
}

// category returns a stored category.
func (k knownProducts) category(id int64) store.Category {
	for _, c := range k.categories {
		if c.ID == id {
			return c
		}
	}
	return store.Category{}
}

// named returns the name with which a category is stored that has a name in some language, or the name itself.
func (k knownProducts) named(name string) string {
	for _, c := range k.categories {
		for _, lang := range samples.Langs {
			shown := c
			samples.WordsFor(k.company, lang).Category(&shown)
			if searchkey.Of(shown.Name) == searchkey.Of(name) {
				return c.Name
			}
		}
	}
	return name
}
