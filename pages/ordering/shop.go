package ordering

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/request"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/ordering"
	"portico/portal/samples"
)

// catalogueView is the first page of the shop: the products that can be ordered.
type catalogueView struct {
	Hello      site.HelloView
	Company    string
	OrdersPath string
	Token      string
	Pictures   []picture
	Categories []categoryView
	Account    site.AccountView
	Mistakes   []components.Mistake
}

// picture is a drawing that the categories and products of a page refer to.
type picture struct{ Name, Shapes string }

type categoryView struct {
	ID      int64
	Name    string
	Picture string // "" for none
	Offers  []offer
}

// offer is a product with the form that orders it.
type offer struct {
	ID               int64
	Name, Spec, Unit string
	Price, Stock     int64
	Picture          string
	Form             string // the form's id: sent twice, it orders once
	Seen             string // tag of the product and its price as they are shown
	Quantity         string
	Message          string
	Again            bool // the page says that the same order was placed just now
}

// ShowCatalogue answers GET /shop or /home: the goods of the company, each with a form to order it.
func (l *Pages) ShowCatalogue(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	return l.renderCatalogue(w, r, here, ordering.OrderInput{}, nil)
}

// CatalogueAgain shows the catalogue with the quantity that was typed before.
func (l *Pages) CatalogueAgain(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	var in ordering.OrderInput
	request.Decode(r, &in)
	return l.renderCatalogue(w, r, here, in, nil)
}

// SubmitOrder answers POST /orders in the shop: it places an order of one article.
func (l *Pages) SubmitOrder(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	var in ordering.OrderInput
	request.Decode(r, &in)
	order, err := l.portal.Ordering.PlaceOrder(r.Context(), here, in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return l.renderCatalogue(w, r, here, in, refused)
	}
	if err != nil {
		return err
	}
	l.request.SetFlash(w, "ordered", order.Number)
	return request.SeeOther(w, l.path+"/orders")
}

// renderCatalogue writes the catalogue: as it is, or with what was typed and refused.
func (l *Pages) renderCatalogue(
	w http.ResponseWriter, r *http.Request, here access.Landing, typed ordering.OrderInput, refused *access.Refused,
) error {
	ctx := r.Context()
	categories, err := l.portal.Ordering.Catalogue(ctx, here, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	about, err := l.site.AccountWithOffers(r, here, locale.T(ctx, "land.account"))
	if err != nil {
		return err
	}
	view := catalogueView{
		Hello: l.site.Hello(r, here), Company: here.Member.Company.Name, OrdersPath: l.path + "/orders",
		Token:    l.web.FormToken(r),
		Pictures: picturesOf(categories), Account: about,
	}
	for _, category := range categories {
		shown := categoryView{ID: category.ID, Name: category.Name, Picture: category.Picture}
		for _, p := range category.Products {
			shown.Offers = append(shown.Offers, offer{
				ID: p.ID, Name: p.Name, Spec: p.Spec, Unit: p.Unit, Price: p.Price, Stock: p.Stock,
				Picture: category.Picture,
				Form:    ordering.NewForm(), Seen: p.Seen, Quantity: "1",
			})
		}
		view.Categories = append(view.Categories, shown)
	}
	if refused != nil {
		view.refuse(l, r, typed, refused)
	} else {
		view.restore(typed)
	}
	shell := l.site.Frame(r, here, l.path)
	if shell.Mirror, err = l.site.MirrorFirst(r, here); err != nil {
		return err
	}
	shell.Path = l.path
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, cataloguePage(view))
}

// restore puts a typed quantity back into its product's form, with the tag of the price that the person saw.
func (v *catalogueView) restore(typed ordering.OrderInput) {
	for _, category := range v.Categories {
		for i := range category.Offers {
			if o := &category.Offers[i]; o.ID == typed.ProductID && typed.Quantity != "" {
				o.Quantity, o.Seen = typed.Quantity, cmp.Or(typed.Seen, o.Seen)
			}
		}
	}
}

// refuse puts a refused order back into its product's form, with the reason.
func (v *catalogueView) refuse(p *Pages, r *http.Request, typed ordering.OrderInput, refused *access.Refused) {
	mistake := components.Mistake{Message: web.RefusalText(r, refused)}
	if refused.Refusal == access.ValidationFailed { // the default, unless the catalogue has the product
		mistake.Message = p.forms.ProblemText(r, access.ProductGone)
	}
	for _, category := range v.Categories {
		for i := range category.Offers {
			if o := &category.Offers[i]; o.ID == typed.ProductID {
				o.refuse(p, r, typed, refused)
				mistake.Field = o.field()
				mistake.Message = locale.T(r.Context(), "shop.mistake", "name", o.Name, "problem", o.Message)
			}
		}
	}
	v.Mistakes = []components.Mistake{mistake}
}

// refuse puts a refusal into the product's form. The form keeps the quantity. If the refusal is a question, sending the
// form again confirms it.
func (o *offer) refuse(p *Pages, r *http.Request, typed ordering.OrderInput, refused *access.Refused) {
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
	o.Quantity, o.Message = typed.Quantity, strings.Join(said, " ")
	o.Again = refused.Fields["quantity"] == access.OrderedJustNow || typed.Again && refused.Fields["seen"] != ""
}

// changes says how the offer differs from the one that the page showed, in the reader's language.
func (o *offer) changes(p *Pages, r *http.Request, seen string, problem access.Problem) (said []string) {
	ctx := r.Context()
	was, known := ordering.PriceSeen(seen)
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
var quantityProps = fmt.Sprintf(`{"group":0,"max":%d}`, len(request.Decimal(ordering.MaxQuantity)))

// field returns the id of the field for an offer's quantity.
func (o offer) field() string { return "quantity-" + request.Decimal(o.ID) }

// picturesOf returns the drawings of the categories, each once.
func picturesOf(categories []ordering.CatalogueCategory) []picture {
	var all []picture
	seen := map[string]bool{"": true}
	for _, c := range categories {
		svg, ok := samples.SamplePicture(c.Picture)
		if !ok || seen[c.Picture] {
			continue
		}
		seen[c.Picture] = true
		_, shapes, _ := strings.Cut(string(svg), ">") // the content of the <svg> element
		all = append(all, picture{c.Picture, shapes[:strings.LastIndex(shapes, "</svg>")]})
	}
	return all
}
