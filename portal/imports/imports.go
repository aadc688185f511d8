// Package imports imports customers, people and products from a spreadsheet. Read and Import check a file row by row.
// Run adds the rows without a mistake.
package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/shop"
	"portico/portal/spreadsheets"
	"portico/store"
	"portico/store/searchkey"
)

const (
	// MostRows is how many rows a file may have, without the row of column names.
	MostRows = 1000
	// RunTime is how long an import may take. Rows that it does not reach by then are left out.
	RunTime = 20 * time.Second
	// FilesADay is how many files a company may send in a day; TrialFilesADay is for companies on trial, and
	// SandboxFilesADay for those that somebody tries without registering, because anybody can have many of these.
	FilesADay        = 100
	TrialFilesADay   = 20
	SandboxFilesADay = 5
	// FreeFilesADay is how many files all companies of these two kinds may send together in a day, and
	// FreeLargeFilesADay how many of those may take more than SmallFile bytes when they are kept. It bounds what they
	// can make the database keep: some 500 MB.
	FreeFilesADay      = 4000
	FreeLargeFilesADay = 200
	SmallFile          = 64 << 10
	// ReadTime is how long reading a file may take, and ReadWait how long it waits for others to be read.
	ReadTime = 5 * time.Second
	ReadWait = 2 * time.Second
)

// readingRule says how many files are read at once. Each may take some 50 MB and a core.
var readingRule = core.Rule{All: 3, Each: 1, Kept: 1, Wait: ReadWait}

const (
	// FileRequired, FileUnreadable, FileOld and FileTooLarge say what is wrong with a file: there is none; it is no
	// spreadsheet; it is one of Excel 2003 or earlier, or has a password; it has too much text.
	FileRequired   access.Problem = "sheet_required"
	FileUnreadable access.Problem = "sheet_unreadable"
	FileOld        access.Problem = "sheet_old"
	FileTooLarge   access.Problem = "sheet_too_large"
	// RowsMissing, RowsTooMany and ColumnsMissing say that there is no row, that there are more than MostRows, and that
	// no row names the columns that every row needs.
	RowsMissing    access.Problem = "sheet_rows_missing"
	RowsTooMany    access.Problem = "sheet_rows_too_many"
	ColumnsMissing access.Problem = "sheet_columns_missing"
	// FileWebPage says that a file is a web page with the name of a spreadsheet.
	FileWebPage access.Problem = "sheet_web_page"
)

// These problems are remarks on rows.
const (
	// Unreached says that the import ended before it came to the row.
	Unreached access.Problem = "row_unreached"
	// RowTwice says that a row above it, Remark.Line, has the same name, number or phone.
	RowTwice access.Problem = "row_twice"
	// RowHidden says that the spreadsheet does not show the row.
	RowHidden access.Problem = "row_hidden"
	// CellError, CellDate, CellShortened, CellUncalculated and CellScaled say that a cell may not have the value that
	// was meant: it shows an error; it is a date; digits of its number are lost; its formula has no value in the file;
	// it shows thousands.
	CellError        access.Problem = "cell_error"
	CellDate         access.Problem = "cell_date"
	CellShortened    access.Problem = "cell_shortened"
	CellUncalculated access.Problem = "cell_uncalculated"
	CellScaled       access.Problem = "cell_scaled"
	// RoleUnknown says that a role is none of those that a person can have.
	RoleUnknown access.Problem = "role_unknown"
	// CustomerUnknown says that no partner of the company has the name of the row's customer.
	CustomerUnknown access.Problem = "customer_unknown"
	// HasAccount says that the phone has an account on that side of the company.
	HasAccount access.Problem = "phone_has_account"
)

// List is the name of a list that can be imported, as it is in addresses.
type List string

// The lists.
const (
	CustomerList List = "customers"
	PeopleList   List = "people"
	ProductList  List = "products"
)

// Lists are all lists that can be imported.
var Lists = []List{CustomerList, PeopleList, ProductList}

// Column is a column of a file that is imported. The pages have its names.
type Column string

// The columns.
const (
	NameColumn     Column = "name"
	ContactColumn  Column = "contact"
	PhoneColumn    Column = "phone"
	RoleColumn     Column = "role"
	CustomerColumn Column = "customer"
	LoginColumn    Column = "login"
	NumberColumn   Column = "number"
	CategoryColumn Column = "category"
	SpecColumn     Column = "spec"
	UnitColumn     Column = "unit"
	PriceColumn    Column = "price"
	StockColumn    Column = "stock"
)

