package shop

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/store"
	"portico/store/searchkey"
)

// AddedAgain is how long another product with the same name counts as a possible repetition. A person who missed the
// response and opened the page again sends a form with another id.
const AddedAgain = 5 * time.Minute

// ProductDetail is a product as its form shows it. In has the stored texts, which are in the company's language.
type ProductDetail struct {
	store.Product
	In ProductInput
}

// Product reads a product of the company. It refuses with Forbidden an account without RightProducts, and with NotFound
// another company's product.
func (s *Shop) Product(ctx context.Context, here access.Landing, id int64) (ProductDetail, error) {
	if err := access.RequireRight(here, access.RightProducts); err != nil {
		return ProductDetail{}, err
	}
	p, err := s.core.DB.Products.ByID(ctx, here.Member.CompanyID, id)
	if err != nil {
		return ProductDetail{}, s.core.Access.RefuseMissing(ctx, here, "product", err)
	}
	categories, err := s.core.DB.Catalogue.Categories(ctx, here.Member.CompanyID)
	if err != nil {
		return ProductDetail{}, err
	}
	d := ProductDetail{Product: p}
	for _, c := range categories {
		if c.ID == p.CategoryID {
			d.In = inputOf(p, c.Name)
		}
	}
	return d, nil
}

// Categories reads the company's categories that have products, by their stored names. It refuses as Product does.
func (s *Shop) Categories(ctx context.Context, here access.Landing) ([]store.Category, error) {
	if err := access.RequireRight(here, access.RightProducts); err != nil {
		return nil, err
	}
	return s.core.DB.Products.UsedCategories(ctx, here.Member.CompanyID)
}

// Add adds a product that is on. The same form sent again returns the product that it added. It refuses with Forbidden
// an account without RightProducts; malformed fields; NumberTaken; CategoriesFull; what storePicture refuses; and asks
// with AddedJustNow under "name".
func (s *Shop) Add(ctx context.Context, here access.Landing, in ProductInput) (store.Product, error) {
	if err := access.RequireRight(here, access.RightProducts); err != nil {
		return store.Product{}, err
	}
	v, err := in.validate()
	if err != nil {
		return store.Product{}, err
	}
	form := ""
	if in.Form != "" {
		form = s.core.Sealing.Tag("product form",
			access.Decimal(here.Member.ID)+"\x00"+access.Truncated(in.Form, access.MaxTyped))
	}
	// Looked up before the picture is stored, too, so that a repeated form stores no second one.
	if p, err := s.core.DB.Products.ByForm(ctx, here.Member.CompanyID, form); !errors.Is(err, store.ErrNotFound) {
		return p, err
	}
	picture, err := s.storePicture(ctx, here, in.Picture)
	if err != nil {
		return store.Product{}, err
	}
	var p store.Product
	err = s.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := s.core.Access.LockActor(ctx, tx, here, access.RightProducts)
		if err != nil {
			return err
		}
		if p, err = tx.Products.ByForm(ctx, by.CompanyID, form); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		p = store.Product{
			CompanyID: by.CompanyID, Number: in.Number, Name: in.Name, Spec: in.Spec, Unit: in.Unit, Price: v.price,
			Stock: v.stock, State: "on", Picture: picture, Form: form, CreatedAt: store.At(s.core.Now()),
		}
		if err := s.checkNumber(ctx, tx, p); err != nil {
			return err
		}
		since := store.At(s.core.Now().Add(-AddedAgain))
		if _, err := tx.Products.AddedSince(ctx, p.CompanyID, p.Name, since); err == nil && !in.Again {
			return access.Invalid(access.Fields{"name": AddedJustNow})
		} else if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if p.CategoryID, err = s.category(ctx, tx, p.CompanyID, in.Category); err != nil {
			return err
		}
		if err := s.usePicture(ctx, tx, p.CompanyID, "", picture); err != nil {
			return err
		}
		if p.ID, err = tx.Catalogue.AddProduct(ctx, p); err != nil {
			return err
		}
		return s.core.Access.Event(ctx, tx, "product_added", by, access.Decimal(p.ID))
	})
	return p, err
}

