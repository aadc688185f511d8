package shop

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/shop"
	"portico/store"
)

// cartBar says what is in the cart, and leads to it.
type cartBar struct {
	Href, Goods, Total string
	Empty              bool
}

// cartView is the page of a cart.
type cartView struct {
	Path, Token, Form string
	Home              string
	Pictures          []site.ProductDrawing
	Lines             []cartLine
	Note              components.Field
	Total             string
	Mistakes          []components.Mistake
	Missing           string // names what a repeated order had that is not in the cart, "" for nothing
	Bar               cartBar
}

// cartLine is a product in a cart.
type cartLine struct {
	ID               int64
	Name, Spec, Unit string
	Price            int64
	Picture, Photo   string
	Quantity         string
	Total            string // "" for a product that is not in the shop
	Seen             string
	Message          string
	Wrong            bool // the message is about something that keeps the cart from being ordered
}

// field returns the id of the field for a line's quantity.
func (l cartLine) field() string { return "quantity-" + web.Decimal(l.ID) }

// cartInput reads what a form says about the quantities in a cart.
func cartInput(r *http.Request) shop.CartInput {
	in := shop.CartInput{Form: r.PostForm.Get("form"), Typed: valuesByID(r, "quantity_")}
	in.More, _ = access.DecimalID(r.PostForm.Get("more"))
	in.Less, _ = access.DecimalID(r.PostForm.Get("less"))
	in.Remove, _ = access.DecimalID(r.PostForm.Get("remove"))
	if notes, ok := r.PostForm["note"]; ok {
		in.Note = &notes[0]
	}
	return in
}

// valuesByID reads the fields of a form whose names are a prefix and the id of a product. A form has at most
// shop.MaxCartLines of them.
func valuesByID(r *http.Request, prefix string) map[int64]string {
	typed := map[int64]string{}
	for name, values := range r.PostForm {
		digits, ok := strings.CutPrefix(name, prefix)
		if id, isID := access.DecimalID(digits); ok && isID && len(typed) < shop.MaxCartLines {
			typed[id] = values[0]
		}
	}
	return typed
}

// wantsJSON reports whether a script sent the form.
func wantsJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

// cartAnswer is the JSON that islands/ordering/cart.ts reads. Counted is what screen readers say about Count in the
// menu. Lines has the quantity and the price of each product in the cart by its id. Message says why nothing was
// changed.
type cartAnswer struct {
	Count   int                 `json:"count"`
	Counted string              `json:"counted"`
	Goods   string              `json:"goods"`
	Total   string              `json:"total"`
	Lines   map[string]lineJSON `json:"lines"`
	Message string              `json:"message,omitempty"`
}

type lineJSON struct {
	Quantity int64  `json:"quantity"`
	Total    string `json:"total"`
}

// answerCart answers a script with the cart, and with the refusal of its change.
func (l *Pages) answerCart(w http.ResponseWriter, r *http.Request, here access.Landing, changed error) error {
	refused := new(access.Refused)
	if changed != nil && (!errors.As(changed, &refused) || refused.Company != nil) {
		return changed
	}
	cart, err := l.cartOf(r.Context(), here)
	if err != nil {
		return err
	}
	bar := l.cartBar(r, cart)
	answer := cartAnswer{
		Count: len(cart.Lines), Counted: locale.T(r.Context(), "cart.count", "num", len(cart.Lines)),
		Goods: bar.Goods, Total: bar.Total, Lines: map[string]lineJSON{},
	}
	for _, line := range cart.Lines {
		answer.Lines[web.Decimal(line.ID)] = lineJSON{line.Quantity, components.Money(line.Total())}
	}
	if changed == nil {
		return web.WriteJSON(w, http.StatusOK, answer)
	}
	answer.Message = web.RefusalText(r, refused)
	for _, problem := range refused.Fields {
		answer.Message = l.forms.ProblemText(r, problem)
	}
	return web.WriteJSON(w, web.RefusedStatus(w, refused), answer)
}

