package shop

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/samples"
	"portico/store"
)

const (
	// MaxCartLines is how many products a cart may have.
	MaxCartLines = 100
	// MaxNote is the longest note of an order, in characters.
	MaxNote = 300
	// CartKept is how long a cart is kept that nobody changes.
	CartKept = 180 * 24 * time.Hour
)

const (
	// CartFull says that a cart has MaxCartLines products.
	CartFull access.Problem = "cart_full"
	// CartEmpty says that there is nothing to order.
	CartEmpty access.Problem = "cart_empty"
	// CartChanged says that the cart has other products than the page showed.
	CartChanged access.Problem = "cart_changed"
)

// Cart is the cart of an account. Form is the id of the order that it will become.
type Cart struct {
	Form, Note string
	Lines      []CartLine
}

// CartLine is a product in a cart. Seen is its tag now, Was the one when it was put in.
type CartLine struct {
	store.Product
	Drawing  string // the name of its drawing
	Quantity int64
	Seen     string
	Was      string
}

// Total returns the price of the line, in cents.
func (l CartLine) Total() int64 { return l.Quantity * l.Price }

// Problem says why the line cannot be ordered as it is, or how the product has changed since it was put in; "" if
// nothing has.
func (l CartLine) Problem() access.Problem {
	switch {
	case l.State != "on":
		return access.ProductGone
	case l.Stock < l.Quantity:
		return access.StockShort
	}
	return changedSince(l.Seen, l.Was)
}

// Total returns the price of the lines that are in the shop, in cents.
func (c Cart) Total() (cents int64) {
	for _, l := range c.Lines {
		if l.State == "on" {
			cents += l.Total()
		}
	}
	return cents
}

// QuantityField returns the name of the field with the quantity of a product in a cart.
func QuantityField(productID int64) string { return "quantity_" + access.Decimal(productID) }

// CartInput changes a cart. Typed has quantities by the ids of products: 0 takes a product out, "" leaves it as it is.
// More and Less add one to a product or take one away, Remove takes it out; 0 for none. Note is nil to keep the note.
// Form is the Cart.Form that the page showed, "" for a page without the cart: a change that arrives after the cart was
// ordered must not fill the next one.
type CartInput struct {
	Form               string
	Typed              map[int64]string
	More, Less, Remove int64
	Note               *string
}

// requireCustomer refuses with NotFound an account of the back office, and with DataAbnormal one without a customer.
func requireCustomer(m store.Member) error {
	if m.Side != store.Shop {
		return access.NotFound
	}
	if m.ClientID == 0 {
		return &access.Refused{Refusal: access.DataAbnormal}
	}
	return nil
}

// Cart reads the account's cart. Samples are in the language lang.
func (s *Shop) Cart(ctx context.Context, here access.Landing, lang string) (Cart, error) {
	m := here.Member
	if err := requireCustomer(m); err != nil {
		return Cart{}, err
	}
	stored, err := s.core.DB.Carts.Of(ctx, m.CompanyID, m.ID)
	if errors.Is(err, store.ErrNotFound) {
		return Cart{}, nil
	}
	if err != nil {
		return Cart{}, err
	}
	lines, err := s.core.DB.Carts.Lines(ctx, m.CompanyID, m.ID)
	cart, words := Cart{Form: stored.Form, Note: stored.Note}, samples.WordsFor(m.Company, lang)
	for _, l := range lines {
		line := CartLine{
			Product: l.Product, Drawing: words.Drawing(l.Sample, l.Drawing), Quantity: l.Quantity,
			Seen: productSeen(l.Product), Was: l.Seen,
		}
		words.Product(l.Sample, &line.Name, &line.Spec, &line.Unit)
		cart.Lines = append(cart.Lines, line)
	}
	return cart, err
}

// CountCart counts the products in the account's cart.
func (s *Shop) CountCart(ctx context.Context, here access.Landing) (int, error) {
	return s.core.DB.Carts.Count(ctx, here.Member.CompanyID, here.Member.ID)
}

