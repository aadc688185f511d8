package imports

import (
	"context"
	"strings"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/shop"
	"portico/store"
	"portico/store/lists"
	"portico/store/searchkey"
)

// seen has the texts of the rows checked so far, each with the line of its row. It finds duplicates.
type seen map[string]int

// refuseDuplicate adds a remark to a row that has the text of a row above it. It ignores an empty text.
func (s seen) refuseDuplicate(row *Row, column Column, text string) {
	if text == "" {
		return
	}
	if line := s[text]; line != 0 {
		row.remark(Remark{Column: column, Problem: RowTwice, Line: line})
		return
	}
	s[text] = row.Line
}

// setOutcome gives the rows without a remark an outcome.
func setOutcome(rows []Row, outcome shop.ImportOutcome) {
	for r := range rows {
		if len(rows[r].Remarks) == 0 {
			rows[r].Outcome = outcome
		}
	}
}

func customerInput(row Row) office.AddCustomerInput {
	return office.AddCustomerInput{
		Name: row.values[NameColumn], Contact: row.values[ContactColumn],
		Phone: strings.TrimSpace(row.values[PhoneColumn]),
	}
}

// checkCustomers adds remarks for malformed texts, customers that the company has already, and phones that have a shop
// account there.
func checkCustomers(i *Imports, ctx context.Context, here access.Landing, _ Input, rows []Row) error {
	names, phones := seen{}, seen{}
	var keys, numbers []string
	inputs := make([]office.AddCustomerInput, len(rows))
	for r := range rows {
		inputs[r] = customerInput(rows[r])
		if rows[r].remark(fieldRemarks(inputs[r].Validate())...); len(rows[r].Remarks) > 0 {
			continue
		}
		key := searchkey.OfRow(inputs[r].Name)
		names.refuseDuplicate(&rows[r], NameColumn, key)
		phones.refuseDuplicate(&rows[r], PhoneColumn, inputs[r].Phone)
		keys = append(keys, key)
		if inputs[r].Phone != "" {
			numbers = append(numbers, inputs[r].Phone)
		}
	}
	named, err := lists.CustomersByName(ctx, i.core.DB, here.Member.CompanyID, keys)
	if err != nil {
		return err
	}
	has, err := i.holders(ctx, here, numbers)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, c := range named {
		known[searchkey.OfRow(c.Name)] = true
	}
	for r := range rows {
		row := &rows[r]
		switch {
		case len(row.Remarks) > 0:
		case known[searchkey.OfRow(inputs[r].Name)]:
			row.Remarks = []Remark{{Column: NameColumn, Problem: office.CustomerNamed}}
		case has[lists.AccountHolder{Phone: inputs[r].Phone, Side: store.Shop}]:
			row.Remarks = []Remark{{Column: PhoneColumn, Problem: HasAccount}}
		}
	}
	setOutcome(rows, shop.Adds)
	return nil
}

func addCustomer(
	i *Imports, ctx context.Context, here access.Landing, _ Input, row Row,
) (shop.ImportOutcome, error) {
	return shop.Adds, i.office.AddCustomer(ctx, here, customerInput(row))
}

// personInput returns the account that a row opens. Without a role it is a customer's account when the row has a
// customer, and an employee's otherwise. The id of the form makes sure that a row opens one account only.
func personInput(in Input, row Row) (account office.OpenAccountInput, remarks []Remark) {
	account = office.OpenAccountInput{
		Side: string(store.Mgr), Type: store.TypeEmployee, Name: row.values[NameColumn],
		Phone: strings.TrimSpace(row.values[PhoneColumn]), Login: row.values[LoginColumn],
		ClientName: strings.TrimSpace(row.values[CustomerColumn]), Form: in.Key + "." + access.Decimal(int64(row.Line)),
		Again: true,
	}
	role := searchkey.Of(row.values[RoleColumn])
	switch kind, ok := in.Words.Roles[role]; {
	case ok:
		account.Type = kind
	case role != "":
		remarks = append(remarks, Remark{Column: RoleColumn, Problem: RoleUnknown})
	case account.ClientName != "":
		account.Type = store.TypeShop
	}
	if account.Type == store.TypeShop {
		account.Side = string(store.Shop)
	} else {
		account.ClientName = ""
	}
	if account.Phone == "" {
		remarks = append(remarks, Remark{Column: PhoneColumn, Problem: access.PhoneRequired})
	}
	return account, remarks
}

