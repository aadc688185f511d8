package branding

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/stylesheet"
	"portico/portal/verification"
	"portico/store"
)

// appearanceView is the form of a company's look, language, statistics and domains.
type appearanceView struct {
	forms.SettingForm
	Back                            string
	Name, Theme, Skin, Style, Count components.Field
	Picker, SkinPicker              string // the colours as an <input type="color"> takes them
	StyleProblems                   []string
	Languages                       []web.Choice
	Icon                            components.Field
	HasIcon                         bool
	NewIcon                         bool // a picture was chosen and is not published
	Counts                          bool // the page offers statistics
	Reports                         *reportsView
	Preview                         previewView
	PreviewPath                     string        // the address from which the script gets a palette
	Seen                            string        // tag of the look that was shown
	Drafted                         bool          // the page shows a look that is not published
	Previous                        *previousLook // nil for none
	Domains                         domainsView
}

// reportsView shows the request that the statistics would receive, and asks the administrator to agree to it.
type reportsView struct {
	Host, Request, Body string
	Address             string // the address to agree to, "" when it is published already
	Agreed              bool
}

// previewView shows samples in a company's colours.
type previewView struct {
	Name, Icon string
	Ratios     []string
}

// previousLook is the look that the undo button restores. What lists the parts in which it differs.
type previousLook struct{ Mark, Name, What string }

// appearanceView returns the form with what was typed and what was refused.
func (l *Pages) appearanceView(
	r *http.Request, here access.Landing, tried submittedLook,
) (appearanceView, error) {
	ctx, c, in := r.Context(), here.Member.Company, tried.in
	published, err := l.portal.Branding.AppearanceOf(ctx, here)
	if err != nil {
		return appearanceView{}, err
	}
	domains, err := l.portal.Branding.Domains(ctx, here)
	if err != nil {
		return appearanceView{}, err
	}
	v := appearanceView{
		SettingForm: l.site.SettingForm(r),
		Back:        l.path + "/settings",
		PreviewPath: r.URL.Path + "/preview",
		Seen:        cmp.Or(in.Seen, published.Seen),
		Drafted:     l.differs(in, published),
	}
	if tried.refused != nil && tried.refused.Fields["seen"] != "" {
		v.Seen = published.Seen // the page says that the look changed: the next press replaces it
	}
	if v.Previous, err = l.previousLook(r, here); err != nil {
		return v, err
	}
	v.fields(r, in, l.portal.Statistics.Counters())
	v.HasIcon, v.NewIcon = web.OwnIcon(c.IconURL) != "", in.Icon != ""
	shown := in
	_ = l.portal.Branding.CheckAppearance(&shown) // publishing shows its refusals; here it only normalises the values
	v.Reports = l.reportsView(r, c, shown.ViewCount, in.Agreed)
	v.Picker = components.ThemeColor(shown.Theme)
	v.SkinPicker = components.ThemeColor(cmp.Or(shown.ShopSkin, shown.Theme))
	for _, lang := range branding.Languages {
		known, _ := locale.Match(lang)
		v.Languages = append(v.Languages, web.Choice{Value: lang, Label: known.Name(), Chosen: lang == in.Language})
	}
	if !verification.NameConfirmed(c) {
		v.Name.Hint = locale.T(r.Context(), "appearance.name_unconfirmed")
	}
	v.Preview = previewView{
		Name:   cmp.Or(shown.Name, c.Name),
		Icon:   web.OwnIcon(c.IconURL),
		Ratios: ratioTexts(r, components.PaletteOf(shown.Theme)),
	}
	v.Domains = l.domainsView(r, domains, tried.domain)
	v.Refuse(l.forms, r, tried.refused, &v.Name, &v.Theme, &v.Skin, &v.Icon, &v.Style, &v.Count)
	v.refuseWhole(l, r, tried.refused)
	v.Domains.refuse(l, r, &v.SettingForm, tried.domain, tried.refused)
	return v, nil
}

// fields fills in the form's fields with what was typed. counters are the hosts that statistics may be sent to.
func (v *appearanceView) fields(r *http.Request, in branding.AppearanceInput, counters []string) {
	ctx := r.Context()
	colour := func(id, label, hint, typed string) components.Field {
		return components.Field{
			ID:       id,
			Label:    label,
			Hint:     hint,
			Value:    typed,
			Complete: "off",
			Max:      7,
			Pattern:  "#?[0-9A-Fa-f]{6}",
			Optional: true,
		}
	}
	v.Name = components.Field{
		ID:       "name",
		Label:    locale.T(ctx, "appearance.name"),
		Value:    in.Name,
		Complete: "organization",
		Max:      access.MaxCompanyName,
	}
	themeHint := locale.T(ctx, "appearance.theme_means", "colour", components.DefaultTheme)
	v.Theme = colour("theme", locale.T(ctx, "appearance.theme"), themeHint, in.Theme)
	v.Skin = colour("shop_skin", locale.T(ctx, "appearance.skin"), locale.T(ctx, "appearance.skin_means"), in.ShopSkin)
	v.Icon = components.Field{
		ID:       "icon",
		Label:    locale.T(ctx, "appearance.icon"),
		Hint:     locale.T(ctx, "appearance.icon_means"),
		Optional: true,
	}
	v.Style = components.Field{
		ID:       "style",
		Label:    locale.T(ctx, "appearance.style"),
		Hint:     locale.T(ctx, "appearance.style_means", "kb", stylesheet.MaxStyle>>10),
		Value:    in.Style,
		Complete: "off",
		Optional: true,
	}
	v.Count = components.Field{
		ID:       "view_count",
		Label:    locale.T(ctx, "appearance.count"),
		Hint:     locale.T(ctx, "appearance.count_means", "hosts", strings.Join(counters, ", ")),
		Value:    in.ViewCount,
		Complete: "off",
		Max:      200,
		Optional: true,
	}
	v.Counts = len(counters) > 0 || in.ViewCount != ""
	if len(counters) == 0 {
		v.Count.Hint = locale.T(ctx, "appearance.count_closed")
	}
}