// cartOf reads the cart of an account; accounts without a customer have none.
func (l *Pages) cartOf(ctx context.Context, here access.Landing) (shop.Cart, error) {
	cart, err := l.portal.Shop.Cart(ctx, here, string(locale.Of(ctx)))
	if web.IsRefusal(err, access.DataAbnormal) {
		return shop.Cart{}, nil
	}
	return cart, err
}

func (l *Pages) cartBar(r *http.Request, cart shop.Cart) cartBar {
	return cartBar{
		Href: l.path + "/cart", Goods: locale.T(r.Context(), "shop.items", "num", len(cart.Lines)),
		Total: components.Money(cart.Total()), Empty: len(cart.Lines) == 0,
	}
}

// CartForm is the page of the cart.
func (l *Pages) CartForm() site.FormPage {
	return site.FormPage{Show: l.showCart, View: l.viewCart, Submit: l.submitCart}
}

// showCart answers GET /cart: what is in the account's cart, with the form that orders it.
func (l *Pages) showCart(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	return l.renderCart(w, r, here, shop.CartInput{}, nil)
}

// viewCart shows the cart with what was typed.
func (l *Pages) viewCart(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	return l.renderCart(w, r, here, cartInput(r), nil)
}

// submitCart answers POST /cart: it changes the cart, or orders it.
func (l *Pages) submitCart(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx, in := r.Context(), cartInput(r)
	var err error
	isOrder := r.PostForm.Get("action") == "order"
	var order store.Order
	if isOrder {
		order, err = l.portal.Shop.OrderCart(ctx, here, shop.CartOrderInput{
			Form: r.PostForm.Get("form"), Note: r.PostForm.Get("note"), Typed: in.Typed, Seen: valuesByID(r, "seen_"),
		})
	} else {
		err = l.portal.Shop.ChangeCart(ctx, here, in)
	}
	if !isOrder && wantsJSON(r) {
		return l.answerCart(w, r, here, err)
	}
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return l.renderCart(w, r, here, in, refused)
	}
	if err != nil {
		return err
	}
	if isOrder {
		l.web.SetFlash(w, "ordered", order.Number)
		return web.SeeOther(w, l.path+"/orders")
	}
	return web.SeeOther(w, l.path+"/cart")
}

// renderCart writes the cart with what was typed, and with what was refused.
func (l *Pages) renderCart(
	w http.ResponseWriter, r *http.Request, here access.Landing, typed shop.CartInput, refused *access.Refused,
) error {
	ctx := r.Context()
	cart, err := l.cartOf(ctx, here)
	if err != nil {
		return err
	}
	v := cartView{
		Path: l.path + "/cart", Token: l.web.FormToken(r), Form: cart.Form, Home: l.path,
		Total: components.Money(cart.Total()), Bar: l.cartBar(r, cart),
		Note: components.Field{
			Kind: components.KindLines, ID: "note", Label: locale.T(ctx, "cart.note"), Value: cart.Note,
			Hint: locale.T(ctx, "cart.note_means"), Max: shop.MaxNote, Optional: true, Complete: "off",
		},
	}
	if typed.Note != nil {
		v.Note.Value = *typed.Note
	}
	if id, ok := access.DecimalID(r.URL.Query().Get("repeated")); ok {
		names, err := l.portal.Shop.NotRepeated(ctx, here, id, cart, string(locale.Of(ctx)))
		if err != nil && !web.IsRefusal(err, access.NotFound) {
			return err
		}
		v.Missing = strings.Join(names, locale.T(ctx, "settings.comma"))
	}
	var drawn []string
	for _, line := range cart.Lines {
		drawn = append(drawn, line.Drawing)
		v.Lines = append(v.Lines, l.cartLine(r, line, typed, refused))
	}
	v.Pictures = site.ProductDrawings(drawn)
	v.refuse(l, r, refused)
	shell := l.site.Frame(r, here, l.path+"/cart")
	shell.Form = "cart"
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, cartPage(v))
}

