package lists_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/lists"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store"
	"portico/store/pool"
	"portico/store/storetest"
)

// dayOne is 2026-03-01, 00:00 for a company, and dayLong a day.
const (
	dayOne  = 1772294400000
	dayLong = 24 * 60 * 60 * 1000
)

// fill adds 120 customers with an order and an application each, and 120 shop accounts, to a company: three on each
// day. Each name stands twice. Every third one is ended, confirmed or decided.
func fill(t *testing.T, p *portaltest.Platform, company int64) {
	t.Helper()
	for i := range int64(120) {
		at, name := store.Instant(dayOne+i/3*dayLong+i%3*1000), fmt.Sprintf("Name %03d", i/2)
		client := store.Client{CompanyID: company, Name: name, State: "partner", CreatedAt: at}
		order := store.Order{CompanyID: company, Number: i + 1, Form: fmt.Sprint(i), State: "new", PlacedAt: at}
		application := store.Application{
			ID: 9000 + i, CompanyID: company, Phone: fmt.Sprint(13100000000 + i), State: "pending", CompanyName: name,
			ContactName: "x", CreatedAt: at,
		}
		account := store.Account{
			CompanyID: company, Side: "shop", Type: 3, Login: fmt.Sprintf("Login-%03d", i), Name: name, State: "active",
			CreatedAt: at,
		}
		if i%3 == 2 {
			client.State, order.State, application.State = "ended", "confirmed", "rejected"
			account.State = "disabled"
		}
		var err error
		order.ClientID, err = p.DB.Clients.Add(t.Context(), client)
		portaltest.NoError(t, err)
		_, err = p.DB.Orders.Add(t.Context(), order)
		portaltest.NoError(t, err)
		_, err = p.DB.Applications.Add(t.Context(), application)
		portaltest.NoError(t, err)
		account.ClientID = order.ClientID
		_, err = p.DB.Accounts.Add(t.Context(), account)
		portaltest.NoError(t, err)
	}
}

// found is what a test compares of a row.
type found struct {
	ID   int64
	At   store.Instant
	Name string
}

// page is a page of any list.
type page struct {
	rows   []found
	filter lists.Filter
	counts string // like "all 3, new 2"
	next   string
}

func pageOf[T any](p lists.Page[T], row func(T) found) page {
	got := page{filter: p.Filter, next: p.Next}
	for _, one := range p.Rows {
		got.rows = append(got.rows, row(one))
	}
	var counts []string
	for _, c := range p.Counts {
		counts = append(counts, fmt.Sprintf("%s %d", c.State, c.Count))
	}
	got.counts = strings.TrimSpace(strings.Join(counts, ", "))
	return got
}

// tools reads each list in the same way.
var tools = []struct {
	name, states string // states are the counts of the rows that fill adds
	read         func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) (page, error)
	each         func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) ([]found, error)
}{
	{"orders", "120, new 80, confirmed 40",
		func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) (page, error) {
			got, err := p.Lists.Orders.Page(ctx, here, in, "zh")
			return pageOf(got, foundOrder), err
		},
		func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) ([]found, error) {
			return collect(func(add func([]lists.OrderRecord) error) error {
				return p.Lists.Orders.Each(ctx, here, in, "zh", add)
			}, func(o lists.OrderRecord) found { return foundOrder(o.Order) })
		}},
	{"customers", "120, partner 80, ended 40",
		func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) (page, error) {
			got, err := p.Lists.Customers.Page(ctx, here, in, "zh")
			return pageOf(got, foundCustomer), err
		},
		func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) ([]found, error) {
			return collect(func(add func([]lists.CustomerRecord) error) error {
				return p.Lists.Customers.Each(ctx, here, in, "zh", add)
			}, func(c lists.CustomerRecord) found { return foundCustomer(c.Client) })
		}},
	{"applications", "120, pending 80, approved 0, rejected 40",
		func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) (page, error) {
			got, err := p.Lists.Applications.Page(ctx, here, in, "zh")
			return pageOf(got, foundApplication), err
		},
		func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) ([]found, error) {
			return collect(func(add func([]store.Application) error) error {
				return p.Lists.Applications.Each(ctx, here, in, "zh", add)
			}, foundApplication)
		}},
	{"people", "120, staff 0, shop 120, invited 0, disabled 40",
		func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) (page, error) {
			got, err := p.Lists.People.Page(ctx, here, in, "zh")
			return pageOf(got, foundPerson), err
		},
		func(ctx context.Context, p *portaltest.Platform, here access.Landing, in lists.Input) ([]found, error) {
			return collect(func(add func([]store.Member) error) error {
				return p.Lists.People.Each(ctx, here, in, "zh", add)
			}, foundPerson)
		}},
}