// ChangeCart changes the account's cart. It refuses and writes nothing, each under QuantityField of the product:
// QuantityRequired for a number that is not from 0 to MaxQuantity, StockShort, ProductGone, and CartFull. A malformed
// note is refused under "note", and under "cart" with CartChanged the form of a cart that was ordered meanwhile.
func (s *Shop) ChangeCart(ctx context.Context, here access.Landing, in CartInput) error {
	m := here.Member
	if err := requireCustomer(m); err != nil {
		return err
	}
	fields := access.Fields{}
	wanted := typedQuantities(in.Typed, fields)
	note := ""
	if in.Note != nil {
		var ok bool
		if note, ok = access.NormalLines(*in.Note, MaxNote); !ok {
			fields["note"] = access.TextMalformed
		}
	}
	if err := access.Invalid(fields); err != nil {
		return err
	}
	return s.core.DB.Tx(ctx, func(tx *store.DB) error {
		now := store.At(s.core.Now())
		cart := store.Cart{AccountID: m.ID, CompanyID: m.CompanyID, Form: NewForm()}
		if err := tx.Carts.Make(ctx, cart, now); err != nil {
			return err
		}
		cart, err := tx.Carts.Of(ctx, m.CompanyID, m.ID)
		if err != nil {
			return err
		}
		if in.Form != "" && in.Form != cart.Form {
			return access.Invalid(access.Fields{"cart": CartChanged})
		}
		lines, err := tx.Carts.Lines(ctx, m.CompanyID, m.ID)
		if err != nil {
			return err
		}
		present := map[int64]int64{}
		for _, l := range lines {
			present[l.ID] = l.Quantity
		}
		if err := s.putAll(ctx, tx, m, in.quantities(wanted, present), present, now); err != nil || in.Note == nil {
			return err
		}
		cart.Note = note
		return tx.Carts.Set(ctx, cart, now)
	})
}

// typedQuantities reads typed quantities, and adds the problems to fields.
func typedQuantities(typed map[int64]string, fields access.Fields) map[int64]int64 {
	wanted := map[int64]int64{}
	for id, text := range typed {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 0 || n > MaxQuantity {
			fields[QuantityField(id)] = access.QuantityRequired
			continue
		}
		wanted[id] = n
	}
	return wanted
}

// quantities returns the quantities that a change asks for, by products. present are those in the cart.
func (in CartInput) quantities(wanted, present map[int64]int64) map[int64]int64 {
	step := func(id, by int64) {
		if id == 0 {
			return
		}
		n, isTyped := wanted[id]
		if !isTyped {
			n = present[id]
		}
		wanted[id] = min(max(n+by, 0), MaxQuantity)
	}
	step(in.More, 1)
	step(in.Less, -1)
	if in.Remove != 0 {
		wanted[in.Remove] = 0
	}
	return wanted
}

