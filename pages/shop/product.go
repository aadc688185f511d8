package shop

import (
	"cmp"
	"net/http"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/shop"
)

// productView is the form of a product: a new one, or one that is edited.
type productView struct {
	forms.SettingForm
	Back, Heading string
	State         *web.Chip // nil for a new one
	Sample        bool
	Form          string // the id of the form of a new one
	Again         bool   // a product has this name; sending the form again adds another one
	Seen, Stock   string // what the page shows of a stored one
	Name, Number, Category, Spec, Unit,
	Price, Amount, Picture components.Field
	Shown  string // path of the stored picture, "" for none
	Remove bool   // the box that removes it is ticked
	Switch switchView
}

// switchView is the button that puts a product into the shop or takes it out. Action is "" for a new product.
type switchView struct{ Action, Label, Means string }

// NewForm mounts the page that adds a product.
func (l *Pages) NewForm(r chi.Router, path string) {
	l.uploads.FilePage(r, path, l.uploads.AdmitSignedIn, l.site.FilePage(site.FilePage{
		Show: l.showNew, View: l.viewNew, Submit: l.submitNew,
	}))
}

// EditForm mounts the page of a product.
func (l *Pages) EditForm(r chi.Router, path string) {
	l.uploads.FilePage(r, path, l.uploads.AdmitSignedIn, l.site.FilePage(site.FilePage{
		Show: l.showProduct, View: l.viewProduct, Submit: l.submitProduct,
	}))
}

func (l *Pages) showNew(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	return l.renderNew(w, r, here, shop.ProductInput{}, nil)
}

// viewNew shows the form of a new product with what was typed.
func (l *Pages) viewNew(w http.ResponseWriter, r *http.Request, here access.Landing, _ *uploads.FormFile) error {
	var in shop.ProductInput
	web.Decode(r, &in)
	return l.renderNew(w, r, here, in, nil)
}

// submitNew adds a product.
func (l *Pages) submitNew(w http.ResponseWriter, r *http.Request, here access.Landing, f *uploads.FormFile) error {
	var in shop.ProductInput
	web.Decode(r, &in)
	in.Picture = f.Content()
	p, err := l.portal.Shop.Add(r.Context(), here, in)
	refused, err := forms.RefusedOf(err)
	if err != nil {
		return err
	}
	if refused != nil {
		return l.renderNew(w, r, here, in, refused)
	}
	return web.SeeOther(w, l.productPath(p.ID)+"?done=added")
}

// renderNew writes the form of a new product with what was typed.
func (l *Pages) renderNew(
	w http.ResponseWriter, r *http.Request, here access.Landing, in shop.ProductInput, refused *access.Refused,
) error {
	v, err := l.view(r, here, in, refused)
	if err != nil {
		return err
	}
	v.Heading = locale.T(r.Context(), "product.add")
	v.Form = cmp.Or(in.Form, shop.NewForm())
	v.Again = refused != nil && refused.Fields["name"] == shop.AddedJustNow
	shell := l.site.Frame(r, here, l.path+"/products")
	shell.Form = "product"
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, productPage(v))
}

func (l *Pages) showProduct(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	p, err := l.product(r, here)
	if err != nil {
		return err
	}
	return l.renderProduct(w, r, here, p, p.In, nil)
}

// product reads the product of the address.
func (l *Pages) product(r *http.Request, here access.Landing) (shop.ProductDetail, error) {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return shop.ProductDetail{}, access.NotFound
	}
	return l.portal.Shop.Product(r.Context(), here, id)
}

// switchesProduct reports whether a button puts a product into the shop or takes it out. Its form has no other fields.
func switchesProduct(action string) bool { return action == "on" || action == "off" }

// viewProduct shows the product with what was typed.
func (l *Pages) viewProduct(w http.ResponseWriter, r *http.Request, here access.Landing, _ *uploads.FormFile) error {
	p, err := l.product(r, here)
	if err != nil {
		return err
	}
	in := p.In
	if !switchesProduct(r.PostForm.Get("action")) {
		in = shop.ProductInput{}
		web.Decode(r, &in)
	}
	return l.renderProduct(w, r, here, p, in, nil)
}

// submitProduct saves an edited product, or puts it into the shop or takes it out.
func (l *Pages) submitProduct(w http.ResponseWriter, r *http.Request, here access.Landing, f *uploads.FormFile) error {
	ctx := r.Context()
	p, err := l.product(r, here)
	if err != nil {
		return err
	}
	action := r.PostForm.Get("action")
	switch {
	case switchesProduct(action):
		if err := l.portal.Shop.Switch(ctx, here, p.ID, action == "on"); err != nil {
			return err
		}
		return web.SeeOther(w, l.productPath(p.ID)+"?done="+action)
	case action != "" && action != "save":
		return access.BadRequest
	}
	in := shop.ProductInput{Picture: f.Content()}
	web.Decode(r, &in)
	refused, err := forms.RefusedOf(l.portal.Shop.Edit(ctx, here, p.ID, in))
	if err != nil {
		return err
	}
	if refused != nil {
		return l.renderProduct(w, r, here, p, in, refused)
	}
	return web.SeeOther(w, l.productPath(p.ID)+"?done=saved")
}

