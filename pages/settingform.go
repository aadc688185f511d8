package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
)

// settingForm is what all forms of the settings have: where they go, and what was refused.
type settingForm struct {
	Path           string
	Token          string
	SummaryHeading string
	Mistakes       []components.Mistake
	Stored         []fact // the values that somebody else saved while the form was open; nil for none
}

func (l landingPages) settingForm(r *http.Request) settingForm {
	return settingForm{Path: r.URL.Path, Token: l.formToken(r), SummaryHeading: locale.T(r.Context(), "summary.heading")}
}

// refuse puts a refusal beside its fields and into the summary.
func (f *settingForm) refuse(p *Pages, r *http.Request, refused *access.Refused, fields ...*components.Field) {
	switch {
	case refused == nil:
		return
	case refused.Refusal != access.ValidationFailed:
		mistake := components.Mistake{Message: refusalText(r, refused)}
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
			field.Message = p.problemText(r, problem)
			f.Mistakes = append(f.Mistakes, components.Mistake{Field: field.ID, Message: field.Message})
		}
	}
}

// changedMeanwhile adds the problem that the setting was changed after the page was opened, and lists the stored values
// that differ from the typed ones.
func (f *settingForm) changedMeanwhile(p *Pages, r *http.Request, problem access.Problem, differences []difference) {
	f.Mistakes = append(f.Mistakes, components.Mistake{Message: p.problemText(r, problem)})
	for _, d := range differences {
		switch {
		case d.stored == d.typed:
		case d.stored == "":
			f.Stored = append(f.Stored, fact{d.name, locale.T(r.Context(), "settings.stored_nothing")})
		default:
			f.Stored = append(f.Stored, fact{d.name, d.stored})
		}
	}
}

// difference is one value of a setting: as it was typed, and as it is stored.
type difference struct{ name, typed, stored string }

// refusedOf separates the refusal of a form, nil for none, from any other error.
func refusedOf(err error) (*access.Refused, error) {
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return refused, nil
	}
	return nil, err
}

func onOff(on bool) string {
	if on {
		return "1"
	}
	return ""
}

// onOffText returns the text for a switch: on or off.
func onOffText(r *http.Request, on bool) string {
	if on {
		return locale.T(r.Context(), "settings.on")
	}
	return locale.T(r.Context(), "settings.off")
}
