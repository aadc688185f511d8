package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal"
)

// employeesView is what a company's employees may do.
type employeesView struct {
	Back     string
	Path     string
	Token    string
	Rights   []rightBox
	Alone    []string // what administrators alone may do
	Heading  string   // of the error summary
	Mistakes []components.Mistake
}

type rightBox struct {
	Name, Label string
	Given       bool
}

func (l landing) employeesView(r *http.Request, given func(portal.Right) bool) employeesView {
	v := employeesView{Back: l.path + "/settings", Path: r.URL.Path, Token: l.formToken(r)}
	for _, row := range portal.Rights {
		label := locale.T(r.Context(), "right."+string(row.Right))
		if row.Alone {
			v.Alone = append(v.Alone, label)
		} else {
			v.Rights = append(v.Rights, rightBox{string(row.Right), label, given(row.Right)})
		}
	}
	return v
}

func (l landing) showEmployees(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	rights, err := l.portal.EmployeeRights(here)
	if err != nil {
		return err
	}
	return l.renderEmployees(w, r, here, rights, nil)
}

func (l landing) submitEmployees(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	var rights []portal.Right
	for _, name := range r.PostForm["rights"] {
		rights = append(rights, portal.Right(name))
	}
	if again, switched := l.switchedLang(w, r); switched {
		return l.renderEmployees(w, again, here, rights, nil)
	}
	err := l.portal.SetEmployeeRights(r.Context(), here, rights)
	refused := new(portal.Refused)
	if errors.As(err, &refused) {
		return l.renderEmployees(w, r, here, rights, refused)
	}
	if err != nil {
		return err
	}
	return seeOther(w, r.URL.Path+"?done=saved")
}

func (l landing) renderEmployees(w http.ResponseWriter, r *http.Request, here portal.Landing, rights []portal.Right, refused *portal.Refused) error {
	view := l.employeesView(r, func(right portal.Right) bool {
		for _, given := range rights {
			if given == right {
				return true
			}
		}
		return false
	})
	if refused != nil {
		view.Heading = locale.T(r.Context(), "summary.heading")
		view.Mistakes = []components.Mistake{{Field: "rights", Message: l.problemText(r, refused.Fields["rights"])}}
	}
	shell := l.frame(r, here, l.path+"/settings")
	if shell.Form = "employees"; r.URL.Query().Get("done") == "saved" {
		shell.Toast = locale.T(r.Context(), "employees.saved")
	}
	return l.render(w, r, refusedStatus(w, refused), shell, employeesPage(view))
}