// doneTexts are the keys of the toasts after what was done with a product.
var doneTexts = map[string]string{
	"added": "product.added", "saved": "settings.saved", "on": "product.switched_on", "off": "product.switched_off",
}

// renderProduct writes the form of a stored product with the values of in.
func (l *Pages) renderProduct(
	w http.ResponseWriter, r *http.Request, here access.Landing, p shop.ProductDetail, in shop.ProductInput,
	refused *access.Refused,
) error {
	ctx := r.Context()
	v, err := l.view(r, here, in, refused)
	if err != nil {
		return err
	}
	v.Heading, v.Shown = p.Name, access.ProductPicture(p.Picture)
	state := site.ProductChip(r, p.Product)
	v.State, v.Sample = &state, p.Sample != ""
	v.Switch = switchView{"off", locale.T(ctx, "product.switch_off"), locale.T(ctx, "product.switch_off_means")}
	if p.State == "off" {
		v.Switch = switchView{"on", locale.T(ctx, "product.switch_on"), locale.T(ctx, "product.switch_on_means")}
	}
	v.Seen, v.Stock = cmp.Or(in.Seen, p.In.Seen), cmp.Or(in.SeenStock, p.In.SeenStock)
	if refused != nil && refused.Fields["seen"] != "" {
		v.Seen, v.Stock = p.In.Seen, p.In.SeenStock // the page shows the stored values now: saving again replaces them
		v.ChangedMeanwhile(l.forms, r, refused.Fields["seen"], []forms.Difference{
			{Name: v.Name.Label, Typed: in.Name, Stored: p.In.Name},
			{Name: v.Category.Label, Typed: in.Category, Stored: p.In.Category},
			{Name: v.Spec.Label, Typed: in.Spec, Stored: p.In.Spec},
			{Name: v.Unit.Label, Typed: in.Unit, Stored: p.In.Unit},
			{Name: v.Price.Label, Typed: in.Price, Stored: p.In.Price},
			{Name: v.Amount.Label, Typed: in.Stock, Stored: p.In.Stock},
			{Name: v.Number.Label, Typed: in.Number, Stored: p.In.Number},
		})
	}
	shell := l.site.Frame(r, here, l.path+"/products")
	shell.Form = "product"
	if key := doneTexts[r.URL.Query().Get("done")]; key != "" && refused == nil && r.Method == http.MethodGet {
		shell.Toast = locale.T(ctx, key)
	}
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, productPage(v))
}

// view returns the fields of the form with what was typed.
func (l *Pages) view(
	r *http.Request, here access.Landing, in shop.ProductInput, refused *access.Refused,
) (productView, error) {
	ctx := r.Context()
	categories, err := l.portal.Shop.Categories(ctx, here)
	if err != nil {
		return productView{}, err
	}
	field := func(id, value string, most int) components.Field {
		return components.Field{
			ID: id, Label: locale.T(ctx, "product."+id), Value: value, Complete: "off", Max: most,
		}
	}
	v := productView{
		SettingForm: l.site.SettingForm(r), Back: l.path + "/products", Remove: in.RemovePicture,
		Name: field("name", in.Name, shop.MaxName), Number: field("number", in.Number, shop.MaxNumber),
		Category: field("category", in.Category, shop.MaxCategory), Spec: field("spec", in.Spec, shop.MaxSpec),
		Unit: field("unit", in.Unit, shop.MaxUnit), Price: field("price", in.Price, shop.MaxPriced),
		Amount: field("stock", in.Stock, shop.MaxStocked),
		Picture: components.Field{
			ID: "icon", Label: locale.T(ctx, "product.picture"), Hint: locale.T(ctx, "product.picture_means"),
			Optional: true,
		},
	}
	v.Number.Optional = true
	v.Spec.Optional = true
	v.Number.Last = true
	v.Spec.Hint, v.Unit.Hint = locale.T(ctx, "product.spec_means"), locale.T(ctx, "product.unit_means")
	v.Category.Hint, v.Number.Hint = locale.T(ctx, "product.category_means"), locale.T(ctx, "product.number_means")
	v.Price.Decimal, v.Amount.Numeric = true, true
	for _, c := range categories {
		v.Category.Options = append(v.Category.Options, c.Name)
	}
	v.AddRefusal(l.forms, r, refused, &v.Picture, &v.Name, &v.Category, &v.Spec, &v.Unit, &v.Price, &v.Amount,
		&v.Number)
	if refused != nil && uploads.FileCame(r) && v.Picture.Message == "" {
		v.Picture.Message = locale.T(ctx, "profile.portrait_again")
	}
	return v, nil
}

// productPath returns the path of a product's page.
func (l *Pages) productPath(id int64) string { return l.path + "/products/" + web.Decimal(id) }
