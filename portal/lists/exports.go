package lists

import (
	"context"
	"slices"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/regions"
	"portico/portal/samples"
	"portico/store"
	"portico/store/lists"
)

// exportRule says how many exports are written at once. Further ones are refused before they begin, because an export
// that breaks off has to be started again. Each keeps the rows of one step in memory, and may wait for a slow browser.
var exportRule = core.Rule{All: 32, Each: 2, Kept: 8, Wait: 2 * time.Second}

// linesStep is how many orders an export reads the lines of at a time. An order has up to as many lines as a cart.
const linesStep = 100

// OrderRecord is an order with its lines, as an export has it.
type OrderRecord struct {
	store.Order
	Lines []lists.OrderLine
}

// CustomerRecord is a customer in an export, with how to reach it. Phone is whole for readers with RightManagePeople
// and masked for others. Region is the province, the city and the district.
type CustomerRecord struct {
	store.Client
	Phone, ContactPhone, Region, Address string
}

// orderRecords reads the lines of orders, some orders at a time.
func (l *Lists) orderRecords(
	ctx context.Context, here access.Landing, lang string, rows []store.Order, each func([]OrderRecord) error,
) error {
	words := samples.WordsFor(here.Member.Company, lang)
	for some := range slices.Chunk(rows, linesStep) {
		store.RenewTime(ctx)
		var ids []int64
		for _, o := range some {
			ids = append(ids, o.ID)
		}
		lines, err := lists.OrderLines(ctx, l.core.DB.ForLists(ctx), here.Member.CompanyID, ids)
		if err != nil {
			return err
		}
		var records []OrderRecord
		for _, o := range some {
			of := lines[o.ID]
			for i := range of {
				words.Product(of[i].ProductSample, &of[i].Name, &of[i].Spec, &of[i].Unit)
			}
			records = append(records, OrderRecord{o, of})
		}
		if err := each(records); err != nil {
			return err
		}
	}
	return nil
}

// customerRecords reads how to reach customers.
func (l *Lists) customerRecords(
	ctx context.Context, here access.Landing, _ string, rows []store.Client, each func([]CustomerRecord) error,
) error {
	shown := access.MaskPhone
	if access.May(here.Member, access.RightManagePeople) {
		shown = func(phone string) string { return phone }
	}
	var ids []int64
	for _, c := range rows {
		ids = append(ids, c.ID)
	}
	contacts, err := lists.Contacts(ctx, l.core.DB.ForLists(ctx), here.Member.CompanyID, ids)
	if err != nil {
		return err
	}
	records := make([]CustomerRecord, 0, len(rows))
	for _, c := range rows {
		of := contacts[c.ID]
		records = append(records, CustomerRecord{
			c, shown(of.Phone), shown(of.ContactPhone), regionName(of), of.Address,
		})
	}
	return each(records)
}

// rowsAsRecords exports the rows as they are on pages.
func rowsAsRecords[Row any](
	_ context.Context, _ access.Landing, _ string, rows []Row, each func([]Row) error,
) error {
	return each(rows)
}

// regionName writes the province, the city and the district of a customer, as far as they are known.
func regionName(c lists.Contact) (name string) {
	for _, code := range []string{c.Province, c.City, c.District} {
		if part, ok := regions.RegionName(code); ok {
			name += part
		}
	}
	return name
}

// Each calls each with all records that match a filter, some at a time. It refuses as Page does, and with NotAvailable
// while too many exports are being written. It returns the error of each.
//
// It reads the rows in steps of ExportStep, so that an export of any size needs the memory of one step, and has time
// for each step. A search is in the order of names.
func (k List[Row, Record]) Each(
	ctx context.Context, here access.Landing, in Input, lang string, each func([]Record) error,
) error {
	rules := listRules[k.Name]
	if err := access.RequireRight(here, rules.right); err != nil {
		return err
	}
	done, err := k.all.exports.Take(ctx, core.TakerOf(here))
	if err != nil {
		return err
	}
	defer done()
	query := rules.filter(in).query(here.Member.CompanyID)
	query.Limit = ExportStep
	if query.Search.Prefix != "" {
		query.ByName = true
		query.Descending = false
		query.All = true
	}
	for {
		store.RenewTime(ctx)
		rows, err := k.read(ctx, k.all.core.DB.ForLists(ctx), query)
		if err != nil || len(rows) == 0 {
			return err
		}
		query.After = k.place(rows[len(rows)-1])
		k.translate(here.Member.Company, lang, rows)
		if err := k.records(ctx, here, lang, rows, each); err != nil || len(rows) < ExportStep {
			return err
		}
	}
}