// Edit changes a product. A stock that was left as the form showed it stays what orders have left of it. An edited
// sample becomes the company's own product. Saving what is stored succeeds and writes nothing. It refuses as Add and
// Product do, and with EditedMeanwhile under "seen".
func (s *Shop) Edit(ctx context.Context, here access.Landing, id int64, in ProductInput) error {
	if err := access.RequireRight(here, access.RightProducts); err != nil {
		return err
	}
	v, err := in.validate()
	if err != nil {
		return err
	}
	picture, err := s.storePicture(ctx, here, in.Picture)
	if err != nil {
		return err
	}
	return s.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := s.core.Access.LockActor(ctx, tx, here, access.RightProducts)
		if err != nil {
			return err
		}
		was, err := tx.Products.ByID(ctx, by.CompanyID, id)
		if err != nil {
			return s.core.Access.RefuseMissing(ctx, here, "product", err)
		}
		p := was
		p.Number = in.Number
		p.Name = in.Name
		p.Spec = in.Spec
		p.Unit = in.Unit
		p.Price = v.price
		if seen, ok := ReadStock(in.SeenStock); !ok || seen != v.stock {
			p.Stock = v.stock
		}
		if p.Picture, err = s.pictureOf(ctx, tx, was, picture, in.RemovePicture); err != nil {
			return err
		}
		if p.CategoryID, err = s.category(ctx, tx, p.CompanyID, in.Category); err != nil {
			return err
		}
		if p == was { // the form may be sent twice
			return nil
		}
		isStockOld := p.Stock != was.Stock && in.SeenStock != "" && in.SeenStock != access.Decimal(was.Stock)
		if in.Seen != "" && in.Seen != seenTag(was) || isStockOld {
			return access.Invalid(access.Fields{"seen": EditedMeanwhile})
		}
		if err := s.checkNumber(ctx, tx, p); err != nil {
			return err
		}
		if err := s.usePicture(ctx, tx, p.CompanyID, was.Picture, p.Picture); err != nil {
			return err
		}
		p.Sample = ""
		return s.update(ctx, tx, by, was, p, "product_edited")
	})
}

// Switch puts a product into the shop or takes it out. Nothing happens when it is so already. It refuses as Product
// does.
func (s *Shop) Switch(ctx context.Context, here access.Landing, id int64, on bool) error {
	if err := access.RequireRight(here, access.RightProducts); err != nil {
		return err
	}
	return s.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := s.core.Access.LockActor(ctx, tx, here, access.RightProducts)
		if err != nil {
			return err
		}
		was, err := tx.Products.ByID(ctx, by.CompanyID, id)
		if err != nil {
			return s.core.Access.RefuseMissing(ctx, here, "product", err)
		}
		p := was
		if p.State = "off"; on {
			p.State = "on"
		}
		if p == was {
			return nil
		}
		return s.update(ctx, tx, by, was, p, "product_"+p.State)
	})
}

// update writes a changed product and logs the event.
func (s *Shop) update(
	ctx context.Context, tx *store.DB, by store.Member, was, p store.Product, event string,
) error {
	p.UpdatedAt = max(was.UpdatedAt+1, store.At(s.core.Now()))
	err := tx.Products.Update(ctx, p, p.Stock-was.Stock, was.UpdatedAt)
	if errors.Is(err, store.ErrNotFound) { // an order took from the stock since it was read
		return access.Invalid(access.Fields{"seen": EditedMeanwhile})
	}
	if err != nil {
		return err
	}
	return s.core.Access.Event(ctx, tx, event, by, access.Decimal(p.ID))
}

// checkNumber refuses a number that another product of the company has.
func (s *Shop) checkNumber(ctx context.Context, tx *store.DB, p store.Product) error {
	other, err := tx.Products.ByNumber(ctx, p.CompanyID, p.Number)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err == nil && other.ID != p.ID:
		return access.Invalid(access.Fields{"number": NumberTaken})
	}
	return err
}

// category returns the id of the company's category with a name, and makes it when there is none. Call it with the
// company locked.
func (s *Shop) category(ctx context.Context, tx *store.DB, companyID int64, name string) (int64, error) {
	all, err := tx.Catalogue.Categories(ctx, companyID)
	if err != nil {
		return 0, err
	}
	for _, c := range all {
		if searchkey.Of(c.Name) == searchkey.Of(name) {
			return c.ID, nil
		}
	}
	if len(all) >= MaxCategories {
		return 0, access.Invalid(access.Fields{"category": CategoriesFull})
	}
	return tx.Catalogue.AddCategory(ctx, store.Category{CompanyID: companyID, Name: name})
}