func foundOrder(o store.Order) found             { return found{o.ID, o.PlacedAt, o.ClientName} }
func foundCustomer(c store.Client) found         { return found{c.ID, c.CreatedAt, c.Name} }
func foundApplication(a store.Application) found { return found{a.ID, a.CreatedAt, a.CompanyName} }
func foundPerson(m store.Member) found           { return found{m.ID, m.CreatedAt, m.Name} }

func collect[T any](each func(add func([]T) error) error, row func(T) found) (all []found, err error) {
	err = each(func(rows []T) error {
		for _, one := range rows {
			all = append(all, row(one))
		}
		return nil
	})
	return all, err
}

// filled returns a company with the rows of fill and no others.
func filled(t *testing.T, p *portaltest.Platform) access.Landing {
	t.Helper()
	here := p.LandingFor(companytest.AddCompany(p, "zh"))
	company := here.Member.CompanyID
	storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE accounts SET company_id = 1003 WHERE company_id = %d", company))
	fill(t, p, company)
	return here
}

func TestEachListHasEveryRowOnceInEveryOrder(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := filled(t, p)
		orders := map[string]func(a, b found) int{
			"-date":     func(a, b found) int { return int(b.At - a.At) },
			"date":      func(a, b found) int { return int(a.At - b.At) },
			"name":      func(a, b found) int { return strings.Compare(a.Name, b.Name) },
			"-name":     func(a, b found) int { return strings.Compare(b.Name, a.Name) },
			"customer":  func(a, b found) int { return strings.Compare(a.Name, b.Name) },
			"-customer": func(a, b found) int { return strings.Compare(b.Name, a.Name) },
		}
		for _, tool := range tools {
			for sort, inOrder := range orders {
				for _, search := range []string{"", "name"} {
					in, all, pages := lists.Input{Sort: sort, Search: search}, []found{}, 0
					for {
						got, err := tool.read(t.Context(), p, here, in)
						portaltest.NoError(t, err)
						if got.filter.Sort != sort { // a column of another list
							break
						}
						all, pages = append(all, got.rows...), pages+1
						if in.Cursor = got.next; in.Cursor == "" || pages > 9 {
							break
						}
					}
					if pages == 0 {
						continue
					}
					ids := map[int64]bool{}
					for _, one := range all {
						ids[one.ID] = true
					}
					if pages != 5 || len(all) != 120 || len(ids) != 120 || !slices.IsSortedFunc(all, inOrder) {
						t.Errorf("%s by %s, search %q: %d pages, %d rows, %d distinct", tool.name, sort, search, pages,
							len(all), len(ids))
					}
				}
			}
		}
	})
}

func TestListsAreFilteredByStateAndDays(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := filled(t, p)
		for _, tool := range tools {
			got, err := tool.read(t.Context(), p, here, lists.Input{})
			portaltest.NoError(t, err)
			if got.counts != tool.states {
				t.Errorf("%s: %q, want %q", tool.name, got.counts, tool.states)
			}
			last := strings.Split(tool.states, ", ")
			state, _, _ := strings.Cut(last[len(last)-1], " ")
			for _, c := range []struct {
				in   lists.Input
				rows int
			}{
				{lists.Input{State: state, Limit: "100"}, 40},
				{lists.Input{State: state, Limit: "100", Sort: "date"}, 40},
				{lists.Input{From: "2026-03-02", To: "2026-03-03"}, 6},
				{lists.Input{From: "2026-03-03", To: "2026-03-02"}, 6},
				{lists.Input{From: "2026-03-02", To: "2026-03-02", State: state}, 1},
				{lists.Input{From: "2026-03-02", To: "2026-03-02", Search: "name"}, 3},
				{lists.Input{To: "2026-03-01"}, 3},
				{lists.Input{To: "2026-02-28"}, 0},
				{lists.Input{From: "2026-04-09", Limit: "50"}, 3},
				{lists.Input{Search: "NAME  03", Limit: "50"}, 20},
				{lists.Input{Search: "Name 031", State: state}, 1},
				{lists.Input{Search: "ame"}, 0},
			} {
				got, err := tool.read(t.Context(), p, here, c.in)
				portaltest.NoError(t, err)
				if len(got.rows) != c.rows {
					t.Errorf("%s, %+v: %d rows, want %d", tool.name, c.in, len(got.rows), c.rows)
				}
			}
		}
	})
}

