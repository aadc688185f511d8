package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal"
)

// settingForm is what all forms of the settings have: where they go, and what was refused.
type settingForm struct {
	Path           string
	Token          string
	SummaryHeading string
	Mistakes       []components.Mistake
}

func (l landing) settingForm(r *http.Request) settingForm {
	return settingForm{Path: r.URL.Path, Token: l.formToken(r), SummaryHeading: locale.T(r.Context(), "summary.heading")}
}

// refuse puts a refusal beside its fields and into the summary.
func (f *settingForm) refuse(p *Pages, r *http.Request, refused *portal.Refused, fields ...*components.Field) {
	switch {
	case refused == nil:
		return
	case refused.Refusal != portal.ValidationFailed:
		mistake := components.Mistake{Message: refusalText(r, refused)}
		if refused.Refusal == portal.UploadRejected {
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

// refusedOf is what an operation refused, nil for nothing; err is what is no refusal of a form.
func refusedOf(err error) (*portal.Refused, error) {
	refused := new(portal.Refused)
	if errors.As(err, &refused) {
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
