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
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/core"
	"portico/portal/stylesheet"
	"portico/store"
)

// appearanceView is the form of a company's look, language, statistics and domains.
type appearanceView struct {
	forms.SettingForm
	Back                     string
	Name, Theme, Skin, Style components.Field
	StatisticsAddress        components.Field // where browsers report page views
	Picker, SkinPicker       string           // the colours of Theme and Skin as an <input type="color"> takes them
	StyleProblems            []string
	Languages                []web.Choice
	Icon                     components.Field
	HasIcon                  bool
	NewIcon                  bool // a picture was chosen and is not published
	HasStatistics            bool // the page has the field StatisticsAddress
	ReportExample            *reportExampleView
	Preview                  previewView
	PreviewPath              string // the address from which the script gets a palette
	// tag of the look that the page shows; publishing compares it with the stored look
	ShownTag string
	Advanced bool          // the part "Advanced" is open
	Drafted  bool          // the page shows a look that is not published
	Previous *previousLook // nil for none
	Domains  domainsView
}

// reportExampleView shows a request that browsers would send to the company's statistics, and asks the administrator to
// agree to it.
type reportExampleView struct {
	Host, Request, Body string
	Address             string // the address to agree to, "" when it is published already
	Agreed              bool
}

// previewView shows samples in a company's colours.
type previewView struct {
	Name, Icon string
	Ratios     []string
}

// previousLook is the look that the undo button restores: its tag, the company name in it, and the names of the parts
// in which it differs from the published look.
type previousLook struct{ Tag, Name, Differences string }

// appearanceView returns the form with what was typed and what was refused.
func (l *Pages) appearanceView(
	r *http.Request, here access.Landing, tried submittedLook,
) (appearanceView, error) {
	ctx := r.Context()
	c := here.Member.Company
	in := tried.in
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
		ShownTag:    cmp.Or(in.Seen, published.Seen),
		Drafted:     l.differs(in, published),
	}
	if tried.refused != nil && tried.refused.Fields["seen"] != "" {
		v.ShownTag = published.Seen // the page says that the look has changed: publishing again replaces it
	}
	if v.Previous, err = l.previousLook(r, here); err != nil {
		return v, err
	}
	v.setFields(r, in, l.portal.Core.Statistics.Counters())
	v.HasIcon, v.NewIcon = web.OwnIcon(c.IconURL) != "", in.Icon != ""
	shown := in
	// Only normalises the values: a refusal is shown when the administrator publishes.
	_ = l.portal.Branding.CheckAppearance(&shown)
	v.ReportExample = l.reportExampleView(r, c, shown.ViewCount, in.Agreed)
	v.Picker = components.ThemeColor(shown.Theme)
	v.SkinPicker = components.ThemeColor(cmp.Or(shown.ShopSkin, shown.Theme))
	for _, lang := range branding.Languages {
		known, _ := locale.Match(lang)
		v.Languages = append(v.Languages, web.Choice{Value: lang, Label: known.Name(), Chosen: lang == in.Language})
	}
	if !core.NameConfirmed(c) {
		v.Name.Hint = locale.T(r.Context(), "appearance.name_unconfirmed")
	}
	v.Preview = previewView{
		Name:   cmp.Or(shown.Name, c.Name),
		Icon:   web.OwnIcon(c.IconURL),
		Ratios: ratioTexts(r, components.PaletteOf(shown.Theme)),
	}
	v.Domains = l.domainsView(r, domains)
	v.AddRefusal(l.forms, r, tried.refused, &v.Name, &v.Theme, &v.Skin, &v.Icon, &v.Style, &v.StatisticsAddress)
	v.addGeneralRefusals(l, r, tried.refused)
	v.Domains.addRefusal(l, r, &v.SettingForm, tried.domain, tried.refused)
	v.Advanced = len(domains) > 0 || in.Style != "" || in.ViewCount != "" || len(v.Mistakes) > 0
	return v, nil
}