// listRule says what the rows of a list are. The first columns, as many as needed, must be in the file.
type listRule struct {
	right   access.Right
	columns []Column
	needed  int
	check   func(i *Imports, ctx context.Context, here access.Landing, in Input, rows []Row) error
	do      func(i *Imports, ctx context.Context, here access.Landing, in Input, row Row) (shop.ImportOutcome, error)
}

var listRules = map[List]listRule{
	CustomerList: {
		access.RightManagePeople, []Column{NameColumn, ContactColumn, PhoneColumn}, 1, checkCustomers, addCustomer,
	},
	PeopleList: {
		access.RightManagePeople,
		[]Column{NameColumn, PhoneColumn, RoleColumn, CustomerColumn, LoginColumn}, 2, checkPeople, addPerson,
	},
	ProductList: {
		access.RightProducts,
		[]Column{NameColumn, NumberColumn, CategoryColumn, SpecColumn, UnitColumn, PriceColumn, StockColumn},
		1, checkProducts, addProduct,
	},
}

// Columns returns the columns of a list, those that a file needs first, and how many those are.
func Columns(list List) (all []Column, needed int) {
	return listRules[list].columns, listRules[list].needed
}

// RequireRight refuses with Forbidden an account that may not import a list.
func RequireRight(here access.Landing, list List) error {
	return access.RequireRight(here, listRules[list].right)
}

// Input names a file that Read has read, and what was chosen of it.
type Input struct {
	List    List
	Key     string
	Words   Words
	Choices Choices
}

// Choices are the answers to what a file leaves open. Sheet is the number of a sheet in Import.Sheets, from 1; 0 is the
// only one. Columns are the answers to Import.Questions: each the index of one of Question.Heads, or None.
type Choices struct {
	Sheet   int
	Columns map[Column]int
}

// Import is a file with what importing it will do to each row, or did if Ran is true. While Questions is not empty, or
// Sheet is 0, no row has an outcome and nothing can be imported.
type Import struct {
	// Sheets are the sheets of the file that have names of columns, and Sheet is the number of the one that is
	// imported, from 1. It is 0 when there are several and none is chosen.
	Sheets []SheetName
	Sheet  int
	// Others are the names of the sheets that have rows but no names of columns.
	Others []string
	// Heads are the names of the sheet's columns, in order. Used says which of them are imported.
	Heads []Head
	Used  []bool
	// Running are the indexes in Heads of the columns that only count the rows, and are not used for that.
	Running []int
	// Questions are what has to be answered before anything can be imported.
	Questions []Question
	Rows      []Row
	Sums      map[shop.ImportOutcome]int // how many rows have an outcome; "" is for those that are left out
	Ran       bool
}

// SheetName names a sheet, and says how many rows it has.
type SheetName struct {
	Name string
	Rows int
}

// Unanswered reports whether something has to be answered before the file can be imported.
func (im Import) Unanswered() bool { return im.Sheet == 0 || len(im.Questions) > 0 }

// count counts the rows by their outcomes.
func (im *Import) count() {
	im.Sums = map[shop.ImportOutcome]int{}
	for _, row := range im.Rows {
		im.Sums[row.Outcome]++
	}
}

// Row is a row of a file. Line is its number in the file, from 1. Cells are as many as the file has Heads; those of
// columns that no field has are empty. Outcome is "" for a row that is left out; Remarks say why.
type Row struct {
	Line    int
	Cells   []string
	Outcome shop.ImportOutcome `json:",omitempty"`
	Remarks []Remark           `json:",omitempty"`

	// Hidden says that the spreadsheet does not show the row, and Doubts why a cell, by its index, may not have the
	// value that was meant.
	Hidden bool                       `json:",omitempty"`
	Doubts map[int]spreadsheets.Doubt `json:",omitempty"`

	values map[Column]string
}

// Stored returns the value of a column as importing the row stores it.
func (r Row) Stored(column Column) string {
	value := r.values[column]
	switch column {
	case PhoneColumn:
		if phone, ok := access.NormalPhone(value); ok {
			return phone
		}
	case PriceColumn:
		if cents, problem := shop.ReadPrice(value); problem == "" {
			return shop.PriceText(cents)
		}
	case StockColumn:
		if stock, ok := shop.ReadStock(value); ok {
			return access.Decimal(stock)
		}
	}
	return strings.TrimSpace(searchkey.Visible(value))
}