// cartLine returns a line of the cart with the quantity that was typed, and what is wrong with it.
func (l *Pages) cartLine(
	r *http.Request, line shop.CartLine, typed shop.CartInput, refused *access.Refused,
) cartLine {
	shown := cartLine{
		ID: line.ID, Name: line.Name, Spec: line.Spec, Unit: line.Unit, Price: line.Price, Picture: line.Drawing,
		Photo: access.ProductPicture(line.Picture), Quantity: web.Decimal(line.Quantity),
		Total: components.Money(line.Total()), Seen: line.Seen,
	}
	if quantity, ok := typed.Typed[line.ID]; ok {
		shown.Quantity = quantity
		if n, err := strconv.ParseInt(quantity, 10, 32); err == nil && n >= 0 && n <= shop.MaxQuantity {
			line.Quantity = n
			shown.Total = components.Money(line.Total())
		}
	}
	problem := line.Problem()
	if refused != nil && refused.Fields[shop.QuantityField(line.ID)] != "" {
		problem = refused.Fields[shop.QuantityField(line.ID)]
	}
	if line.State != "on" {
		shown.Total = ""
	}
	shown.Message, shown.Wrong = l.lineText(r, line, problem)
	return shown
}

// lineText says what is wrong with a line, or how its product has changed since it was put into the cart.
func (l *Pages) lineText(r *http.Request, line shop.CartLine, problem access.Problem) (text string, wrong bool) {
	ctx := r.Context()
	switch problem {
	case "":
		return "", false
	case access.ProductGone:
		return locale.T(ctx, "cart.gone"), true
	case access.StockShort:
		if line.Stock == 0 {
			return locale.T(ctx, "cart.sold_out"), true
		}
		return locale.T(ctx, "cart.short", "num", components.Count(line.Stock), "unit", line.Unit), true
	case access.PriceChanged, access.ProductChanged:
		was, known := shop.PriceSeen(line.Was)
		if !known || was == line.Price {
			return locale.T(ctx, "cart.product_changed"), false
		}
		return locale.T(ctx, "cart.price_changed",
			"was", components.Money(was), "now", components.Money(line.Price)), false
	}
	return l.forms.ProblemText(r, problem), true
}

// refuse adds what was refused to the summary, with a link to each field.
func (v *cartView) refuse(p *Pages, r *http.Request, refused *access.Refused) {
	if refused == nil {
		return
	}
	if refused.Refusal != access.ValidationFailed {
		v.Mistakes = []components.Mistake{{Message: web.RefusalText(r, refused)}}
		return
	}
	if problem := refused.Fields["cart"]; problem != "" {
		v.Mistakes = append(v.Mistakes, components.Mistake{Message: p.forms.ProblemText(r, problem)})
	}
	for _, line := range v.Lines {
		if refused.Fields[shop.QuantityField(line.ID)] != "" {
			v.Mistakes = append(v.Mistakes, components.Mistake{
				Field:   line.field(),
				Message: locale.T(r.Context(), "shop.mistake", "name", line.Name, "problem", line.Message),
			})
		}
	}
	if problem := refused.Fields["note"]; problem != "" {
		v.Note.Message = p.forms.ProblemText(r, problem)
		v.Mistakes = append(v.Mistakes, components.Mistake{Field: "note", Message: v.Note.Message})
	}
	if len(v.Mistakes) == 0 { // about products that are not in the cart any more
		v.Mistakes = []components.Mistake{{Message: p.forms.ProblemText(r, access.ProductGone)}}
	}
}

// SubmitRepeat answers POST /orders/{id} in the shop: it puts the products of the order into the cart.
func (l *Pages) SubmitRepeat(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := l.orderID(r)
	if !ok {
		return access.NotFound
	}
	if r.PostForm.Get("action") != "repeat" {
		return access.BadRequest
	}
	if err := l.portal.Shop.Repeat(r.Context(), here, id); err != nil {
		return err
	}
	return web.SeeOther(w, l.path+"/cart?repeated="+web.Decimal(id))
}
