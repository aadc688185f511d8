// Package imports has the pages on which staff import customers, people and products from a spreadsheet.
package imports

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/request"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/imports"
	"portico/portal/ordering"
	"portico/portal/products"
)

// Portal has the districts of portal that these pages call.
type Portal struct {
	Imports *imports.Imports
}

// Pages imports files.
type Pages struct {
	portal Portal
	path   string
	words  map[imports.List]imports.Words

	request *request.Requests
	web     *web.Web
	forms   *forms.Pages
	uploads *uploads.Pages
	site    *site.Site
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o request.Platform,
	portal Portal,
	request *request.Requests,
	web *web.Web,
	forms *forms.Pages,
	uploads *uploads.Pages,
	site *site.Site,
) *Pages {
	return &Pages{
		portal: portal, path: o.Path, words: words(), request: request, web: web, forms: forms, uploads: uploads,
		site: site,
	}
}

const (
	rowsShown  = 50 // how many rows that are left out a page shows
	firstShown = 3  // how many of those to be imported
)

// chooseView is the page on which a file is chosen.
type chooseView struct {
	forms.SettingForm
	List, Back    string
	Heading, Body string
	Form          string
	File          components.Field
	Template      string
	Columns       []forms.Fact
}

// importView is the page that shows what an import would do, or did.
type importView struct {
	List, Back, Heading string
	Note                string // how many rows are left out and what to do, "" for none
	Used, Unused        string // the names of the columns in use and of the others, "" for no others
	Sums                []web.Chip
	Heads               []string   // of the columns in use
	Kinds               []string   // of the cells below Heads: "stock" for numbers, "text" for the others
	First               [][]string // the first rows to be imported, without the columns that are not used
	NameLabel           string     // of the column with the names of rows
	Left                []leftRow  // rows that are left out
	More                string     // says that Left has only some, "" when it has all
	Remarks             string     // the address of the file with remarks, "" for none
	Another             string
	See                 string // the button that leads to the list, after an import
	Done                bool   // rows were imported
	Gone                bool   // the file is no longer kept

	// The form that imports the file.
	Path, Token, Key, Button string // Button is "" when there is nothing to import
}

// leftRow is a row that is left out.
type leftRow struct {
	Line    string
	Name    string
	Remarks []string
}

// Form mounts the page on which a file for a list is chosen, and which shows what it would do.
func (p *Pages) Form(r chi.Router, path string, list imports.List) {
	show := func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		if key := r.URL.Query().Get("file"); key != "" {
			return p.showImport(w, r, here, p.input(list, key))
		}
		return p.renderChoose(w, r, here, list, ordering.NewForm(), nil)
	}
	submit := func(w http.ResponseWriter, r *http.Request, here access.Landing, f *uploads.FormFile) error {
		return p.submitFile(w, r, here, list, f)
	}
	p.uploads.UploadForm(r, path, p.uploads.AdmitSignedIn,
		p.site.Typed(show, site.LandedFile(submit).Without()), p.site.PageWithFile(submit))
}

func (p *Pages) input(list imports.List, key string) imports.Input {
	return imports.Input{List: list, Key: key, Words: p.words[list]}
}

// submitFile reads a file and leads to what it would do.
func (p *Pages) submitFile(
	w http.ResponseWriter, r *http.Request, here access.Landing, list imports.List, f *uploads.FormFile,
) error {
	form := r.PostForm.Get("form")
	if again, switched := p.request.SwitchedLang(w, r); switched {
		return p.renderChoose(w, again, here, list, form, nil)
	}
	key, err := p.portal.Imports.Read(r.Context(), here, p.input(list, ""), form, f.Content())
	refused, err := forms.RefusedOf(err)
	if err != nil {
		return err
	}
	if refused != nil {
		return p.renderChoose(w, r, here, list, form, refused)
	}
	return request.SeeOther(w, p.address(list, key))
}

// address returns the address of the page about a file.
func (p *Pages) address(list imports.List, key string) string {
	return p.path + "/" + string(list) + "/import?" + url.Values{"file": {key}}.Encode()
}

