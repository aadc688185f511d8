// Package imports has the pages on which staff import customers, people and products from a spreadsheet.
package imports

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/imports"
	"portico/portal/shop"
)

// Pages imports files.
type Pages struct {
	portal *portal.Portal
	path   string
	words  map[imports.List]imports.Words

	web     *web.Web
	forms   *forms.Pages
	uploads *uploads.Pages
	site    *site.Site
}

// New returns the Pages of one program.
func New(portal *portal.Portal, web *web.Web, forms *forms.Pages, uploads *uploads.Pages, site *site.Site) *Pages {
	return &Pages{
		portal: portal, path: site.Path(), words: words(), web: web, forms: forms, uploads: uploads,
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
	Running             string // the names of columns that only count the rows, "" for none
	Sheet, Sheets       string // which sheet it is and the page that chooses another, each "" for none
	Unread              string // the names of sheets that are not read, "" for none
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
	Path, Token, Button string // Button is "" when there is nothing to import
	Hidden              []forms.Hidden
}

// questionView is the page that asks what a file leaves open.
type questionView struct {
	List, Back, Heading, Body string
	Path, Another             string
	Hidden                    []forms.Hidden
	Questions                 []questionField
}

type (
	// questionField is a question with its possible answers.
	questionField struct {
		Name, Label string
		Choices     []questionChoice
	}
	questionChoice struct{ Value, Label, Hint string }
)

// leftRow is a row that is left out.
type leftRow struct {
	Line    string
	Name    string
	Remarks []string
}

// Form mounts the page on which a file for a list is chosen, and which shows what it would do.
func (p *Pages) Form(r chi.Router, path string, list imports.List) {
	show := func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		if query := r.URL.Query(); query.Get("file") != "" {
			return p.showImport(w, r, here, p.input(list, query))
		}
		return p.renderChoose(w, r, here, list, shop.NewForm(), nil)
	}
	view := func(w http.ResponseWriter, r *http.Request, here access.Landing, _ *uploads.FormFile) error {
		return p.renderChoose(w, r, here, list, r.PostForm.Get("form"), nil)
	}
	submit := func(w http.ResponseWriter, r *http.Request, here access.Landing, f *uploads.FormFile) error {
		return p.submitFile(w, r, here, list, f)
	}
	p.uploads.FilePage(r, path, p.uploads.AdmitSignedIn, p.site.FilePage(site.FilePage{
		Show: show, View: view, Submit: submit,
	}))
}

// input reads from an address or a form which file is meant, and what was chosen of it.
func (p *Pages) input(list imports.List, from url.Values) imports.Input {
	in := imports.Input{List: list, Key: from.Get("file"), Words: p.words[list]}
	in.Choices.Sheet, _ = strconv.Atoi(from.Get("sheet"))
	for _, column := range columnsOf(list) {
		if head, err := strconv.Atoi(from.Get(string(column.Column))); err == nil {
			if in.Choices.Columns == nil {
				in.Choices.Columns = map[imports.Column]int{}
			}
			in.Choices.Columns[column.Column] = head
		}
	}
	return in
}

// hidden are the fields that input reads.
func hidden(in imports.Input) []forms.Hidden {
	all := []forms.Hidden{{Name: "file", Value: in.Key}}
	if in.Choices.Sheet > 0 {
		all = append(all, forms.Hidden{Name: "sheet", Value: strconv.Itoa(in.Choices.Sheet)})
	}
	for _, column := range columnsOf(in.List) {
		if head, ok := in.Choices.Columns[column.Column]; ok {
			all = append(all, forms.Hidden{Name: string(column.Column), Value: strconv.Itoa(head)})
		}
	}
	return all
}

// submitFile reads a file and leads to what it would do.
func (p *Pages) submitFile(
	w http.ResponseWriter, r *http.Request, here access.Landing, list imports.List, f *uploads.FormFile,
) error {
	form := r.PostForm.Get("form")
	in := p.input(list, nil)
	var err error
	in.Key, err = p.portal.Imports.Read(r.Context(), here, in, form, f.Content())
	refused, err := forms.RefusedOf(err)
	if err != nil {
		return err
	}
	if refused != nil {
		return p.renderChoose(w, r, here, list, form, refused)
	}
	return web.SeeOther(w, p.address(in))
}