func TestPagesOfDaysContinueWithinTheDays(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := filled(t, p)
		for _, tool := range tools {
			for _, sort := range []string{"date", "-date"} {
				in, n := lists.Input{From: "2026-03-02", To: "2026-03-21", Sort: sort}, 0
				for range 4 {
					got, err := tool.read(t.Context(), p, here, in)
					portaltest.NoError(t, err)
					n += len(got.rows)
					if in.Cursor = got.next; in.Cursor == "" {
						break
					}
				}
				if n != 60 {
					t.Errorf("%s by %s: %d rows, want 60", tool.name, sort, n)
				}
			}
		}
	})
}

func TestSearchFindsNumbersPhonesAndLogins(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := filled(t, p)
		number := p.Account("buyer1").Phone
		m := companytest.AddAccount(p, "Ünlü", here.Member.CompanyID, store.Shop, number)
		storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE accounts SET client_id = (SELECT MAX(id) FROM clients "+
			"WHERE company_id = %d) WHERE id = %d", here.Member.CompanyID, m.ID))
		last, err := p.Lists.Customers.Page(t.Context(), here, lists.Input{}, "zh")
		portaltest.NoError(t, err)
		for _, c := range []struct {
			list, search string
			rows         int
		}{
			{"orders", "17", 1},
			{"orders", "999", 0},
			{"customers", access.Decimal(last.Rows[0].ID), 1},
			{"customers", number, 1},
			{"customers", number[:3] + " " + number[3:10], 1},
			{"customers", number[:9], 0}, // too short
			{"customers", "+86" + number, 1},
			{"customers", "0086 " + number, 1},
			{"customers", "\u202d" + number + "\u202c", 1},
			{"customers", number[:3] + "–" + number[3:], 1},
			{"applications", "13100000017", 1},
			{"applications", "1310000001", 10},
			{"people", number, 1},
			{"people", "LOGIN-01", 10},
			{"people", "ünl", 1},
		} {
			for _, tool := range tools {
				if tool.name != c.list {
					continue
				}
				got, err := tool.read(t.Context(), p, here, lists.Input{Search: c.search})
				portaltest.NoError(t, err)
				if len(got.rows) != c.rows {
					t.Errorf("%s: %q finds %d rows, want %d", c.list, c.search, len(got.rows), c.rows)
				}
			}
		}
	})
}

func TestListsHaveNoRowsOfOtherCompanies(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := filled(t, p)
		other := p.LandingFor(companytest.AddCompany(p, "zh"))
		for _, tool := range tools {
			first, err := tool.read(t.Context(), p, here, lists.Input{})
			portaltest.NoError(t, err)
			for _, in := range []lists.Input{
				{}, {Search: "name"}, {Search: "17"}, {Search: "13100000017"}, {Search: "login-01"},
				{Cursor: first.next}, {From: "2026-03-02"}, {State: "new"},
			} {
				got, err := tool.read(t.Context(), p, other, in)
				portaltest.NoError(t, err)
				for _, one := range got.rows {
					if strings.HasPrefix(one.Name, "Name") {
						t.Fatalf("%s, %+v: another company's row is shown: %+v", tool.name, in, one)
					}
				}
				all, err := tool.each(t.Context(), p, other, in)
				portaltest.NoError(t, err)
				if slices.ContainsFunc(all, func(one found) bool { return strings.HasPrefix(one.Name, "Name") }) {
					t.Errorf("%s, %+v: another company's row is exported", tool.name, in)
				}
			}
		}
	})
}

func TestWrongValuesAreIgnored(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := filled(t, p)
		for _, tool := range tools {
			for _, in := range []lists.Input{
				{State: "x'"}, {State: "NEW"}, {From: "yesterday"}, {To: "2026-02-30"}, {From: "0000-01-01"},
				{Sort: "total"}, {Sort: "--date"}, {Limit: "1000000"}, {Limit: "-1"}, {Cursor: "x"},
				{Cursor: strings.Repeat("QQ", 5000)}, {Search: " \x00\xff "}, {Sort: "id; DROP TABLE orders"},
			} {
				got, err := tool.read(t.Context(), p, here, in)
				portaltest.NoError(t, err)
				usual := lists.Filter{Sort: "-date", Limit: 25, NameSorted: true}
				if got.filter != usual || len(got.rows) != 25 {
					t.Errorf("%s, %+v: %+v, %d rows", tool.name, in, got.filter, len(got.rows))
				}
			}
		}
	})
}