// setFields fills in the form's fields with what was typed. counters are the hosts that statistics may be sent to.
func (v *appearanceView) setFields(r *http.Request, in branding.AppearanceInput, counters []string) {
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
	v.StatisticsAddress = components.Field{
		ID:       "view_count",
		Label:    locale.T(ctx, "appearance.count"),
		Hint:     locale.T(ctx, "appearance.count_means", "hosts", strings.Join(counters, ", ")),
		Value:    in.ViewCount,
		Complete: "off",
		Max:      200,
		Optional: true,
	}
	v.HasStatistics = len(counters) > 0 || in.ViewCount != ""
	if len(counters) == 0 {
		v.StatisticsAddress.Hint = locale.T(ctx, "appearance.count_closed")
	}
}

// reportExampleView returns the request that an address would receive, nil for an address that is not accepted.
func (l *Pages) reportExampleView(r *http.Request, c store.Company, address, agreed string) *reportExampleView {
	report, ok := l.site.ReportExample(r, c, address)
	if !ok {
		return nil
	}
	v := &reportExampleView{Host: strings.TrimPrefix(report.Origin, "https://"), Request: "GET " + report.URL,
		Body: report.Body}
	if report.Body != "" {
		v.Request = "POST " + report.URL
	}
	if address != c.ViewCountURL {
		v.Address, v.Agreed = address, agreed == address
	}
	return v
}

// addGeneralRefusals adds the refusals that belong to no field, and one for each refused line of the style sheet.
func (v *appearanceView) addGeneralRefusals(p *Pages, r *http.Request, refused *access.Refused) {
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

// previousLook returns the look that was published before the current one, nil for none.
func (l *Pages) previousLook(r *http.Request, here access.Landing) (*previousLook, error) {
	previous, ok, err := l.portal.Branding.LookBefore(r.Context(), here)
	if err != nil || !ok {
		return nil, err
	}
	c, ctx := here.Member.Company, r.Context()
	var names []string
	for _, part := range []struct{ key, previous, published string }{
		{"appearance.name", previous.Name, c.Name},
		{"appearance.theme", previous.Theme, c.Theme},
		{"appearance.skin", previous.ShopSkin, c.ShopSkin},
		{"appearance.language", previous.Language, c.Language},
		{"appearance.icon", previous.IconURL, c.IconURL},
		{"appearance.style", previous.LoginStyleURL, c.LoginStyleURL},
		{"appearance.count", previous.ViewCountURL, c.ViewCountURL},
	} {
		if part.previous != part.published {
			names = append(names, locale.T(ctx, part.key))
		}
	}
	differences := strings.Join(names, locale.T(ctx, "appearance.and"))
	return &previousLook{Tag: previous.Mark, Name: previous.Name, Differences: differences}, nil
}

// previewStyles returns the CSS with the colours of the samples on the page.
func previewStyles(v appearanceView) string {
	return components.PreviewStyle("preview", v.Picker[1:]) + components.PreviewStyle("preview-shop", v.SkinPicker[1:])
}

// ratioTexts returns the contrasts of a palette as sentences.
func ratioTexts(r *http.Request, p components.Palette) []string {
	ctx := r.Context()
	ratio := func(contrast float64) string {
		return strconv.FormatFloat(math.Floor(contrast*10)/10, 'f', 1, 64) + ":1"
	}
	return []string{
		locale.T(ctx, "appearance.on_button", "ratio", ratio(p.Light.OnButton)),
		locale.T(ctx, "appearance.of_link", "ratio", ratio(p.Light.OfLink), "dark", ratio(p.Dark.OfLink)),
		locale.T(ctx, "appearance.on_row", "ratio", ratio(p.Light.OnRow), "dark", ratio(p.Dark.OnRow)),
	}
}

// styleSelectors are the CSS selectors that the page recommends to authors of style sheets.
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
	answer.Light = palette.Light
	answer.Dark = palette.Dark
	answer.Ratios = ratioTexts(r, palette)
	status := http.StatusOK
	if answer.Message != "" {
		status = http.StatusUnprocessableEntity
	}
	return web.WriteJSON(w, status, answer)
}

// suggestedColours are colours for the buttons and links of a company. Their names are the locale keys
// "appearance.colour_" + Name.
var suggestedColours = []struct{ Name, Hex string }{
	{"blue", "20ade5"}, {"teal", "0f766e"}, {"green", "2f855a"}, {"olive", "6b7d1e"}, {"amber", "b7791f"},
	{"orange", "c2571a"}, {"red", "c53030"}, {"plum", "8e3b8a"}, {"violet", "6d4bc1"}, {"slate", "475569"},
}