// address returns the address of the page about a file.
func (p *Pages) address(in imports.Input) string {
	return p.path + "/" + string(in.List) + "/import?" + query(in)
}

// query is what input reads, in an address.
func query(in imports.Input) string {
	values := url.Values{}
	for _, field := range hidden(in) {
		values.Set(field.Name, field.Value)
	}
	return values.Encode()
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

// RunForm is the form /{list}/import/run, which imports a file and leads to the result. The page of the file shows it.
func (p *Pages) RunForm(list imports.List) site.FormPage {
	return site.FormPage{
		View: func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
			return p.showImport(w, r, here, p.input(list, r.PostForm))
		},
		Submit: func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
			in := p.input(list, r.PostForm)
			err := p.portal.Imports.Run(r.Context(), here, in)
			if errors.Is(err, access.NotFound) {
				return p.renderGone(w, r, here, list)
			}
			if err != nil {
				return err
			}
			return web.SeeOther(w, p.address(in))
		},
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
	if im.Unanswered() {
		return p.renderQuestions(w, r, here, in, im)
	}
	ctx, path := r.Context(), p.path+"/"+string(in.List)
	adds, changes := im.Sums[shop.Adds], im.Sums[shop.Changes]
	v := importView{
		List: locale.T(ctx, "office."+string(in.List)), Back: path, Path: path + "/import/run",
		Token: p.web.FormToken(r), Hidden: hidden(in), Another: path + "/import",
		See:     locale.T(ctx, "import.see_"+string(in.List)),
		Heading: locale.T(ctx, "import.ask", "num", adds+changes),
	}
	v.Used, v.Unused, v.Running = usedColumns(ctx, im)
	p.addSheets(ctx, &v, in, im)
	for _, sum := range []struct {
		key, kind string
		n         int
	}{
		{"import.sum_adds", "ok", adds}, {"import.sum_changes", "ok", changes},
		{"import.sum_keeps", "", im.Sums[shop.Keeps]},
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
	if im.Sums[""] > 0 {
		v.Note = locale.T(ctx, note, "num", im.Sums[""])
		v.Remarks = path + "/import/remarks.xlsx?" + query(in)
	}
	p.leftRows(r, &v, in.List, im)
	if !im.Ran {
		firstRows(&v, im)
	}
	return p.renderImport(w, r, here, path, query(in), v)
}

// addSheets names the sheet that is imported, if the file has others, and the sheets that are not read.
func (p *Pages) addSheets(ctx context.Context, v *importView, in imports.Input, im imports.Import) {
	if len(im.Others) > 0 {
		v.Unread = locale.T(ctx, "import.sheets_unread", "names", strings.Join(im.Others, ", "))
	}
	name := im.Sheets[im.Sheet-1].Name
	if len(im.Sheets) < 2 {
		if name != "" && len(im.Others) > 0 {
			v.Sheet = locale.T(ctx, "import.sheet", "name", name)
		}
		return
	}
	v.Sheet = locale.T(ctx, "import.sheet", "name", name)
	in.Choices = imports.Choices{}
	v.Sheets = p.address(in)
}

// renderQuestions asks what a file leaves open: which sheet, and which of several columns.
func (p *Pages) renderQuestions(
	w http.ResponseWriter, r *http.Request, here access.Landing, in imports.Input, im imports.Import,
) error {
	ctx, path := r.Context(), p.path+"/"+string(in.List)
	for _, question := range im.Questions { // an answer that was none must not stand before the next one
		delete(in.Choices.Columns, question.Column)
	}
	if im.Sheet == 0 {
		in.Choices.Sheet = 0
	}
	v := questionView{
		List: locale.T(ctx, "office."+string(in.List)), Back: path, Path: path + "/import", Hidden: hidden(in),
		Heading: locale.T(ctx, "import.ask_columns"), Body: locale.T(ctx, "import.ask_columns_body"),
		Another: path + "/import",
	}
	if im.Sheet == 0 {
		v.Heading, v.Body = locale.T(ctx, "import.ask_sheet"), locale.T(ctx, "import.ask_sheet_body")
		question := questionField{Name: "sheet", Label: locale.T(ctx, "import.ask_sheet_label")}
		for i, sheet := range im.Sheets {
			question.Choices = append(question.Choices, questionChoice{
				Value: strconv.Itoa(i + 1), Label: sheet.Name,
				Hint: locale.T(ctx, "import.sheet_rows", "num", sheet.Rows),
			})
		}
		v.Questions = append(v.Questions, question)
	}
	for _, question := range im.Questions {
		v.Questions = append(v.Questions, columnQuestion(ctx, in.List, im, question))
	}
	return p.web.Render(w, r, http.StatusOK, p.shell(r, here, path, query(in)), questionPage(v))
}

// columnQuestion asks which column of a file is meant. Its choices show what the first rows have there.
func columnQuestion(
	ctx context.Context, list imports.List, im imports.Import, question imports.Question,
) questionField {
	field := questionField{Name: string(question.Column)}
	for _, column := range columnsOf(list) {
		if column.Column == question.Column {
			field.Label = locale.T(ctx, column.label)
		}
	}
	for _, i := range question.Heads {
		var first []string
		for _, row := range im.Rows {
			if row.Cells[i] != "" && len(first) < firstShown {
				first = append(first, row.Cells[i])
			}
		}
		field.Choices = append(field.Choices, questionChoice{
			Value: strconv.Itoa(i), Label: im.Heads[i].Text, Hint: strings.Join(first, ", "),
		})
	}
	none := questionChoice{Value: strconv.Itoa(imports.None), Label: locale.T(ctx, "import.no_column")}
	if len(question.Heads) == 1 { // it is asked whether the numbers are those of products
		none.Hint = locale.T(ctx, "import.only_counts")
	}
	field.Choices = append(field.Choices, none)
	return field
}

// renderGone says that a file is no longer kept.
func (p *Pages) renderGone(w http.ResponseWriter, r *http.Request, here access.Landing, list imports.List) error {
	ctx, path := r.Context(), p.path+"/"+string(list)
	return p.renderImport(w, r, here, path, "", importView{
		List: locale.T(ctx, "office."+string(list)), Back: path, Heading: locale.T(ctx, "import.gone"),
		Note: locale.T(ctx, "import.gone_body"), Another: path + "/import", Gone: true,
	})
}

func (p *Pages) renderImport(
	w http.ResponseWriter, r *http.Request, here access.Landing, path, query string, v importView,
) error {
	status := http.StatusOK
	if v.Gone {
		status = http.StatusNotFound
	}
	return p.web.Render(w, r, status, p.shell(r, here, path, query), importPage(v))
}

// shell returns what is around a page about a file. query names the file in the links to the page in another language,
// "" for none.
func (p *Pages) shell(r *http.Request, here access.Landing, path, query string) components.Shell {
	shell := p.site.Frame(r, here, path)
	shell.Query = query
	return shell
}

// firstRows adds the first rows to be imported, as they will be stored, so that people see which column each text came
// from and how it was read.
func firstRows(v *importView, im imports.Import) {
	var columns []imports.Column
	for i, head := range im.Heads {
		if !im.Used[i] || slices.Contains(columns, head.Column) {
			continue
		}
		columns = append(columns, head.Column)
		v.Heads = append(v.Heads, head.Text)
		kind := "text"
		if head.Column == imports.PriceColumn || head.Column == imports.StockColumn {
			kind = "stock"
		}
		v.Kinds = append(v.Kinds, kind)
	}
	for _, row := range im.Rows {
		if row.Outcome == "" || len(v.First) == firstShown {
			continue
		}
		var cells []string
		for _, column := range columns {
			cells = append(cells, row.Stored(column))
		}
		v.First = append(v.First, cells)
	}
}

// usedCells returns the cells of a row that are imported.
func usedCells(im imports.Import, row imports.Row) (all []string) {
	for i, text := range row.Cells {
		if im.Used[i] {
			all = append(all, text)
		}
	}
	return all
}

// leftRows adds the first rows that are left out.
func (p *Pages) leftRows(r *http.Request, v *importView, list imports.List, im imports.Import) {
	v.NameLabel = locale.T(r.Context(), columnsOf(list)[0].label)
	names := -1
	for i, head := range im.Heads {
		if head.Column == imports.NameColumn && im.Used[i] {
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
		return web.RefusalText(r, &access.Refused{Refusal: remark.Refusal, Wait: remark.Wait})
	}
	for _, column := range columnsOf(list) {
		if column.Column == remark.Column {
			return locale.T(ctx, "import.remark_in", "column", locale.T(ctx, column.label), "text", text)
		}
	}
	return text
}