func TestTheFirstTwoHundredBytesOfASearchAreRead(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for typed, read := range map[int]int{200: 200, 201: 200} {
			got, err := p.Lists.Customers.Page(
				t.Context(), p.Administrator(), lists.Input{Search: strings.Repeat("x", typed)}, "zh",
			)
			if err != nil || len(got.Filter.Search) != read {
				t.Errorf("%d of %d bytes, %v", len(got.Filter.Search), typed, err)
			}
		}
	})
}

func TestAnExportHasEveryRowOfTheFilterOnce(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := filled(t, p)
		company := here.Member.CompanyID
		storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO clients (company_id, name, search, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1700)
			SELECT %d, 'Many', 'many', 5 FROM n`, company))
		shown, err := p.Lists.Customers.Page(t.Context(), here, lists.Input{}, "zh")
		portaltest.NoError(t, err)
		if n := shown.Counts[0].Count; n != 1001 { // no more rows are counted
			t.Errorf("%d rows are counted, up to %d are shown", n, core.CountShown)
		}
		var steps []int // an export needs the memory of one step
		err = p.Lists.Customers.Each(t.Context(), here, lists.Input{}, "zh", func(rows []lists.CustomerRecord) error {
			steps = append(steps, len(rows))
			return nil
		})
		portaltest.NoError(t, err)
		if !slices.Equal(steps, []int{500, 500, 500, 320}) {
			t.Errorf("%d rows are read at a time", steps)
		}
		for _, c := range []struct {
			in   lists.Input
			rows int
		}{
			{lists.Input{}, 1820}, {lists.Input{Search: "m"}, 1700}, {lists.Input{Sort: "name"}, 1820},
			{lists.Input{Search: "m", State: "ended"}, 0}, {lists.Input{From: "2026-03-01", To: "2026-03-01"}, 3},
			{lists.Input{Search: "name 00", State: "ended"}, 6},
		} {
			for _, tool := range tools {
				if tool.name != "customers" {
					continue
				}
				all, err := tool.each(t.Context(), p, here, c.in)
				portaltest.NoError(t, err)
				ids := map[int64]bool{}
				for _, one := range all {
					ids[one.ID] = true
				}
				if len(all) != c.rows || len(ids) != c.rows {
					t.Errorf("%+v: %d rows, %d distinct, want %d", c.in, len(all), len(ids), c.rows)
				}
			}
		}
	})
}

// Rows of before the schema had keys, and rows that programs of former versions write during a roll-out.
func TestASweepMakesRowsOfFormerVersionsFound(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := filled(t, p)
		for _, statement := range []string{
			"UPDATE clients SET search = ''", "UPDATE orders SET search = ''", "UPDATE applications SET search = ''",
			"UPDATE accounts SET name = 'Ñame 300' WHERE name = 'Name 030'",
		} {
			storetest.Exec(t, p.DB, statement)
		}
		count := func(of, search string) (n int) {
			for _, tool := range tools {
				if tool.name == of {
					got, err := tool.read(t.Context(), p, here, lists.Input{Search: search})
					portaltest.NoError(t, err)
					n = len(got.rows)
				}
			}
			return n
		}
		if n := count("customers", "name 030") + count("people", "ñame"); n != 0 {
			t.Fatalf("%d rows are found before", n)
		}
		portaltest.NoError(t, p.Sweep(t.Context()))
		for _, of := range []string{"orders", "customers", "applications"} {
			if n := count(of, "name 030"); n != 2 {
				t.Errorf("%s: %d rows, want 2", of, n)
			}
		}
		if n := count("people", "ÑAME"); n != 2 {
			t.Errorf("%d renamed people are found, want 2", n)
		}
		if n := count("people", "name 030"); n != 0 {
			t.Errorf("%d people are found by their former name", n)
		}
	})
}

func TestOnlySomeExportsOfACompanyAreWrittenAtOnce(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	here, other := p.Administrator(), p.Office("northwind")
	export := func(here access.Landing, each func()) error {
		return p.Lists.Customers.Each(t.Context(), here, lists.Input{}, "zh", func([]lists.CustomerRecord) error {
			each()
			return nil
		})
	}
	begun, more, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	for range 2 {
		go func() {
			ended <- export(here, func() {
				begun <- struct{}{}
				<-more
			})
		}()
		<-begun
	}
	err := export(here, func() { t.Error("a third export has begun") })
	portaltest.Refused(t, err, access.NotAvailable)
	err = p.Lists.EachAuditEvent(t.Context(), here, access.AuditFilter{}, func([]access.AuditEvent) error {
		t.Error("a third export has begun, of the log")
		return nil
	})
	portaltest.Refused(t, err, access.NotAvailable)
	rows := 0
	portaltest.NoError(t, export(other, func() { rows++ }))
	if rows == 0 {
		t.Error("another company's export has no rows")
	}
	close(more)
	for range 2 {
		portaltest.NoError(t, <-ended)
	}
	portaltest.NoError(t, export(here, func() {}))
}

func TestAnExportHasTimeForEachOfItsSteps(t *testing.T) {
	t.Parallel() // it waits
	line, over := storetest.NewLine(t, storetest.PostgresURL(t))
	p := portaltest.NewPlatform(t, storetest.PostgresAt(t, over))
	here := p.Administrator()
	storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO clients (company_id, name, search, created_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT 1001, 'Many', 'many', 5 FROM n`, 25*lists.ExportStep))
	line.Delay(store.OperationTime / 20) // a step may have to connect anew, which takes several answers
	rows := 0
	err := p.Lists.Customers.Each(store.InRequest(t.Context(), store.Networks{}), here, lists.Input{}, "zh",
		func(some []lists.CustomerRecord) error {
			rows += len(some)
			return nil
		})
	portaltest.NoError(t, err)
	if rows < 25*lists.ExportStep {
		t.Errorf("%d rows", rows)
	}
}