// remark adds remarks to a row, for each column one.
func (r *Row) remark(remarks ...Remark) {
	for _, remark := range remarks {
		has := func(other Remark) bool { return remark.Column != "" && other.Column == remark.Column }
		if !slices.ContainsFunc(r.Remarks, has) {
			r.Remarks = append(r.Remarks, remark)
		}
	}
	if len(r.Remarks) > 0 {
		r.Outcome = ""
	}
}

// Remark says what is wrong with a row: a Problem of the text in a column, or a Refusal, which ends after Wait if that
// is not 0. Line is of the other row of RowTwice.
type Remark struct {
	Column  Column         `json:",omitempty"`
	Problem access.Problem `json:",omitempty"`
	Refusal access.Refusal `json:",omitempty"`
	Wait    time.Duration  `json:",omitempty"`
	Line    int            `json:",omitempty"`
}

// Imports reads files and imports their rows. It is safe for concurrent use.
type Imports struct {
	core *core.Core

	shop    *shop.Shop
	office  *office.Backoffice
	reading *core.Turns // a forged file takes much memory and time
}

// New makes an Imports.
func New(c *core.Core, shop *shop.Shop, office *office.Backoffice) *Imports {
	return &Imports{
		core: c, shop: shop, office: office, reading: core.NewTurns(readingRule),
	}
}

// Read reads a file and keeps its rows for core.KeyKept, or until they are imported. It returns the key for Import
// and Run, which depends on the id of the form and on the content: the same form with the same file leads to the same
// import. It refuses with Forbidden an account that may not import the list, with TooManyAttempts after FilesADay (or
// TrialFilesADay, SandboxFilesADay), with NotAvailable when too many files are being read, and under "file" what is
// wrong with the file.
func (i *Imports) Read(
	ctx context.Context, here access.Landing, in Input, form string, body io.ReadSeeker,
) (key string, err error) {
	if _, err := i.rule(here, in.List); err != nil {
		return "", err
	}
	if body == nil {
		return "", access.Invalid(access.Fields{"file": FileRequired})
	}
	if err := i.countFile(ctx, here); err != nil {
		return "", err
	}
	file, err := i.readFile(ctx, here, in, body)
	if err != nil {
		return "", err
	}
	content, err := json.Marshal(file)
	if err != nil {
		return "", err
	}
	if len(content) > mostStored {
		return "", access.Invalid(access.Fields{"file": FileTooLarge})
	}
	if err := i.countFree(ctx, here, len(content)); err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	in.Key = access.Truncated(form, access.MaxTyped) + "." + hex.EncodeToString(sum[:8])
	once := in.fileOnce(here)
	once.Content = content
	_, err = i.core.Replay.Once(ctx, once, func() ([]byte, error) { return content, nil })
	return in.Key, err
}

// countFile counts a file against the limits of its company.
func (i *Imports) countFile(ctx context.Context, here access.Landing) error {
	company, most := here.Member.Company, FilesADay
	switch {
	case company.Sandbox:
		most = SandboxFilesADay
	case core.IsFree(company):
		most = TrialFilesADay
	}
	return i.core.Limits.CountUpTo(ctx, i.core.DB, "imports:"+access.Decimal(company.ID), most, access.Day)
}

// countFree counts a file of so many bytes against the limits of all companies without a contract together.
func (i *Imports) countFree(ctx context.Context, here access.Landing, size int) error {
	if !core.IsFree(here.Member.Company) {
		return nil
	}
	key, most := "imports:free", FreeFilesADay
	if size > SmallFile {
		key, most = "imports:free-large", FreeLargeFilesADay
	}
	return i.core.Limits.CountUpTo(ctx, i.core.DB, key, most, access.Day)
}

// Import says what Run will do to each row of a file, and changes nothing. After Run it says what Run did; then Rows
// are those that were left out. It refuses as Read does, and with NotFound a file of another account, or one that was
// sent more than core.KeyKept ago.
func (i *Imports) Import(ctx context.Context, here access.Landing, in Input) (Import, error) {
	rule, err := i.rule(here, in.List)
	if err != nil {
		return Import{}, err
	}
	result, err := i.core.Replay.StoredAnswer(ctx, in.runOnce(here))
	if err == nil && result != nil {
		im := Import{}
		return im, json.Unmarshal(result, &im)
	}
	if err != nil {
		return Import{}, err
	}
	return i.checked(ctx, here, rule, in)
}

