package settings

import (
	"net/http"

	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/onboarding"
)

// samplesView is the page that clears a company's sample data: what will be removed and what stays.
type samplesView struct {
	Back   string
	Path   string
	Token  string
	Clears []sampleCount // nil when there is nothing to clear
	Kept   []keptSamples
}

// sampleCount is the number of samples of one kind that will be removed.
type sampleCount struct {
	Kind  string
	Count int
}

// keptSamples names the samples of one kind that stay, because they are in use.
type keptSamples struct {
	Kind  string
	Names []string
}

// ShowSamples shows what clearing would remove.
func (l *Pages) ShowSamples(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	rows, err := l.portal.Onboarding.Samples(ctx, here, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	view := samplesView{Back: l.path + "/settings", Path: r.URL.Path, Token: l.web.FormToken(r), Kept: keptOf(r, rows)}
	if n := rows.Clears; !rows.Empty() {
		view.Clears = []sampleCount{
			{locale.T(ctx, "office.clear_categories"), n.Categories},
			{locale.T(ctx, "office.clear_products"), n.Products},
			{locale.T(ctx, "office.clear_clients"), n.Clients},
			{locale.T(ctx, "office.clear_orders"), n.Orders},
		}
	}
	shell := l.site.Frame(r, here, l.path+"/settings")
	if r.URL.Query().Get("done") == "cleared" {
		shell.Toast = locale.T(ctx, "office.cleared")
	}
	return l.web.Render(w, r, http.StatusOK, shell, samplesPage(view))
}

// SubmitSamples clears the sample data.
func (l *Pages) SubmitSamples(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	if r.PostForm.Get("action") != "clear_samples" {
		return access.BadRequest
	}
	if _, err := l.portal.Onboarding.ClearSamples(r.Context(), here); err != nil {
		return err
	}
	return web.SeeOther(w, r.URL.Path+"?done=cleared")
}

// keptOf lists by name the samples that stay, kind by kind.
func keptOf(r *http.Request, rows onboarding.SampleRows) []keptSamples {
	ctx := r.Context()
	categories := keptSamples{Kind: locale.T(ctx, "office.clear_categories")}
	for _, c := range rows.Categories {
		categories.Names = append(categories.Names, c.Name)
	}
	products := keptSamples{Kind: locale.T(ctx, "office.clear_products")}
	for _, p := range rows.Products {
		products.Names = append(products.Names, p.Name)
	}
	clients := keptSamples{Kind: locale.T(ctx, "office.clear_clients")}
	for _, c := range rows.Clients {
		clients.Names = append(clients.Names, c.Name)
	}
	var kept []keptSamples
	for _, k := range []keptSamples{categories, products, clients} {
		if len(k.Names) > 0 {
			kept = append(kept, k)
		}
	}
	return kept
}
