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
	"time"

	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/limits"
	"portico/portal/products"
	"portico/portal/replay"
	"portico/store"
	"portico/store/searchkey"
)

const (
	// MostRows is how many rows a file may have, without the row of column names.
	MostRows = 1000
	// RunTime is how long an import may take. Rows that it does not reach by then are left out.
	RunTime = 20 * time.Second
	// FilesADay is how many files a company may send in a day.
	FilesADay = 100
)

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
)

// These problems are remarks on rows.
const (
	// Unreached says that the import ended before it came to the row.
	Unreached access.Problem = "row_unreached"
	// RowTwice says that a row above it, Remark.Line, has the same name, number or phone.
	RowTwice access.Problem = "row_twice"
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
	do      func(i *Imports, ctx context.Context, here access.Landing, in Input, row Row) (products.Outcome, error)
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

// Spelling returns the normal form of a word: words that people read as the same have the same Spelling.
func Spelling(word string) string { return searchkey.Of(word) }

// Words are what people write in files: the names of columns and of roles (store.TypeEmployee and so on), each by its
// Spelling.
type Words struct {
	Columns map[string]Column
	Roles   map[string]int64
}

// Input names a file that Read has read.
type Input struct {
	List  List
	Key   string
	Words Words
}

// Import is a file with what importing it will do to each row, or did if Ran is true.
type Import struct {
	Heads []string
	Rows  []Row
	Ran   bool
}

// Count returns how many rows have an outcome; "" counts the rows that are left out.
func (im Import) Count(outcome products.Outcome) (n int) {
	for _, row := range im.Rows {
		if row.Outcome == outcome {
			n++
		}
	}
	return n
}

// Row is a row of a file. Line is its number in the file, from 1. Outcome is "" for a row that is left out; Remarks say
// why.
type Row struct {
	Line    int
	Cells   []string
	Outcome products.Outcome `json:",omitempty"`
	Remarks []Remark         `json:",omitempty"`

	values map[Column]string
}

// Remark says what is wrong with a row: a Problem of the text in a column, or a Refusal. Line is of the other row of
// RowTwice.
type Remark struct {
	Column  Column         `json:",omitempty"`
	Problem access.Problem `json:",omitempty"`
	Refusal access.Refusal `json:",omitempty"`
	Line    int            `json:",omitempty"`
}

// Imports reads files and imports their rows. It is safe for concurrent use.
type Imports struct {
	db  *store.DB
	log *slog.Logger

	limits     *limits.Limits
	replay     *replay.Replay
	products   *products.Products
	backoffice *backoffice.Backoffice
	changes    backoffice.Changes
	reading    chan struct{} // one file is read at a time, because a malicious one takes much memory
}

// New makes an Imports from the settings of the installation and the districts below.
func New(
	o access.Platform, limits *limits.Limits, replay *replay.Replay, products *products.Products,
	office *backoffice.Backoffice,
) *Imports {
	return &Imports{
		db: o.DB, log: o.Log, limits: limits, replay: replay, products: products, backoffice: office,
		changes: backoffice.ChangesOf(office), reading: make(chan struct{}, 1),
	}
}

// Read reads a file and keeps its rows for replay.KeyKept. It returns the key for Import and Run, which depends on the
// id of the form and on the content: the same form with the same file leads to the same import. It refuses with
// Forbidden an account that may not import the list, with TooManyAttempts after FilesADay, and under "file" what is
// wrong with the file.
func (i *Imports) Read(
	ctx context.Context, here access.Landing, in Input, form string, body io.ReadSeeker,
) (key string, err error) {
	rule, err := i.rule(here, in.List)
	if err != nil {
		return "", err
	}
	if body == nil {
		return "", access.Invalid(access.Fields{"file": FileRequired})
	}
	company := access.Decimal(here.Member.CompanyID)
	if err := i.limits.CountUpTo(ctx, i.db, "imports:"+company, FilesADay, access.Day); err != nil {
		return "", err
	}
	file, err := i.readFile(ctx, rule, in.Words, body)
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
	sum := sha256.Sum256(content)
	in.Key = access.Truncated(form, access.MaxTyped) + "." + hex.EncodeToString(sum[:8])
	once := in.once(here, "file")
	once.Content = content
	_, err = i.replay.Once(ctx, once, func() ([]byte, error) { return content, nil })
	return in.Key, err
}

// Import says what Run will do to each row of a file, and changes nothing. After Run it says what Run did. It refuses
// as Read does, and with NotFound a file of another account, or one that was sent more than replay.KeyKept ago.
func (i *Imports) Import(ctx context.Context, here access.Landing, in Input) (Import, error) {
	rule, err := i.rule(here, in.List)
	if err != nil {
		return Import{}, err
	}
	result, err := i.replay.Answered(ctx, in.once(here, "rows"))
	if err == nil && result != nil {
		im := Import{}
		return im, json.Unmarshal(result, &im)
	}
	if err != nil {
		return Import{}, err
	}
	im, err := i.stored(ctx, here, rule, in)
	if err == nil {
		err = rule.check(i, ctx, here, in, im.Rows)
	}
	return im, err
}

// Run imports the rows without a mistake, each in a transaction of its own, and keeps the result for Import. A second
// call with the same file changes nothing. It refuses as Import does, and with NotAvailable while the first call runs.
func (i *Imports) Run(ctx context.Context, here access.Landing, in Input) error {
	rule, err := i.rule(here, in.List)
	if err != nil {
		return err
	}
	_, err = i.replay.Once(ctx, in.once(here, "rows"), func() ([]byte, error) {
		im, err := i.stored(ctx, here, rule, in)
		if err == nil {
			err = rule.check(i, ctx, here, in, im.Rows)
		}
		if err != nil {
			return nil, err
		}
		i.run(ctx, here, rule, in, im.Rows)
		im.Ran = true
		return json.Marshal(im)
	})
	return err
}

func (in Input) once(here access.Landing, what string) replay.OnceInput {
	return replay.OnceInput{
		Caller: "account " + access.Decimal(here.Member.ID), Path: "import " + string(in.List) + " " + what,
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

// stored reads the rows that Read has kept.
func (i *Imports) stored(ctx context.Context, here access.Landing, rule listRule, in Input) (im Import, err error) {
	content, err := i.replay.Answered(ctx, in.once(here, "file"))
	if err == nil && content == nil {
		err = access.NotFound
	}
	if err != nil {
		return im, err
	}
	if err := json.Unmarshal(content, &im); err != nil {
		return im, err
	}
	columns := columnsOf(rule, in.Words, im.Heads)
	for r := range im.Rows {
		row := &im.Rows[r]
		row.values = map[Column]string{}
		for c, text := range row.Cells {
			if column := columns[c]; column != "" {
				row.values[column] = withoutApostrophe(text)
			}
		}
	}
	return im, nil
}

// ColumnsOf returns the column that each head of a file names, "" for none.
func ColumnsOf(list List, words Words, heads []string) []Column {
	return columnsOf(listRules[list], words, heads)
}

// columnsOf returns the column of each head, "" for a head that names none or one that came before.
func columnsOf(rule listRule, words Words, heads []string) []Column {
	all, seen := make([]Column, len(heads)), map[Column]bool{}
	for i, head := range heads {
		column := words.Columns[searchkey.Of(head)]
		for _, known := range rule.columns {
			if column == known && !seen[column] {
				all[i], seen[column] = column, true
			}
		}
	}
	return all
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
				row.Outcome, row.Remarks = "", remarksOf(err)
				continue
			}
			broken = err
		}
		row.Outcome, row.Remarks = "", []Remark{{Problem: Unreached}}
	}
	store.RenewTime(ctx)
	if broken != nil {
		i.log.LogAttrs(ctx, slog.LevelError, "import broken off", slog.Any("error", broken),
			slog.String("list", string(in.List)), slog.Int("done", done))
	}
}

// remarksOf returns the remarks that a refusal makes.
func remarksOf(err error) (all []Remark) {
	if refused, ok := errors.AsType[*access.Refused](err); ok && len(refused.Fields) > 0 {
		return fieldRemarks(refused.Fields)
	}
	remark := Remark{}
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