// checkPeople adds remarks for malformed texts, names that no partner has, and phones that have an account on that side
// already.
func checkPeople(i *Imports, ctx context.Context, here access.Landing, in Input, rows []Row) error {
	phones, logins := seen{}, seen{}
	var numbers []string
	accounts := make([]office.OpenAccountInput, len(rows))
	for r := range rows {
		var remarks []Remark
		accounts[r], remarks = personInput(in, rows[r])
		rows[r].remark(append(remarks, fieldRemarks(accounts[r].Problems())...)...)
		if len(rows[r].Remarks) > 0 {
			continue
		}
		phones.refuseDuplicate(&rows[r], PhoneColumn, accounts[r].Side+accounts[r].Phone)
		if accounts[r].Login != "" {
			logins.refuseDuplicate(&rows[r], LoginColumn, accounts[r].Side+searchkey.Of(accounts[r].Login))
		}
		numbers = append(numbers, accounts[r].Phone)
	}
	has, err := i.holders(ctx, here, numbers)
	if err != nil {
		return err
	}
	partners, err := i.partners(ctx, here, accounts)
	if err != nil {
		return err
	}
	for r := range rows {
		row, a := &rows[r], accounts[r]
		switch {
		case len(row.Remarks) > 0:
		case has[lists.AccountHolder{Phone: a.Phone, Side: store.Side(a.Side)}]:
			row.Remarks = []Remark{{Column: PhoneColumn, Problem: HasAccount}}
		case a.Type == store.TypeShop && partners[searchkey.OfRow(a.ClientName)] == 0:
			row.Remarks = []Remark{{Column: CustomerColumn, Problem: CustomerUnknown}}
		}
	}
	setOutcome(rows, shop.Adds)
	return nil
}

func addPerson(i *Imports, ctx context.Context, here access.Landing, in Input, row Row) (shop.ImportOutcome, error) {
	account, _ := personInput(in, row)
	if account.Type == store.TypeShop {
		partners, err := i.partners(ctx, here, []office.OpenAccountInput{account})
		if err != nil {
			return "", err
		}
		if account.ClientID = partners[searchkey.OfRow(account.ClientName)]; account.ClientID == 0 {
			return "", access.Invalid(access.Fields{"client_id": CustomerUnknown})
		}
	}
	_, err := i.office.OpenAccount(ctx, here, account)
	return shop.Adds, err
}

// holders returns which of some phones have accounts in the company, by phone and side.
func (i *Imports) holders(
	ctx context.Context, here access.Landing, phones []string,
) (map[lists.AccountHolder]bool, error) {
	all, err := lists.AccountHolders(ctx, i.core.DB, here.Member.CompanyID, phones)
	has := map[lists.AccountHolder]bool{}
	for _, holder := range all {
		has[holder] = true
	}
	return has, err
}

// partners returns the ids of the customers that accounts are for, by the keys of their names. Of several partners with
// one name it is the first.
func (i *Imports) partners(
	ctx context.Context, here access.Landing, accounts []office.OpenAccountInput,
) (map[string]int64, error) {
	var keys []string
	for _, a := range accounts {
		if a.ClientName != "" {
			keys = append(keys, searchkey.OfRow(a.ClientName))
		}
	}
	named, err := lists.CustomersByName(ctx, i.core.DB, here.Member.CompanyID, keys)
	ids := map[string]int64{}
	for _, c := range named {
		if key := searchkey.OfRow(c.Name); c.State == store.ClientPartner && (ids[key] == 0 || c.ID < ids[key]) {
			ids[key] = c.ID
		}
	}
	return ids, err
}

func productInput(row Row) shop.ProductInput {
	return shop.ProductInput{
		Name: row.values[NameColumn], Number: row.values[NumberColumn], Category: row.values[CategoryColumn],
		Spec: row.values[SpecColumn], Unit: row.values[UnitColumn], Price: row.values[PriceColumn],
		Stock: row.values[StockColumn],
	}
}

// checkProducts adds remarks for what Products.Import would refuse.
func checkProducts(i *Imports, ctx context.Context, here access.Landing, _ Input, rows []Row) error {
	names, numbers := seen{}, seen{}
	inputs := make([]shop.ProductInput, len(rows))
	for r := range rows {
		inputs[r] = productInput(rows[r])
	}
	checks, err := i.shop.CheckImport(ctx, here, inputs)
	if err != nil {
		return err
	}
	for r := range rows {
		rows[r].Outcome = checks[r].Outcome
		rows[r].remark(fieldRemarks(checks[r].Fields)...)
		if len(rows[r].Remarks) > 0 {
			continue
		}
		if number := searchkey.Of(inputs[r].Number); number != "" {
			numbers.refuseDuplicate(&rows[r], NumberColumn, number)
		} else {
			names.refuseDuplicate(&rows[r], NameColumn, searchkey.Of(inputs[r].Name))
		}
	}
	return nil
}

func addProduct(i *Imports, ctx context.Context, here access.Landing, _ Input, row Row) (shop.ImportOutcome, error) {
	return i.shop.Import(ctx, here, productInput(row))
}