// reportsView returns the reports that an address would get, nil for an address that is not accepted.
func (l *Pages) reportsView(r *http.Request, c store.Company, address, agreed string) *reportsView {
	report, ok := l.site.ReportExample(r, c, address)
	if !ok {
		return nil
	}
	v := &reportsView{Host: strings.TrimPrefix(report.Origin, "https://"), Request: "GET " + report.URL,
		Body: report.Body}
	if report.Body != "" {
		v.Request = "POST " + report.URL
	}
	if address != c.ViewCountURL {
		v.Address, v.Agreed = address, agreed == address
	}
	return v
}

// refuseWhole shows the refusals that concern no single field, and each refused line of the style sheet.
func (v *appearanceView) refuseWhole(p *Pages, r *http.Request, refused *access.Refused) {
	if refused == nil {
		return
	}
	for _, field := range []string{"seen", "undo"} {
		if problem := refused.Fields[field]; problem != "" {
			v.Mistakes = append(v.Mistakes, components.Mistake{Message: p.forms.ProblemText(r, problem)})
		}
	}
	ctx := r.Context()
	for _, s := range refused.Styles {
		text := locale.T(ctx, s.Why.TextKey(), "what", s.What)
		if s.Line > 0 {
			text = locale.T(ctx, "appearance.style_line", "line", s.Line, "why", text)
		}
		v.StyleProblems = append(v.StyleProblems, text)
	}
}

// previousLook returns the look before the published one, with the parts that differ; nil for none.
func (l *Pages) previousLook(r *http.Request, here access.Landing) (*previousLook, error) {
	kept, ok, err := l.portal.Branding.LookBefore(r.Context(), here)
	if err != nil || !ok {
		return nil, err
	}
	c, ctx := here.Member.Company, r.Context()
	var what []string
	for _, part := range []struct{ key, kept, now string }{
		{"appearance.name", kept.Name, c.Name},
		{"appearance.theme", kept.Theme, c.Theme},
		{"appearance.skin", kept.ShopSkin, c.ShopSkin},
		{"appearance.language", kept.Language, c.Language},
		{"appearance.icon", kept.IconURL, c.IconURL},
		{"appearance.style", kept.LoginStyleURL, c.LoginStyleURL},
		{"appearance.count", kept.ViewCountURL, c.ViewCountURL},
	} {
		if part.kept != part.now {
			what = append(what, locale.T(ctx, part.key))
		}
	}
	differences := strings.Join(what, locale.T(ctx, "appearance.and"))
	return &previousLook{Mark: kept.Mark, Name: kept.Name, What: differences}, nil
}

// previewStyles is the CSS with the colours of the samples on the page.
func previewStyles(v appearanceView) string {
	return components.PreviewStyle("preview", v.Picker[1:]) + components.PreviewStyle("preview-shop", v.SkinPicker[1:])
}

// ratioTexts states the contrasts of a palette in words.
func ratioTexts(r *http.Request, p components.Palette) []string {
	ctx := r.Context()
	ratio := func(contrast float64) string {
		text := strconv.FormatFloat(math.Floor(contrast*10)/10, 'f', 1, 64) + ":1"
		if locale.Of(ctx) == locale.Spanish {
			text = strings.Replace(text, ".", ",", 1)
		}
		return text
	}
	return []string{
		locale.T(ctx, "appearance.on_button", "ratio", ratio(p.Light.OnButton)),
		locale.T(ctx, "appearance.of_link", "ratio", ratio(p.Light.OfLink), "dark", ratio(p.Dark.OfLink)),
		locale.T(ctx, "appearance.on_row", "ratio", ratio(p.Light.OnRow), "dark", ratio(p.Dark.OnRow)),
	}
}

// styleSelectors are the selectors that the page names to the authors of a style sheet.
const styleSelectors = "body main h1 .lead .panel .side .top .mark .tabs .field label .input .hint .check .button " +
	".button.quiet .links a"

// paletteAnswer is the JSON for the preview's script: CSS custom properties for light and dark mode, the contrasts in
// words, and a message when the colour is refused.
type paletteAnswer struct {
	Light   components.Tones `json:"light"`
	Dark    components.Tones `json:"dark"`
	Ratios  []string         `json:"ratios"`
	Message string           `json:"message"`
}

// SubmitPreview computes a palette for the page's script. It stores nothing.
func (l *Pages) SubmitPreview(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	in, err := l.portal.Branding.AppearanceOf(r.Context(), here)
	if err != nil {
		return err
	}
	in.Theme = r.PostForm.Get("theme")
	refused, err := forms.RefusedOf(l.portal.Branding.CheckAppearance(&in))
	if err != nil {
		return err
	}
	answer := paletteAnswer{}
	if refused != nil && refused.Fields["theme"] != "" {
		answer.Message, in.Theme = l.forms.ProblemText(r, refused.Fields["theme"]), ""
	}
	palette := components.PaletteOf(in.Theme)
	answer.Light, answer.Dark, answer.Ratios = palette.Light, palette.Dark, ratioTexts(r, palette)
	status := http.StatusOK
	if answer.Message != "" {
		status = http.StatusUnprocessableEntity
	}
	return request.WriteJSON(w, status, answer)
}