// putAll writes the quantities that differ from those in the cart.
func (s *Shop) putAll(
	ctx context.Context, tx *store.DB, m store.Member, wanted, present map[int64]int64, now store.Instant,
) error {
	fields, count := access.Fields{}, len(present)
	cart := store.Cart{CompanyID: m.CompanyID, AccountID: m.ID}
	ids := make([]int64, 0, len(wanted))
	for id := range wanted {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		quantity, was := wanted[id], present[id]
		switch {
		case quantity == was:
			continue
		case quantity == 0:
			count--
			if err := tx.Carts.Remove(ctx, m.CompanyID, m.ID, id); err != nil {
				return err
			}
			continue
		}
		product, err := tx.Products.ByID(ctx, m.CompanyID, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		problem := access.Problem("")
		switch {
		case err != nil || product.State != "on":
			problem = access.ProductGone
		case quantity > product.Stock:
			problem = access.StockShort
		case was == 0 && count >= MaxCartLines:
			problem = CartFull
		}
		if problem != "" {
			fields[QuantityField(id)] = problem
			continue
		}
		if was == 0 {
			count++
		}
		err = tx.Carts.Put(ctx, cart, id, quantity, productSeen(product), now)
		if err != nil {
			return err
		}
	}
	return access.Invalid(fields)
}

// CartOrderInput orders the account's cart. Form is Cart.Form, Typed the quantities as the page has them, and Seen the
// CartLine.Seen of each product that it showed.
type CartOrderInput struct {
	Form, Note string
	Typed      map[int64]string
	Seen       map[int64]string
}

// OrderCart orders everything in the account's cart, in one order, and takes it out of the cart and out of stock. The
// same form sent again returns the order that it placed. It refuses and writes nothing: a malformed note under "note";
// under "cart" CartEmpty, and CartChanged when the cart has other products than the page showed; and under
// QuantityField of each product QuantityRequired, StockShort, ProductGone, and PriceChanged or ProductChanged when the
// product differs from what the page showed. The page then shows the product as it is, and sending that confirms it.
func (s *Shop) OrderCart(ctx context.Context, here access.Landing, in CartOrderInput) (store.Order, error) {
	m := here.Member
	if err := requireCustomer(m); err != nil {
		return store.Order{}, err
	}
	fields := access.Fields{}
	wanted := typedQuantities(in.Typed, fields)
	note, ok := access.NormalLines(in.Note, MaxNote)
	if !ok {
		fields["note"] = access.TextMalformed
	}
	form := s.core.Sealing.Tag("cart", access.Decimal(m.ID)+"\x00"+access.Truncated(in.Form, access.MaxTyped))
	return s.place(ctx, m, form, func(tx *store.DB, order *store.Order) ([]store.OrderLine, error) {
		if err := access.Invalid(fields); err != nil {
			return nil, err
		}
		cart, err := tx.Carts.Of(ctx, m.CompanyID, m.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		lines, err := tx.Carts.Lines(ctx, m.CompanyID, m.ID)
		if err != nil {
			return nil, err
		}
		ordered, err := checkCart(cart, lines, in, wanted)
		if err != nil {
			return nil, err
		}
		order.Note = note
		now := store.At(s.core.Now())
		if err := tx.Carts.Empty(ctx, m.CompanyID, m.ID); err != nil {
			return nil, err
		}
		cart.Form, cart.Note = NewForm(), ""
		return ordered, tx.Carts.Set(ctx, cart, now)
	})
}

// checkCart returns the lines of the order that a cart becomes, or refuses.
func checkCart(
	cart store.Cart, lines []store.CartLine, in CartOrderInput, wanted map[int64]int64,
) (ordered []store.OrderLine, _ error) {
	fields, missing := access.Fields{}, len(in.Seen)
	isOther := in.Form != cart.Form
	for _, l := range lines {
		seen, isShown := in.Seen[l.ID]
		if !isShown {
			isOther = true
			continue
		}
		missing--
		quantity, isTyped := wanted[l.ID]
		if !isTyped {
			quantity = l.Quantity
		}
		if quantity == 0 {
			continue // typed to take it out
		}
		var problem access.Problem
		switch {
		case l.State != "on":
			problem = access.ProductGone
		case l.Stock < quantity:
			problem = access.StockShort
		default:
			problem = changedSince(productSeen(l.Product), cmp.Or(seen, "unknown"))
		}
		if problem != "" {
			fields[QuantityField(l.ID)] = problem
			continue
		}
		ordered = append(ordered, store.OrderLine{
			Line: len(ordered) + 1, ProductID: l.ID, Quantity: quantity, Price: l.Price,
		})
	}
	switch {
	case len(lines) == 0:
		fields["cart"] = CartEmpty
	case isOther || missing > 0:
		fields["cart"] = CartChanged
	case len(ordered) == 0 && len(fields) == 0:
		fields["cart"] = CartEmpty
	}
	return ordered, access.Invalid(fields)
}

// Repeat puts the products of an order of the account's customer into the account's cart, as many as were ordered, or
// more if the cart has more. What is not in the shop or sold out, and what does not fit into the cart, is left out: see
// NotRepeated. It refuses with NotFound any other order.
func (s *Shop) Repeat(ctx context.Context, here access.Landing, id int64) error {
	m := here.Member
	if err := requireCustomer(m); err != nil {
		return err
	}
	detail, err := s.OwnOrder(ctx, here, id, "")
	if err != nil {
		return err
	}
	return s.core.DB.Tx(ctx, func(tx *store.DB) error {
		now := store.At(s.core.Now())
		cart := store.Cart{AccountID: m.ID, CompanyID: m.CompanyID, Form: NewForm()}
		if err := tx.Carts.Make(ctx, cart, now); err != nil {
			return err
		}
		lines, err := tx.Carts.Lines(ctx, m.CompanyID, m.ID)
		if err != nil {
			return err
		}
		present := map[int64]int64{}
		for _, l := range lines {
			present[l.ID] = l.Quantity
		}
		for _, l := range detail.Lines {
			product, err := tx.Products.ByID(ctx, m.CompanyID, l.ProductID)
			if err != nil {
				return err
			}
			was, isIn := present[l.ProductID]
			if product.State != "on" || product.Stock == 0 || !isIn && len(present) >= MaxCartLines {
				continue
			}
			present[l.ProductID] = min(max(was, l.Quantity), MaxQuantity)
			err = tx.Carts.Put(ctx, cart, l.ProductID, present[l.ProductID], productSeen(product), now)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// NotRepeated reads the names of the products of an order that are not in a cart. It refuses as Repeat does.
func (s *Shop) NotRepeated(
	ctx context.Context, here access.Landing, id int64, cart Cart, lang string,
) (names []string, err error) {
	detail, err := s.OwnOrder(ctx, here, id, lang)
	for _, l := range detail.Lines {
		if !slices.ContainsFunc(cart.Lines, func(in CartLine) bool { return in.ID == l.ProductID }) {
			names = append(names, l.Name)
		}
	}
	return names, err
}