func TestOnlyWhoOpensAccountsExportsWholePhonesOfCustomers(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		buyer := p.Account("buyer1")
		for want, here := range map[string]access.Landing{
			"13800000001": p.Administrator(), "138****0001": companytest.EmployeeWithRights(p, access.RightCustomers),
		} {
			got := ""
			each := func(rows []lists.CustomerRecord) error {
				for _, c := range rows {
					if c.ID == buyer.ClientID {
						got = c.Phone
					}
				}
				return nil
			}
			portaltest.NoError(t, p.Lists.Customers.Each(t.Context(), here, lists.Input{}, "zh", each))
			if got != want {
				t.Errorf("the phone is %q, want %q", got, want)
			}
		}
	})
}

// An export reads the records of a step together: more orders do not mean more statements for each.
func TestAnExportReadsTheRecordsOfAStepTogether(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	m := companytest.AddCompany(p, "zh")
	companytest.AddCustomer(p, m.CompanyID)
	storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO orders
			(company_id, number, client_id, form, total, placed_at, search)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
		SELECT %[1]d, i, (SELECT MAX(id) FROM clients), 'many' || i, 1, i, 'x' FROM n`, m.CompanyID))
	statements, rows := 0, 0
	p.DB.Observe(pool.Observer{Done: func(pool.Kind, time.Duration) { statements++ }})
	err := p.Lists.Orders.Each(t.Context(), p.LandingFor(m), lists.Input{}, "zh", func(some []lists.OrderRecord) error {
		rows += len(some)
		return nil
	})
	// Two steps of 500 orders and an empty one; the lines of a hundred orders are read at a time.
	if portaltest.NoError(t, err); rows != 1000 || statements > 15 {
		t.Errorf("%d orders are read by %d statements", rows, statements)
	}
}

func TestTheLogIsSearchedForPeopleCustomersAndOrders(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, clerk := p.Administrator(), p.Account("li.manager")
		companytest.AddEvent(p, 1001, clerk.ID, "registration_set", "")
		companytest.AddEvent(p, 1001, 0, "customer_ended", access.Decimal(p.Account("buyer1").ClientID))
		for search, want := range map[string]int{"li.manager": 1, "9": 0, "nobody": 0, "13800000001": 1} {
			for _, f := range []access.AuditFilter{
				{Search: search}, {Search: search, From: "2000-01-01"}, {Search: search, Person: clerk.ID},
			} {
				list, err := p.Lists.Audit(t.Context(), here, f)
				portaltest.NoError(t, err)
				if n := len(list.Events); n != want && f.Person == 0 {
					t.Errorf("%+v finds %d events, want %d", f, n, want)
				}
			}
		}
	})
}
