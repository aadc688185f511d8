package pages

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/portal"
)

// appearanceView is how a company looks and speaks, to be set, and its own domains.
type appearanceView struct {
	settingForm
	Name, Theme components.Field
	Picker      string // the colour as the browser's own picker takes it
	Languages   []choice
	Icon        components.Field
	HasIcon     bool
	Preview     previewView
	PreviewPath string // where a script asks for a palette
	Domains     domainsView
}

// previewView shows a company's colour at work.
type previewView struct {
	Name, Icon string
	Ratios     []string
}

func (l landing) showAppearance(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	in, err := l.portal.AppearanceOf(here)
	if err != nil {
		return err
	}
	return l.renderAppearance(w, r, here, in, domainTried{}, nil)
}

func (l landing) submitAppearance(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	var in portal.AppearanceInput
	decode(r, &in)
	if again, switched := l.switchedLang(w, r); switched {
		return l.renderAppearance(w, again, here, in, domainTried{}, nil)
	}
	tried := in // what was typed is shown again as it was
	save := func() error { return l.portal.SetAppearance(r.Context(), here, in) }
	switch action := r.PostForm.Get("action"); {
	case action == "preview":
		save = tried.Validate
	case action == "icon" || action == "remove_icon":
		return l.submitIcon(w, r, here, action)
	case strings.HasPrefix(action, "domain_"):
		return l.submitDomain(w, r, here, action)
	case action != "" && action != "save":
		return portal.BadRequest
	}
	refused, err := refusedOf(save())
	if err != nil {
		return err
	}
	if refused != nil || r.PostForm.Get("action") == "preview" {
		return l.renderAppearance(w, r, here, in, domainTried{}, refused)
	}
	return seeOther(w, r.URL.Path+"?done=saved")
}

// submitIcon takes the picture of the form for the company's icon, or takes the icon away.
func (l landing) submitIcon(w http.ResponseWriter, r *http.Request, here portal.Landing, action string) error {
	in, err := l.portal.AppearanceOf(here)
	if err != nil {
		return err
	}
	file := uploadOf(r)
	switch {
	case action == "remove_icon":
		err = l.portal.RemoveIcon(r.Context(), here)
	case file == nil:
		err = &portal.Refused{Refusal: portal.ValidationFailed, Fields: portal.Fields{"icon": portal.FieldRequired}}
	default:
		err = l.portal.SetIcon(r.Context(), here, file)
	}
	refused, err := refusedOf(err)
	if err != nil {
		return err
	}
	if refused != nil {
		return l.renderAppearance(w, r, here, in, domainTried{}, refused)
	}
	return seeOther(w, r.URL.Path+"?done="+action)
}

// renderAppearance writes the page with the form as it was typed, or with what was tried with a domain.
func (l landing) renderAppearance(w http.ResponseWriter, r *http.Request, here portal.Landing, in portal.AppearanceInput, tried domainTried, refused *portal.Refused) error {
	domains, err := l.portal.Domains(r.Context(), here)
	if err != nil {
		return err
	}
	v := l.appearanceView(r, here, in)
	v.Domains = l.domainsView(r, domains, tried)
	v.refuse(l.Pages, r, refused, &v.Name, &v.Theme, &v.Icon)
	v.Domains.refuse(l.Pages, r, &v.settingForm, tried, refused)
	shell := l.frame(r, here, l.path+"/settings")
	shell.Form = "setting"
	shell.Style.Inline += components.PreviewStyle("preview", v.Picker[1:])
	if done := r.URL.Query().Get("done"); refused == nil && appearanceDone[done] != "" && r.Method != http.MethodPost {
		shell.Toast = locale.T(r.Context(), appearanceDone[done])
	}
	return l.render(w, r, refusedStatus(w, refused), shell, appearancePage(v))
}

// appearanceDone is said about what was just done.
var appearanceDone = map[string]string{
	"saved": "settings.saved", "domain_add": "domain.added", "domain_check": "domain.checked", "domain_remove": "domain.removed", "domain_desktop": "settings.saved",
	"icon": "appearance.icon_set", "remove_icon": "appearance.icon_removed",
}

func (l landing) appearanceView(r *http.Request, here portal.Landing, in portal.AppearanceInput) appearanceView {
	ctx, c := r.Context(), here.Member.Company
	v := appearanceView{
		settingForm: l.settingForm(r), PreviewPath: r.URL.Path + "/preview",
		Name: components.Field{ID: "name", Label: locale.T(ctx, "appearance.name"), Value: in.Name, Complete: "organization", Max: portal.MaxCompanyName},
		Theme: components.Field{
			ID: "theme", Label: locale.T(ctx, "appearance.theme"), Hint: locale.T(ctx, "appearance.theme_means", "colour", components.DefaultTheme),
			Value: in.Theme, Complete: "off", Max: 7, Pattern: "#?[0-9A-Fa-f]{6}", Optional: true,
		},
	}
	v.Icon = components.Field{ID: "icon", Label: locale.T(ctx, "appearance.icon"), Hint: locale.T(ctx, "appearance.icon_means"), Optional: true}
	v.HasIcon = ownIcon(c.IconURL) != ""
	shown := in
	_ = shown.Validate() // its refusals are told where the form is sent in for good
	v.Picker = components.ThemeColor(shown.Theme)
	for _, lang := range portal.Languages {
		known, _ := locale.Match(lang)
		v.Languages = append(v.Languages, choice{lang, known.Name(), lang == in.Language})
	}
	v.Preview = previewView{Name: cmp.Or(shown.Name, c.Name), Icon: ownIcon(c.IconURL), Ratios: ratioTexts(r, components.PaletteOf(shown.Theme))}
	return v
}

// ratioTexts are the contrasts of a palette in words.
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

// paletteAnswer is what the preview's script reads: custom properties by day and by night, and the contrasts in words.
type paletteAnswer struct {
	Light   components.Tones `json:"light"`
	Dark    components.Tones `json:"dark"`
	Ratios  []string         `json:"ratios"`
	Message string           `json:"message"`
}

// submitPreview computes a palette for the script of the page; nothing is kept.
func (l landing) submitPreview(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	in, err := l.portal.AppearanceOf(here)
	if err != nil {
		return err
	}
	in.Theme = r.PostForm.Get("theme")
	refused, err := refusedOf(in.Validate())
	if err != nil {
		return err
	}
	answer := paletteAnswer{}
	if refused != nil && refused.Fields["theme"] != "" {
		answer.Message, in.Theme = l.problemText(r, refused.Fields["theme"]), ""
	}
	palette := components.PaletteOf(in.Theme)
	answer.Light, answer.Dark, answer.Ratios = palette.Light, palette.Dark, ratioTexts(r, palette)
	status := http.StatusOK
	if answer.Message != "" {
		status = http.StatusUnprocessableEntity
	}
	return writeJSON(w, status, answer)
}