// checked returns a file as it was read, with what importing it would do to each row.
func (i *Imports) checked(ctx context.Context, here access.Landing, rule listRule, in Input) (Import, error) {
	im, err := i.stored(ctx, here, rule, in)
	if err != nil || im.Unanswered() {
		return im, err
	}
	if err := rule.check(i, ctx, here, in, im.Rows); err != nil {
		return im, err
	}
	im.count()
	return im, nil
}

// Run imports the rows without a mistake, each in a transaction of its own, and keeps the rows that it left out for
// Import. A second call with the same file and choices changes nothing. It refuses as Import does, with NotAvailable
// while the first call runs, and with WrongParameters while something has to be answered first.
func (i *Imports) Run(ctx context.Context, here access.Landing, in Input) error {
	rule, err := i.rule(here, in.List)
	if err != nil {
		return err
	}
	sheets := 0
	_, err = i.core.Replay.Once(ctx, in.runOnce(here), func() ([]byte, error) {
		im, err := i.checked(ctx, here, rule, in)
		if err == nil && im.Unanswered() {
			err = &access.Refused{Refusal: access.WrongParameters}
		}
		if err != nil {
			return nil, err
		}
		sheets = len(im.Sheets)
		i.run(ctx, here, rule, in, im.Rows)
		im.Ran = true
		im.count()
		im.Rows = slices.DeleteFunc(im.Rows, func(row Row) bool { return row.Outcome != "" })
		return json.Marshal(im)
	})
	if err == nil && sheets == 1 {
		// it goes in a day anyway
		if err := i.core.Replay.Forget(store.AfterRequest(ctx), in.fileOnce(here)); err != nil {
			i.core.Log.LogAttrs(ctx, slog.LevelWarn, "imported file not removed", slog.Any("error", err))
		}
	}
	return err
}

// fileOnce is the place of a file's rows, and runOnce that of what was done with them.
func (in Input) fileOnce(here access.Landing) core.OnceInput { return in.once(here, "file") }

func (in Input) runOnce(here access.Landing) core.OnceInput {
	what := "rows"
	if in.Choices.Sheet > 0 {
		what += " of sheet " + strconv.Itoa(in.Choices.Sheet)
	}
	return in.once(here, what)
}

// once is the place of something about a file. What the versions before these choices kept has another shape, and
// another path: it is no longer found.
func (in Input) once(here access.Landing, what string) core.OnceInput {
	return core.OnceInput{
		Caller: "account " + access.Decimal(here.Member.ID), Path: "import of " + string(in.List) + ", " + what,
		Key: access.Truncated(in.Key, 2*access.MaxTyped),
	}
}

// rule returns the rule of a list that an account may import.
func (i *Imports) rule(here access.Landing, list List) (listRule, error) {
	rule, ok := listRules[list]
	if !ok {
		return rule, access.NotFound
	}
	return rule, access.RequireRight(here, rule.right)
}

// keptFile is a file as Read keeps it.
type keptFile struct {
	Sheets []keptSheet
	Others []string `json:",omitempty"`
}

// keptSheet is a sheet of a file. Only the cells of columns that may be imported are kept.
type keptSheet struct {
	Name  string
	Heads heads
	Rows  []Row
}

// stored reads the rows that Read has kept.
func (i *Imports) stored(ctx context.Context, here access.Landing, rule listRule, in Input) (im Import, err error) {
	content, err := i.core.Replay.StoredAnswer(ctx, in.fileOnce(here))
	if err == nil && content == nil {
		err = access.NotFound
	}
	if err != nil {
		return im, err
	}
	var file keptFile
	if err := json.Unmarshal(content, &file); err != nil {
		return im, err
	}
	im.Others = file.Others
	for _, sheet := range file.Sheets {
		im.Sheets = append(im.Sheets, SheetName{sheet.Name, len(sheet.Rows)})
	}
	switch chosen := in.Choices.Sheet; {
	case len(file.Sheets) == 1:
		im.Sheet = 1
	case chosen >= 1 && chosen <= len(file.Sheets):
		im.Sheet = chosen
	default:
		return im, nil
	}
	sheet := file.Sheets[im.Sheet-1]
	im.Heads, im.Rows = sheet.Heads, sheet.Rows
	running := runningNumbers(sheet.Heads, sheet.Rows)
	chosen, questions := sheet.Heads.choose(rule, in.Choices.Columns, running)
	im.Questions, im.Used = questions, make([]bool, len(sheet.Heads))
	for _, column := range rule.columns {
		heads := chosen[column]
		for _, h := range heads {
			im.Used[h] = true
			delete(running, h)
		}
		for r := range im.Rows {
			im.Rows[r].take(column, heads, sheet.Heads)
		}
	}
	for h, isRunning := range running {
		if isRunning {
			im.Running = append(im.Running, h)
		}
	}
	for r := range im.Rows {
		if im.Rows[r].Hidden {
			im.Rows[r].Remarks = []Remark{{Problem: RowHidden}}
		}
	}
	return im, nil
}

