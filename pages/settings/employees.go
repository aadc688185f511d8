package settings

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/office"
)

// employeesView is the form of the rights that a company gives its employees.
type employeesView struct {
	forms.SettingForm
	Back   string
	Seen   string // tag of the rights that were shown
	Rights []rightBox
	Alone  []string // labels of the rights that only administrators have
}

// rightBox is the check box of one right.
type rightBox struct {
	Name, Label string
	Given       bool
}

// employeesView returns the form with the given rights ticked.
func (l *Pages) employeesView(r *http.Request, given []access.Right) employeesView {
	v := employeesView{SettingForm: l.site.SettingForm(r), Back: l.path + "/settings"}
	for _, row := range access.Rights {
		label := locale.T(r.Context(), "right."+string(row.Right))
		if row.Alone {
			v.Alone = append(v.Alone, label)
		} else {
			v.Rights = append(v.Rights, rightBox{string(row.Right), label, slices.Contains(given, row.Right)})
		}
	}
	return v
}

// labels lists the given rights by their labels, separated by commas.
func (v employeesView) labels(r *http.Request, given []access.Right) string {
	var labels []string
	for _, box := range v.Rights {
		if slices.Contains(given, access.Right(box.Name)) {
			labels = append(labels, box.Label)
		}
	}
	return strings.Join(labels, locale.T(r.Context(), "settings.comma"))
}

// EmployeesForm is the page of what employees may do.
func (l *Pages) EmployeesForm() site.FormPage {
	return site.FormPage{Show: l.showEmployees, View: l.viewEmployees, Submit: l.submitEmployees}
}

// showEmployees shows the stored rights.
func (l *Pages) showEmployees(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	stored, err := l.portal.Backoffice.EmployeeRights(r.Context(), here)
	if err != nil {
		return err
	}
	return l.renderEmployees(w, r, here, stored, nil)
}

// employeesInput reads the form.
func employeesInput(r *http.Request) office.EmployeeRightsInput {
	var in office.EmployeeRightsInput
	web.Decode(r, &in)
	for _, name := range r.PostForm["rights"] {
		in.Rights = append(in.Rights, access.Right(name))
	}
	return in
}

// viewEmployees shows the form as it was filled in.
func (l *Pages) viewEmployees(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	return l.renderEmployees(w, r, here, employeesInput(r), nil)
}

// submitEmployees stores the rights, or shows the form again with what was refused.
func (l *Pages) submitEmployees(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	in := employeesInput(r)
	refused, err := forms.RefusedOf(l.portal.Backoffice.SetEmployeeRights(r.Context(), here, in))
	if err != nil {
		return err
	}
	if refused != nil {
		return l.renderEmployees(w, r, here, in, refused)
	}
	return web.SeeOther(w, r.URL.Path+"?done=saved")
}

// renderEmployees writes the form with the rights of in. refused is nil for a form that was not refused.
func (l *Pages) renderEmployees(
	w http.ResponseWriter, r *http.Request, here access.Landing,
	in office.EmployeeRightsInput, refused *access.Refused,
) error {
	ctx := r.Context()
	stored, err := l.portal.Backoffice.EmployeeRights(ctx, here)
	if err != nil {
		return err
	}
	view := l.employeesView(r, in.Rights)
	view.Seen = cmp.Or(in.Seen, stored.Seen)
	view.AddRefusal(l.forms, r, refused)
	switch {
	case refused == nil:
	case refused.Fields["seen"] != "":
		view.Seen = stored.Seen // the page shows the stored rights now: saving again replaces them
		view.ChangedMeanwhile(l.forms, r, refused.Fields["seen"], []forms.Difference{
			{Name: locale.T(ctx, "employees.may"), Typed: view.labels(r, in.Rights),
				Stored: view.labels(r, stored.Rights)},
		})
	case refused.Fields["rights"] != "":
		mistake := components.Mistake{Field: "rights", Message: l.forms.ProblemText(r, refused.Fields["rights"])}
		view.Mistakes = append(view.Mistakes, mistake)
	}
	shell := l.site.Frame(r, here, l.path+"/settings")
	shell.Form = "employees"
	if r.URL.Query().Get("done") == "saved" && refused == nil {
		shell.Toast = locale.T(ctx, "employees.saved")
	}
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, employeesPage(view))
}
