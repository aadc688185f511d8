package shop

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/shop"
)

// catalogueView is the first page of the shop: the products that can be ordered.
type catalogueView struct {
	Hello      site.HelloView
	Company    string
	Path       string // of the first page
	Token      string
	Search     string
	Pictures   []site.ProductDrawing
	Categories []categoryLink
	Groups     []categoryView
	Narrowed   bool // the person searches, or has chosen a category
	First      string
	Next       string
	Where      []hiddenField // say which part of the catalogue this is
	Account    site.AccountView
	Mistakes   []components.Mistake
	Bar        cartBar
}

// hiddenField is a field of a form that the person does not see.
type hiddenField struct{ Name, Value string }

// categoryLink leads to the products of a category.
type categoryLink struct {
	Label, Href, Picture string
	Current              bool
}

type categoryView struct {
	ID     int64
	Name   string
	Offers []offer
}

// offer is a product with the form that puts it into the cart. Quantity is how many are in the cart.
type offer struct {
	ID               int64
	Name, Spec, Unit string
	Price, Stock     int64
	Picture          string // name of the drawing, "" for none
	Photo            string // path of the picture, "" for none
	Quantity         string
	Message          string
	Order            *orderForm // nil, except for an order of this product alone that was refused
}

// orderForm orders one product without the cart. Pages of former versions have such a form for each product.
type orderForm struct {
	Form  string // the form's id: sent twice, it orders once
	Seen  string // tag of the product and its price as they are shown
	Again bool   // the page says that the same order was placed just now
}

// refusedAt says what was typed for products, and what was refused.
type refusedAt struct {
	order    shop.OrderInput
	typed    map[int64]string // quantities in the cart
	problems access.Fields    // of those quantities
	refused  *access.Refused
}

// ShowCatalogue answers GET /shop or /home: the goods of the company, each with a form that puts it into the cart.
func (l *Pages) ShowCatalogue(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	return l.renderCatalogue(w, r, here, r.URL.Query(), refusedAt{})
}

// ViewCatalogue shows the catalogue with the quantities that were typed.
func (l *Pages) ViewCatalogue(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	var in shop.OrderInput
	web.Decode(r, &in)
	return l.renderCatalogue(w, r, here, r.PostForm, refusedAt{order: in, typed: cartInput(r).Typed})
}

// SubmitProduct answers POST /products in the shop: it changes the quantity of a product in the cart. A script gets
// JSON.
func (l *Pages) SubmitProduct(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	in := cartInput(r)
	err := l.portal.Shop.ChangeCart(r.Context(), here, in)
	if wantsJSON(r) {
		return l.answerCart(w, r, here, err)
	}
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return l.renderCatalogue(w, r, here, r.PostForm, refusedAt{
			typed: in.Typed, problems: refused.Fields, refused: refused,
		})
	}
	if err != nil {
		return err
	}
	to := shopAddress(l.path, r.PostForm)
	for id := range in.Typed {
		to += "#product-" + web.Decimal(id)
		break // a form of the catalogue has one product
	}
	return web.SeeOther(w, to)
}

// SubmitOrder answers POST /orders in the shop: it places an order of one product, without the cart.
func (l *Pages) SubmitOrder(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	var in shop.OrderInput
	web.Decode(r, &in)
	order, err := l.portal.Shop.PlaceOrder(r.Context(), here, in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return l.renderCatalogue(w, r, here, r.PostForm, refusedAt{order: in, refused: refused})
	}
	if err != nil {
		return err
	}
	l.web.SetFlash(w, "ordered", order.Number)
	return web.SeeOther(w, l.path+"/orders")
}

// shopParameters are the parameters that say which part of the catalogue a page shows.
var shopParameters = []string{"q", "category", "next"}