// doubtProblems are the problems of cells that may not have the value that was meant.
var doubtProblems = map[spreadsheets.Doubt]access.Problem{
	spreadsheets.ErrorValue: CellError, spreadsheets.DateValue: CellDate, spreadsheets.Shortened: CellShortened,
	spreadsheets.Uncalculated: CellUncalculated, spreadsheets.Scaled: CellScaled,
}

// take gives a row the value of a column. Of several columns with phones it takes the first cell that has one.
func (r *Row) take(column Column, from []int, names heads) {
	if r.values == nil {
		r.values = map[Column]string{}
	}
	best := -1
	for _, i := range from {
		if r.Cells[i] == "" && r.Doubts[i] == "" {
			continue
		}
		_, isPhone := access.NormalPhone(r.Cells[i])
		if best < 0 || isPhone {
			best = i
		}
		if isPhone {
			break
		}
	}
	if best < 0 {
		return
	}
	text := r.Cells[best]
	if sign := names[best].Currency; sign != "" && text != "" {
		text += " " + sign
	}
	r.values[column] = text
	if problem := doubtProblems[r.Doubts[best]]; problem != "" {
		r.remark(Remark{Column: column, Problem: problem})
	}
}

// run imports rows, one after the other. It continues after the browser has disconnected, so that the stored result
// says of every row whether it was imported. When the database fails, the remaining rows are Unreached.
func (i *Imports) run(ctx context.Context, here access.Landing, rule listRule, in Input, rows []Row) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RunTime)
	defer cancel()
	var broken error
	done := 0
	for r := range rows {
		row := &rows[r]
		if len(row.Remarks) > 0 {
			continue
		}
		if broken == nil {
			store.RenewTime(ctx)
			var err error
			if row.Outcome, err = rule.do(i, ctx, here, in, *row); err == nil {
				done++
				continue
			}
			if access.IsRefused(err) {
				row.remark(remarksOf(err)...)
				continue
			}
			broken = err
		}
		row.Outcome, row.Remarks = "", []Remark{{Problem: Unreached}}
	}
	store.RenewTime(ctx)
	if broken != nil {
		i.core.Log.LogAttrs(ctx, slog.LevelError, "import broken off", slog.Any("error", broken),
			slog.String("list", string(in.List)), slog.Int("done", done))
	}
}

// remarksOf returns the remarks that a refusal makes.
func remarksOf(err error) (all []Remark) {
	remark := Remark{}
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		if len(refused.Fields) > 0 {
			return fieldRemarks(refused.Fields)
		}
		remark.Wait = refused.Wait
	}
	_ = errors.As(err, &remark.Refusal)
	return []Remark{remark}
}

// fieldColumns are the columns of the fields that the operations refuse, in the order of the remarks.
var fieldColumns = []struct {
	field  string
	column Column
}{
	{"name", NameColumn}, {"number", NumberColumn}, {"contact", ContactColumn}, {"phone", PhoneColumn},
	{"type", RoleColumn}, {"client_id", CustomerColumn}, {"client_name", CustomerColumn}, {"login", LoginColumn},
	{"category", CategoryColumn}, {"spec", SpecColumn}, {"unit", UnitColumn}, {"price", PriceColumn},
	{"stock", StockColumn},
}

// fieldRemarks returns the problems of fields as remarks.
func fieldRemarks(fields access.Fields) (all []Remark) {
	for _, f := range fieldColumns {
		if problem := fields[f.field]; problem != "" {
			all = append(all, Remark{Column: f.column, Problem: problem})
		}
	}
	return all
}