// renderChoose writes the page on which a file is chosen.
func (p *Pages) renderChoose(
	w http.ResponseWriter, r *http.Request, here access.Landing, list imports.List, form string,
	refused *access.Refused,
) error {
	if err := imports.RequireRight(here, list); err != nil {
		return err
	}
	ctx, path := r.Context(), p.path+"/"+string(list)
	v := chooseView{
		SettingForm: p.site.SettingForm(r), List: locale.T(ctx, "office."+string(list)), Back: path, Form: form,
		Heading: locale.T(ctx, "import.heading_"+string(list)), Body: locale.T(ctx, "import.body_"+string(list)),
		Template: path + "/import/empty.xlsx",
		File: components.Field{
			ID: "file", Label: locale.T(ctx, "import.file"),
			Hint: locale.T(ctx, "import.file_hint", "num", components.Count(imports.MostRows)),
		},
	}
	v.Path = path + "/import"
	for _, column := range columnsOf(list) {
		means := locale.T(ctx, "import.means_"+string(list)+"_"+string(column.Column))
		if column.Column == imports.RoleColumn {
			means = rolesMean(ctx)
		}
		v.Columns = append(v.Columns, forms.Fact{Name: locale.T(ctx, column.label), Value: means})
	}
	v.AddRefusal(p.forms, r, refused, &v.File)
	if refused != nil && refused.Fields["file"] == imports.FileRequired && uploads.FileCame(r) {
		v.File.Message = locale.T(ctx, "problem.sheet_again")
		v.Mistakes = []components.Mistake{{Field: v.File.ID, Message: v.File.Message}}
	}
	shell := p.site.Frame(r, here, path)
	shell.Form = "import"
	return p.web.Render(w, r, web.RefusedStatus(w, refused), shell, choosePage(v))
}

// Submit answers POST /{list}/import/run: it imports a file and leads to the result.
func (p *Pages) Submit(list imports.List) site.Landed {
	return func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		in := p.input(list, r.PostForm.Get("file"))
		if again, switched := p.request.SwitchedLang(w, r); switched {
			return p.showImport(w, again, here, in)
		}
		err := p.portal.Imports.Run(r.Context(), here, in)
		if errors.Is(err, access.NotFound) {
			return p.renderGone(w, r, here, list)
		}
		if err != nil {
			return err
		}
		return request.SeeOther(w, p.address(list, in.Key))
	}
}

// showImport shows what an import would do, or did.
func (p *Pages) showImport(w http.ResponseWriter, r *http.Request, here access.Landing, in imports.Input) error {
	im, err := p.portal.Imports.Import(r.Context(), here, in)
	if errors.Is(err, access.NotFound) {
		return p.renderGone(w, r, here, in.List)
	}
	if err != nil {
		return err
	}
	ctx, path := r.Context(), p.path+"/"+string(in.List)
	adds, changes, left := im.Count(products.Adds), im.Count(products.Changes), im.Count("")
	v := importView{
		List: locale.T(ctx, "office."+string(in.List)), Back: path, Path: path + "/import/run",
		Token: p.web.FormToken(r), Key: in.Key, Another: path + "/import",
		See:     locale.T(ctx, "import.see_"+string(in.List)),
		Heading: locale.T(ctx, "import.ask", "num", adds+changes),
	}
	v.Used, v.Unused = p.columnNames(r, in.List, im.Heads)
	for _, sum := range []struct {
		key, kind string
		n         int
	}{
		{"import.sum_adds", "ok", adds}, {"import.sum_changes", "ok", changes},
		{"import.sum_keeps", "", im.Count(products.Keeps)},
	} {
		if sum.n > 0 {
			text := locale.T(ctx, sum.key, "num", components.Count(int64(sum.n)))
			v.Sums = append(v.Sums, web.Chip{Kind: sum.kind, Text: text})
		}
	}
	note := "import.left_before"
	switch {
	case im.Ran:
		note, v.Done = "import.left_after", adds+changes > 0
		if v.Heading = locale.T(ctx, "import.done", "num", adds+changes); adds+changes == 0 {
			v.Heading = locale.T(ctx, "import.done_nothing")
		}
	case adds+changes == 0:
		v.Heading = locale.T(ctx, "import.nothing")
	default:
		v.Button = locale.T(ctx, "import.now", "num", adds+changes)
	}
	if left > 0 {
		v.Note = locale.T(ctx, note, "num", left)
		v.Remarks = path + "/import/remarks.xlsx?" + url.Values{"file": {in.Key}}.Encode()
	}
	p.leftRows(r, &v, in.List, im)
	if !im.Ran {
		p.firstRows(&v, in.List, im)
	}
	return p.renderImport(w, r, here, http.StatusOK, path, in.Key, v)
}

