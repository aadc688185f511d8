package imports

import (
	"context"
	"errors"
	"io"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/spreadsheets"
)

const (
	// mostColumns and mostCell are how many columns are read, and how many bytes of a cell.
	mostColumns = 30
	mostCell    = 600
	// mostText is how large the texts of a file may be together, in bytes, and mostStored those that are kept of it.
	mostText   = 8 << 20
	mostStored = 1 << 20
	// headsWithin is in how many rows the names of the columns are looked for.
	headsWithin = 10
)

// fileProblems are the problems of files that cannot be read.
var fileProblems = map[error]access.Problem{
	spreadsheets.ErrUnreadable: FileUnreadable, spreadsheets.ErrOld: FileOld, spreadsheets.ErrWebPage: FileWebPage,
	spreadsheets.ErrTooLarge: FileTooLarge, spreadsheets.ErrTooManyRows: RowsTooMany,
}

// readFile reads the rows of a spreadsheet, when it is the company's turn.
func (i *Imports) readFile(
	ctx context.Context, here access.Landing, in Input, body io.Reader,
) (kept keptFile, err error) {
	done, err := i.reading.Take(ctx, core.TakerOf(here))
	if err != nil {
		return kept, err
	}
	defer done()
	content, err := io.ReadAll(io.LimitReader(body, access.MaxUpload+1))
	if err != nil {
		return kept, err
	}
	if len(content) > access.MaxUpload {
		return kept, access.Invalid(access.Fields{"file": FileTooLarge})
	}
	inTime, cancel := context.WithTimeoutCause(ctx, ReadTime, spreadsheets.ErrTooLarge)
	defer cancel()
	file, err := spreadsheets.Read(inTime, content, spreadsheets.Wanted{
		Score: func(cells []string) int {
			return heads(HeadsOf(in.List, in.Words, cells)).score(listRules[in.List])
		},
		Rows: MostRows, HeadsWithin: headsWithin, Columns: mostColumns, CellBytes: mostCell, Bytes: mostText,
	})
	if inTime.Err() != nil && ctx.Err() == nil {
		err = context.Cause(inTime)
	}
	for known, problem := range fileProblems {
		if errors.Is(err, known) {
			return kept, access.Invalid(access.Fields{"file": problem})
		}
	}
	if err != nil {
		return kept, err
	}
	kept = keptFile{Others: file.Others}
	for _, table := range file.Tables {
		if sheet := keep(HeadsOf(in.List, in.Words, table.Heads), table); len(sheet.Rows) > 0 {
			kept.Sheets = append(kept.Sheets, sheet)
		}
	}
	if len(kept.Sheets) > 0 {
		return kept, nil
	}
	missing := ColumnsMissing
	if file.Empty || len(file.Tables) > 0 {
		missing = RowsMissing
	}
	return kept, access.Invalid(access.Fields{"file": missing})
}

// keep returns what is kept of a table: the cells of columns that may be imported.
func keep(names heads, table spreadsheets.Table) keptSheet {
	sheet := keptSheet{Name: table.Sheet, Heads: names}
	for _, from := range table.Rows {
		row := Row{Line: from.Line, Hidden: from.Hidden, Cells: make([]string, len(names))}
		for i, cell := range from.Cells {
			switch names[i].Column {
			case "":
				continue
			case PhoneColumn, PriceColumn, StockColumn:
				row.Cells[i] = cell.Text
				if cell.Number != "" { // not as it is shown
					row.Cells[i] = cell.Number
				}
			default:
				row.Cells[i] = cell.Text
			}
			if cell.Doubt != "" {
				if row.Doubts == nil {
					row.Doubts = map[int]spreadsheets.Doubt{}
				}
				row.Doubts[i] = cell.Doubt
			}
		}
		sheet.Rows = append(sheet.Rows, row)
	}
	return sheet
}