// shopAddress returns the address of a part of the catalogue.
func shopAddress(path string, from url.Values) string {
	query := url.Values{}
	for _, name := range shopParameters {
		if value := from.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// renderCatalogue writes a part of the catalogue: as it is, or with what was typed and refused.
func (l *Pages) renderCatalogue(
	w http.ResponseWriter, r *http.Request, here access.Landing, where url.Values, at refusedAt,
) error {
	ctx, lang := r.Context(), string(locale.Of(r.Context()))
	page, err := l.portal.Shop.Catalogue(ctx, here, shop.CatalogueInput{
		Search: where.Get("q"), Category: where.Get("category"), After: where.Get("next"),
	}, lang)
	if err != nil {
		return err
	}
	cart, err := l.cartOf(ctx, here)
	if err != nil {
		return err
	}
	about, err := l.site.AccountWithOffers(r, here, locale.T(ctx, "land.account"))
	if err != nil {
		return err
	}
	view := catalogueView{
		Hello: l.site.Hello(r, here), Company: here.Member.Company.Name, Path: l.path, Token: l.web.FormToken(r),
		Search: page.Search, Narrowed: page.Search != "" || page.Category != 0,
		Account: about, Bar: l.cartBar(r, cart),
	}
	view.find(l, r, page)
	var drawn []string
	for _, c := range page.Categories {
		drawn = append(drawn, c.Picture)
	}
	inCart := map[int64]int64{}
	for _, line := range cart.Lines {
		inCart[line.ID] = line.Quantity
	}
	for _, group := range page.Groups {
		shown := categoryView{ID: group.ID, Name: group.Name}
		for _, p := range group.Products {
			o := offer{
				ID: p.ID, Name: p.Name, Spec: p.Spec, Unit: p.Unit, Price: p.Price, Stock: p.Stock,
				Picture: p.Drawing, Photo: access.ProductPicture(p.Picture),
				Quantity: web.Decimal(inCart[p.ID]),
			}
			o.restore(at, p.Seen)
			drawn = append(drawn, p.Drawing)
			shown.Offers = append(shown.Offers, o)
		}
		view.Groups = append(view.Groups, shown)
	}
	view.Pictures = site.ProductDrawings(drawn)
	view.refuse(l, r, at)
	shell := l.site.Frame(r, here, l.path)
	if shell.Mirror, err = l.site.MirrorFirst(r, here); err != nil {
		return err
	}
	shell.Path = l.path
	_, query, _ := strings.Cut(shopAddress("", where), "?")
	shell.Query = query
	return l.web.Render(w, r, web.RefusedStatus(w, at.refused), shell, cataloguePage(view))
}

// find sets the links to other parts of the catalogue.
func (v *catalogueView) find(l *Pages, r *http.Request, page shop.CataloguePage) {
	narrowed := url.Values{"q": {page.Search}}
	if page.Category != 0 {
		narrowed.Set("category", web.Decimal(page.Category))
	}
	if !page.IsFirst {
		v.First = shopAddress(l.path, narrowed)
	}
	if page.Next != "" {
		next := url.Values{"next": {page.Next}, "q": narrowed["q"], "category": narrowed["category"]}
		v.Next = shopAddress(l.path, next)
	}
	for _, name := range shopParameters {
		value := r.URL.Query().Get(name)
		if r.Method == http.MethodPost {
			value = r.PostForm.Get(name)
		}
		if value != "" {
			v.Where = append(v.Where, hiddenField{name, value})
		}
	}
	if len(page.Categories) < 2 {
		return
	}
	isWhole := page.IsFirst && page.Next == "" && !v.Narrowed
	if !isWhole {
		v.Categories = append(v.Categories, categoryLink{
			Label: locale.T(r.Context(), "lists.all"), Href: l.path, Current: page.Category == 0 && page.Search == "",
		})
	}
	for _, c := range page.Categories {
		link := categoryLink{
			Label: c.Name, Picture: c.Picture, Href: "#category-" + web.Decimal(c.ID),
			Current: c.ID == page.Category,
		}
		if !isWhole {
			link.Href = shopAddress(l.path, url.Values{"category": {web.Decimal(c.ID)}})
		}
		v.Categories = append(v.Categories, link)
	}
}

// restore puts a typed quantity back into its product's form. Of an order of the product alone it also restores the tag
// of the price that the person saw.
func (o *offer) restore(at refusedAt, seen string) {
	if typed, ok := at.typed[o.ID]; ok {
		o.Quantity = typed
	}
	if o.ID == at.order.ProductID && (at.order.Quantity != "" || at.refused != nil) {
		o.Quantity = at.order.Quantity
		o.Order = &orderForm{Form: shop.NewForm(), Seen: seen}
		if at.refused == nil {
			o.Order.Seen = cmp.Or(at.order.Seen, seen)
		}
	}
}

// refuse puts what was refused into the product's form, with the reason.
func (v *catalogueView) refuse(p *Pages, r *http.Request, at refusedAt) {
	if at.refused == nil {
		return
	}
	mistake := components.Mistake{Message: web.RefusalText(r, at.refused)}
	if at.refused.Refusal == access.ValidationFailed { // the default, unless the page has the product
		mistake.Message = p.forms.ProblemText(r, access.ProductGone)
	}
	for _, group := range v.Groups {
		for i := range group.Offers {
			o := &group.Offers[i]
			_, isTyped := at.typed[o.ID]
			switch problem := at.problems[shop.QuantityField(o.ID)]; {
			case problem != "":
				o.Message = p.forms.ProblemText(r, problem)
			case o.ID == at.order.ProductID:
				o.refuse(p, r, at.order, at.refused)
			case isTyped:
				o.Message = web.RefusalText(r, at.refused)
			default:
				continue
			}
			mistake.Field = o.field()
			mistake.Message = locale.T(r.Context(), "shop.mistake", "name", o.Name, "problem", o.Message)
		}
	}
	v.Mistakes = []components.Mistake{mistake}
}

// refuse puts the refusal of an order of the product alone into its form. The form keeps the quantity. If the refusal
// is a question, sending the form again confirms it.
func (o *offer) refuse(p *Pages, r *http.Request, typed shop.OrderInput, refused *access.Refused) {
	var said []string
	if refused.Fields["seen"] != "" {
		said = o.changes(p, r, typed.Seen, refused.Fields["seen"])
	}
	if problem := refused.Fields["quantity"]; problem != "" {
		said = append(said, p.forms.ProblemText(r, problem))
	}
	if len(said) == 0 {
		said = []string{web.RefusalText(r, refused)}
	}
	o.Message = strings.Join(said, " ")
	o.Order.Again = refused.Fields["quantity"] == access.OrderedJustNow || typed.Again && refused.Fields["seen"] != ""
}

// changes says how the offer differs from the one that the page showed, in the reader's language.
func (o *offer) changes(p *Pages, r *http.Request, seen string, problem access.Problem) (said []string) {
	ctx := r.Context()
	was, known := shop.PriceSeen(seen)
	otherPrice := known && was != o.Price
	if problem == access.ProductChanged || !otherPrice {
		said = append(said, p.forms.ProblemText(r, access.ProductChanged))
	}
	if otherPrice {
		said = append(said, locale.T(ctx, "problem.price_changed", "was", components.Money(was), "now",
			components.Money(o.Price)))
	}
	return said
}

// quantityProps returns the properties of the island islands/page/digits.ts for a quantity.
var quantityProps = fmt.Sprintf(`{"group":0,"max":%d}`, len(web.Decimal(shop.MaxQuantity)))

// field returns the id of the field for an offer's quantity.
func (o offer) field() string { return "quantity-" + web.Decimal(o.ID) }