// renderGone says that a file is no longer kept.
func (p *Pages) renderGone(w http.ResponseWriter, r *http.Request, here access.Landing, list imports.List) error {
	ctx, path := r.Context(), p.path+"/"+string(list)
	return p.renderImport(w, r, here, http.StatusNotFound, path, "", importView{
		List: locale.T(ctx, "office."+string(list)), Back: path, Heading: locale.T(ctx, "import.gone"),
		Note: locale.T(ctx, "import.gone_body"), Another: path + "/import", Gone: true,
	})
}

func (p *Pages) renderImport(
	w http.ResponseWriter, r *http.Request, here access.Landing, status int, path, key string, v importView,
) error {
	shell := p.site.Frame(r, here, path)
	if key != "" { // the page in another language is about the same file
		shell.Query = url.Values{"file": {key}}.Encode()
	}
	return p.web.Render(w, r, status, shell, importPage(v))
}

// firstRows adds the first rows to be imported, so that people see which column each text came from.
func (p *Pages) firstRows(v *importView, list imports.List, im imports.Import) {
	columns := imports.ColumnsOf(list, p.words[list], im.Heads)
	used := func(cells []string) (all []string) {
		for i, column := range columns {
			if column != "" {
				all = append(all, cells[i])
			}
		}
		return all
	}
	v.Heads = used(im.Heads)
	for _, column := range columns {
		switch column {
		case "":
		case imports.PriceColumn, imports.StockColumn:
			v.Kinds = append(v.Kinds, "stock")
		default:
			v.Kinds = append(v.Kinds, "text")
		}
	}
	for _, row := range im.Rows {
		if row.Outcome != "" && len(v.First) < firstShown {
			v.First = append(v.First, used(row.Cells))
		}
	}
}

// leftRows adds the first rows that are left out.
func (p *Pages) leftRows(r *http.Request, v *importView, list imports.List, im imports.Import) {
	v.NameLabel = locale.T(r.Context(), columnsOf(list)[0].label)
	names := -1
	for i, column := range imports.ColumnsOf(list, p.words[list], im.Heads) {
		if column == imports.NameColumn {
			names = i
		}
	}
	for _, row := range im.Rows {
		if row.Outcome != "" {
			continue
		}
		if len(v.Left) == rowsShown {
			v.More = locale.T(r.Context(), "import.only_first", "num", rowsShown)
			return
		}
		left := leftRow{Line: locale.T(r.Context(), "import.unnamed", "num", row.Line)}
		if names >= 0 {
			left.Name = row.Cells[names]
		}
		for _, remark := range row.Remarks {
			left.Remarks = append(left.Remarks, p.remarkText(r, list, remark))
		}
		v.Left = append(v.Left, left)
	}
}

// remarkText says what is wrong with a row.
func (p *Pages) remarkText(r *http.Request, list imports.List, remark imports.Remark) string {
	ctx := r.Context()
	var text string
	switch {
	case remark.Problem == imports.RowTwice:
		text = locale.T(ctx, "problem.row_twice", "row", remark.Line)
	case remark.Problem != "":
		text = p.forms.ProblemText(r, remark.Problem)
	case remark.Refusal == access.PhoneRegistered:
		remark.Column, text = imports.PhoneColumn, p.forms.ProblemText(r, imports.HasAccount)
	default:
		return web.RefusalText(r, &access.Refused{Refusal: remark.Refusal})
	}
	for _, column := range columnsOf(list) {
		if column.Column == remark.Column {
			return locale.T(ctx, "import.remark_in", "column", locale.T(ctx, column.label), "text", text)
		}
	}
	return text
}
