package forms

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
)

// SettingForm holds what all forms of the settings have in common: the address, the token and the refusal.
type SettingForm struct {
	Path           string
	Token          string
	SummaryHeading string
	Mistakes       []components.Mistake
	Stored         []Fact // the values that somebody else saved while the form was open; nil for none
}

// AddRefusal puts a refusal beside its fields and into the summary.
func (f *SettingForm) AddRefusal(p *Pages, r *http.Request, refused *access.Refused, fields ...*components.Field) {
	switch {
	case refused == nil:
		return
	case refused.Refusal != access.ValidationFailed:
		mistake := components.Mistake{Message: web.RefusalText(r, refused)}
		if refused.Refusal == access.UploadRejected {
			for _, field := range fields {
				if field.ID == "icon" {
					field.Message, mistake.Field = mistake.Message, field.ID
				}
			}
		}
		f.Mistakes = append(f.Mistakes, mistake)
	}
	for _, field := range fields {
		if problem := refused.Fields[field.ID]; problem != "" {
			field.Message = p.ProblemText(r, problem)
			f.Mistakes = append(f.Mistakes, components.Mistake{Field: field.ID, Message: field.Message})
		}
	}
}

// ChangedMeanwhile adds the problem that the setting was changed after the page was opened, and lists the stored values
// that differ from the typed ones.
func (f *SettingForm) ChangedMeanwhile(p *Pages, r *http.Request, problem access.Problem, differences []Difference) {
	f.Mistakes = append(f.Mistakes, components.Mistake{Message: p.ProblemText(r, problem)})
	for _, d := range differences {
		switch {
		case d.Stored == d.Typed:
		case d.Stored == "":
			f.Stored = append(f.Stored, Fact{d.Name, locale.T(r.Context(), "settings.stored_nothing")})
		default:
			f.Stored = append(f.Stored, Fact{d.Name, d.Stored})
		}
	}
}

// Difference is one value of a setting: as it was typed, and as it is stored.
type Difference struct{ Name, Typed, Stored string }

// RefusedOf separates the refusal of a form, nil for none, from any other error.
func RefusedOf(err error) (*access.Refused, error) {
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return refused, nil
	}
	return nil, err
}

// OnOff returns the form value of a check box: "1" for on, "" for off.
func OnOff(on bool) string {
	if on {
		return "1"
	}
	return ""
}

// OnOffText returns the text for a switch: on or off.
func OnOffText(r *http.Request, on bool) string {
	if on {
		return locale.T(r.Context(), "settings.on")
	}
	return locale.T(r.Context(), "settings.off")
}
