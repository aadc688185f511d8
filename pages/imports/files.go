package imports

import (
	"context"
	"net/http"
	"strings"

	"portico/locale"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/imports"
	"portico/portal/spreadsheets"
)

// ShowEmpty answers GET /{list}/import/empty.xlsx: a file with nothing but the names of the columns.
func (p *Pages) ShowEmpty(list imports.List) site.Landed {
	return func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		if err := imports.RequireRight(here, list); err != nil {
			return err
		}
		var columns []spreadsheets.Column
		for _, column := range columnsOf(list) {
			columns = append(columns, web.ColumnOf(r.Context(), column.label))
		}
		return writeFile(w, string(list), columns, nil)
	}
}

// ShowRemarks answers GET /{list}/import/remarks.xlsx: the rows of a file with a column of remarks, and those columns
// that are imported. After the import they are the rows that were left out.
func (p *Pages) ShowRemarks(list imports.List) site.Landed {
	return func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		im, err := p.portal.Imports.Import(r.Context(), here, p.input(list, r.URL.Query()))
		if err != nil {
			return err
		}
		if im.Unanswered() {
			return access.NotFound
		}
		columns := []spreadsheets.Column{{
			Head: locale.T(r.Context(), "import.remark"), Width: 3 * spreadsheets.DefaultWidth,
		}}
		for i, head := range im.Heads {
			if im.Used[i] {
				columns = append(columns, fileColumn(r.Context(), list, head))
			}
		}
		var rows [][]any
		for _, row := range im.Rows {
			var remarks []string
			for _, remark := range row.Remarks {
				remarks = append(remarks, p.remarkText(r, list, remark))
			}
			rows = append(rows, fileRow(usedCells(im, row), strings.Join(remarks, " ")))
		}
		return writeFile(w, string(list)+"-remarks-"+web.Decimal(here.Member.CompanyID), columns, rows)
	}
}

// fileRow returns the cells of a row. Its remark stands first, where it is seen in a wide sheet, too.
func fileRow(cells []string, remark string) []any {
	all := []any{remark}
	for _, text := range cells {
		all = append(all, text)
	}
	return all
}

// fileColumn returns the column of the file with remarks that has the cells below a name of the file that was sent.
func fileColumn(ctx context.Context, list imports.List, head imports.Head) spreadsheets.Column {
	for _, column := range columnsOf(list) {
		if column.Column == head.Column {
			made := web.ColumnOf(ctx, column.label)
			made.Head = head.Text
			return made
		}
	}
	return spreadsheets.Column{Head: head.Text}
}

// writeFile answers an Excel file.
func writeFile(w http.ResponseWriter, name string, columns []spreadsheets.Column, rows [][]any) error {
	web.SetHeader(w, web.Excel, name)
	file, err := web.NewFile(w, columns)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := file.Row(row); err != nil {
			return err
		}
	}
	return file.End()
}
