package imports

import (
	"net/http"
	"strings"

	"portico/locale"
	"portico/pages/request"
	"portico/pages/sheets"
	"portico/pages/site"
	"portico/portal/access"
	"portico/portal/imports"
)

// ShowEmpty answers GET /{list}/import/empty.xlsx: a file with nothing but the names of the columns.
func (p *Pages) ShowEmpty(list imports.List) site.Landed {
	return func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		if err := imports.RequireRight(here, list); err != nil {
			return err
		}
		var heads []any
		for _, column := range columnsOf(list) {
			heads = append(heads, locale.T(r.Context(), column.label))
		}
		return writeFile(w, string(list), [][]any{heads})
	}
}

// ShowRemarks answers GET /{list}/import/remarks.xlsx: the rows of a file with a column of remarks. After the import
// they are the rows that were left out.
func (p *Pages) ShowRemarks(list imports.List) site.Landed {
	return func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		im, err := p.portal.Imports.Import(r.Context(), here, p.input(list, r.URL.Query().Get("file")))
		if err != nil {
			return err
		}
		rows := [][]any{fileRow(im.Heads, locale.T(r.Context(), "import.remark"))}
		for _, row := range im.Rows {
			if im.Ran && row.Outcome != "" {
				continue
			}
			var remarks []string
			for _, remark := range row.Remarks {
				remarks = append(remarks, p.remarkText(r, list, remark))
			}
			rows = append(rows, fileRow(row.Cells, strings.Join(remarks, " ")))
		}
		return writeFile(w, string(list)+"-remarks-"+request.Decimal(here.Member.CompanyID), rows)
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

// writeFile answers an Excel file.
func writeFile(w http.ResponseWriter, name string, rows [][]any) error {
	file, err := sheets.NewFile(w)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := file.Row(row); err != nil {
			return err
		}
	}
	sheets.SetHeader(w, sheets.Excel, name)
	return file.End()
}
