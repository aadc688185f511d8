package scale

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/deploy/deploytest"
	"portico/store/schema"
	"portico/store/storetest"
)

// When a company moves to another cell, each table belongs to one of these lists.
var (
	// companySpace are the tables that follow the company while it is used, by a row filter on its id.
	companySpace = []string{
		"companies", "acceptances", "account_acceptances", "accounts", "application_drafts", "application_watchers",
		"applications", "audit_events", "cart_lines", "carts", "categories", "clients",
		"company_bank_accounts", "company_credentials", "company_hosts", "company_looks", "company_styles",
		"customer_types", "declined_offers", "domain_claims",
		"identity_applicants", "kept_forms", "look_drafts", "orders", "page_views", "portraits", "products",
		"registrations", "sandboxes", "saved_filters", "uploads",
	}
	// copiedAtTheEnd are tables whose rows have no company. Those that the company needs are copied while it is closed.
	copiedAtTheEnd = map[string]string{
		"phones":      "SELECT * FROM phones WHERE id IN (SELECT phone_id FROM accounts WHERE company_id = $1)",
		"order_lines": "SELECT * FROM order_lines WHERE order_id IN (SELECT id FROM orders WHERE company_id = $1)",
		"hash_keys":   "SELECT * FROM hash_keys WHERE $1 > 0", // one row for each master key, the same in all cells
	}
	// personSpace are the tables of people and their browsers. They belong to the cell of the phone.
	personSpace = []string{
		"auth_codes", "authorisations", "codes", "device_accounts", "identities", "known_devices", "push_ids",
		"session_hidden", "session_slots", "sessions",
	}
	// ofACell are the tables that each cell has for itself.
	ofACell = []string{
		"attempts", "heartbeats", "idempotency_keys", "last_ids", "leases", "lookups", "provider_tokens",
		"read_signatures", "repeats", "schema_lock", "schema_steps", "schema_versions", "signatures", "used_tickets",
	}
)

func TestEveryTableIsInOneSpace(t *testing.T) {
	spaces := slices.Concat(companySpace, personSpace, ofACell)
	for table := range copiedAtTheEnd {
		spaces = append(spaces, table)
	}
	slices.Sort(spaces)
	if repeated := slices.Compact(slices.Clone(spaces)); len(repeated) != len(spaces) {
		t.Error("a table is in two spaces")
	}
	for _, table := range schema.Tables {
		if !slices.Contains(spaces, table) {
			t.Errorf("decide whether %s follows a company into another cell", table)
		}
	}
}

// manager is an administrator who opens accounts in their company, one after the other.
type manager struct {
	*deploytest.Person
	host    string // the first label of the back office's host
	company string // its id
	mu      sync.Mutex
	opened  []string // account names whose opening was acknowledged
}

var (
	formToken = regexp.MustCompile(`name="form" value="([^"]+)"`)
	storeHost = regexp.MustCompile(`^store(\d+)\.`)
)

// newManager registers a company with sample data and signs its administrator in.
func newManager(t *testing.T, p *deploytest.Platform, front deploytest.Front) *manager {
	t.Helper()
	m := &manager{Person: front.NewPerson()}
	if err := m.Register(t.Context(), p.Messages); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Post(t.Context(), "account", "/register/init", "industry", "118", "import", "1"); err != nil {
		t.Fatal(err)
	}
	if err := m.signIn(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

// signIn signs the administrator in anew.
func (m *manager) signIn(ctx context.Context) error {
	m.Forget()
	arrived, err := m.SignIn(ctx)
	if err != nil {
		return err
	}
	at, err := url.Parse(arrived)
	if err != nil {
		return err
	}
	host := storeHost.FindStringSubmatch(at.Host)
	if host == nil {
		return fmt.Errorf("signing in leads to %s", arrived)
	}
	m.host, m.company = strings.TrimSuffix(host[0], "."), host[1]
	return nil
}

// open opens the next account of the company.
func (m *manager) open(ctx context.Context) error {
	page, err := m.Get(ctx, m.host, "/mgr/people/new")
	if err != nil {
		return err
	}
	token := formToken.FindStringSubmatch(page.Body)
	if token == nil {
		return fmt.Errorf("the form answers %d", page.Status)
	}
	m.mu.Lock()
	login := fmt.Sprintf("c%s.worker%d", m.company, len(m.opened)+1)
	m.mu.Unlock()
	answer, err := m.Post(ctx, m.host, "/mgr/people/new", "side", "mgr", "type", "2", "login", login,
		"name", "Worker "+login, "form", token[1])
	if err == nil && (answer.Status != 200 || !strings.Contains(answer.Body, login)) {
		err = fmt.Errorf("opening an account answers %d", answer.Status)
	}
	if err == nil {
		m.mu.Lock()
		m.opened = append(m.opened, login)
		m.mu.Unlock()
	}
	return err
}

// workPause is the pause between two accounts: a company may open only so many within an hour.
const workPause = 400 * time.Millisecond

// work opens accounts and signs in until the context ends or the company is closed.
func (m *manager) work(ctx context.Context) error {
	for {
		if err := m.open(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		if err := m.signIn(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(workPause):
		}
	}
}

func (m *manager) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.opened)
}

// move is a company on its way from one database to another.
type move struct {
	t        *testing.T
	company  string
	from, to *pgx.Conn
}

func (m *move) exec(on *pgx.Conn, statement string) {
	m.t.Helper()
	if _, err := on.Exec(m.t.Context(), statement); err != nil {
		m.t.Fatalf("%s: %v", statement, err)
	}
}

// filter is the condition for the company's rows of a table.
func (m *move) filter(table string) string {
	if table == "companies" {
		return "id = " + m.company
	}
	return "company_id = " + m.company
}

// begin lets the company's rows follow into the other database. Postgres needs the filter's column in the row that it
// logs for an UPDATE or DELETE: hence REPLICA IDENTITY FULL.
func (m *move) begin(source string) {
	var published []string
	for _, table := range companySpace {
		if table != "companies" {
			m.exec(m.from, "ALTER TABLE "+table+" REPLICA IDENTITY FULL")
		}
		published = append(published, table+" WHERE ("+m.filter(table)+")")
	}
	m.exec(m.from, "CREATE PUBLICATION moving FOR TABLE "+strings.Join(published, ", "))
	m.exec(m.to, "CREATE SUBSCRIPTION moving CONNECTION '"+source+"' PUBLICATION moving")
}

// await waits until a query of one of the databases answers true.
func (m *move) await(what string, on *pgx.Conn, query string, args ...any) {
	m.t.Helper()
	deploytest.WaitFor(m.t, what, nil, func() error {
		var ready bool
		err := on.QueryRow(m.t.Context(), query, args...).Scan(&ready)
		if err == nil && !ready {
			err = errors.New("not yet")
		}
		return err
	})
}

// catchUp waits until the other database has everything that was committed before.
func (m *move) catchUp() {
	var written string
	if err := m.from.QueryRow(m.t.Context(), "SELECT pg_current_wal_lsn()::text").Scan(&written); err != nil {
		m.t.Fatal(err)
	}
	m.await("the subscriber", m.from, `SELECT confirmed_flush_lsn >= $1::pg_lsn FROM pg_replication_slots
		WHERE slot_name = 'moving'`, written)
}

// copyRest copies the rows that have no company of their own.
func (m *move) copyRest() {
	for table, query := range copiedAtTheEnd {
		rows, err := m.from.Query(m.t.Context(), query, m.number())
		if err != nil {
			m.t.Fatal(err)
		}
		var columns []string
		for _, field := range rows.FieldDescriptions() {
			columns = append(columns, field.Name)
		}
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
		if err == nil {
			_, err = m.to.CopyFrom(m.t.Context(), pgx.Identifier{table}, columns, pgx.CopyFromRows(all))
		}
		if err != nil {
			m.t.Fatalf("%s: %v", table, err)
		}
	}
}

// advanceSequences makes new ids in the other database larger than those that have come over: replication brings rows
// and leaves sequences as they are.
func (m *move) advanceSequences() {
	rows, err := m.to.Query(m.t.Context(), `SELECT format(
			'SELECT setval(%L, GREATEST((SELECT COALESCE(MAX(%I), 1) FROM %I), 1))',
			pg_get_serial_sequence(table_name, column_name), column_name, table_name)
		FROM information_schema.columns
		WHERE table_schema = 'public' AND pg_get_serial_sequence(table_name, column_name) IS NOT NULL`)
	if err != nil {
		m.t.Fatal(err)
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(statements) < 5 {
		m.t.Fatal(statements, err)
	}
	for _, statement := range statements {
		m.exec(m.to, statement)
	}
}

func (m *move) number() (id int64) {
	_, _ = fmt.Sscan(m.company, &id)
	return id
}

// rowsOf returns the company's rows of a table as text.
func (m *move) rowsOf(on *pgx.Conn, table string) []string {
	m.t.Helper()
	rows, err := on.Query(m.t.Context(), "SELECT t::text FROM "+table+" t WHERE "+m.filter(table)+" ORDER BY 1")
	if err != nil {
		m.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		m.t.Fatal(err)
	}
	return all
}

// compare returns the first table whose rows differ, "" for none, and how many rows there are.
func (m *move) compare() (differs string, rows int) {
	for _, table := range companySpace {
		here, there := m.rowsOf(m.from, table), m.rowsOf(m.to, table)
		if !slices.Equal(here, there) {
			return fmt.Sprintf("%s: %d rows, %d have come over", table, len(here), len(there)), rows
		}
		rows += len(here)
	}
	return "", rows
}

// checkRest fails the test if rows that were copied at the end differ, or if there was nothing to copy.
func (m *move) checkRest() {
	m.t.Helper()
	for table, query := range copiedAtTheEnd {
		var both [2][]string
		for i, on := range []*pgx.Conn{m.from, m.to} {
			rows, err := on.Query(m.t.Context(), "SELECT t::text FROM ("+query+") t ORDER BY 1", m.number())
			if err != nil {
				m.t.Fatal(err)
			}
			if both[i], err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
				m.t.Fatal(err)
			}
		}
		if here, there := both[0], both[1]; len(here) == 0 || !slices.Equal(here, there) {
			m.t.Errorf("%s: %d rows, %d were copied", table, len(here), len(there))
		}
	}
}

// checkStrangers fails the test if rows of other companies have come over, or rows that refer to nothing.
func (m *move) checkStrangers() {
	for _, table := range companySpace {
		var strangers int
		if err := m.to.QueryRow(m.t.Context(), "SELECT COUNT(*) FROM "+table+" WHERE NOT ("+m.filter(table)+")").
			Scan(&strangers); err != nil || strangers != 0 {
			m.t.Errorf("%s: %d rows of others, %v", table, strangers, err)
		}
	}
	rows, err := m.to.Query(m.t.Context(), `SELECT format(
			'SELECT COUNT(*) FROM %s c WHERE c.%I IS NOT NULL AND NOT EXISTS (SELECT 1 FROM %s p WHERE p.%I = c.%I)',
			k.conrelid::regclass, a.attname, k.confrelid::regclass, f.attname, a.attname)
		FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
		JOIN pg_attribute f ON f.attrelid = k.confrelid AND f.attnum = k.confkey[1] WHERE k.contype = 'f'`)
	if err != nil {
		m.t.Fatal(err)
	}
	queries, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(queries) < 20 {
		m.t.Fatal(len(queries), err)
	}
	for _, query := range queries {
		var lost int
		if err := m.to.QueryRow(m.t.Context(), query).Scan(&lost); err != nil || lost != 0 {
			m.t.Errorf("%d rows refer to nothing: %s: %v", lost, query, err)
		}
	}
}

// TestCompanyMovesToAnotherCellWhileItIsUsed copies one company to another database by logical replication. The company
// and a neighbour are used meanwhile. Only for the switch is the company closed.
func TestCompanyMovesToAnotherCellWhileItIsUsed(t *testing.T) {
	source, target := storetest.Server(t), storetest.Server(t)
	here := deploytest.NewPlatform(t, source, "PORTICO_TRUSTED_PROXIES=127.0.0.1/32", "PORTICO_SMS_DAILY=100000")
	program := cheapHashProgram(t)
	commands := deploytest.Program(t)
	first := here.StartInstance(t, program)
	front := deploytest.Front{Address: deploytest.At(first.Port).Address, Apart: true}
	moving, staying := newManager(t, here, front), newManager(t, here, front)
	there := deploytest.NewPlatform(t, target, "PORTICO_TRUSTED_PROXIES=127.0.0.1/32",
		"PORTICO_SECRET="+here.Settings["PORTICO_SECRET"], "PORTICO_SIGN_SECRET="+here.Settings["PORTICO_SIGN_SECRET"])
	deploytest.Run(t, there.Command(commands, "migrate"))
	m := &move{t: t, company: moving.company, from: connect(t, source), to: connect(t, target)}

	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	var movingEnded, stayingEnded error
	working.Go(func() { movingEnded = moving.work(ctx) })
	var neighbour sync.WaitGroup
	neighbour.Go(func() { stayingEnded = staying.work(ctx) })
	awaitOpened(t, moving, 5)

	// Hash keys exist once the platform has started; phones and lines of orders come at the end.
	m.begin(libpqAddress(t, source))
	m.await("the first copy", m.to, `SELECT COUNT(*) = $1 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel`,
		len(companySpace))
	during := moving.count()
	awaitOpened(t, moving, during+10) // changes that replication brings, and not the first copy

	closed := time.Now()
	deploytest.Run(t, here.Command(commands, "company", "disable", moving.company))
	working.Wait() // the company is closed, so its work ended with a refusal
	if movingEnded == nil {
		t.Error("the closed company goes on")
	}
	m.await("the last transactions", m.from, `SELECT NOT EXISTS (SELECT 1 FROM pg_stat_activity
		WHERE datname = current_database() AND xact_start < $1 AND backend_type = 'client backend'
		AND pid <> pg_backend_pid())`, closed)
	m.catchUp()
	differs, rows := m.compare()
	// The statistics of the last pages are written some seconds later.
	for deadline := time.Now().Add(deploytest.Patience); differs != "" && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
		differs, rows = m.compare()
	}
	if differs != "" {
		t.Fatal(differs)
	}
	m.copyRest()
	m.checkRest()
	m.exec(m.to, "DROP SUBSCRIPTION moving")
	m.checkStrangers()
	m.advanceSequences()
	deploytest.Run(t, there.Command(commands, "company", "enable", moving.company))
	second := there.StartInstance(t, program)
	took := time.Since(closed)

	arrived := front
	arrived.Address = deploytest.At(second.Port).Address
	again := &manager{Person: arrived.NewPerson(), opened: moving.opened}
	again.Phone, again.Password = moving.Phone, moving.Password
	if err := again.signIn(t.Context()); err != nil {
		t.Fatalf("in the new cell: %v\n%s", err, second.Output())
	}
	if again.company != moving.company {
		t.Errorf("company %s became %s", moving.company, again.company)
	}
	for _, login := range moving.opened {
		var found bool
		if err := m.to.QueryRow(t.Context(), "SELECT EXISTS (SELECT 1 FROM accounts WHERE login = $1)", login).
			Scan(&found); err != nil || !found {
			t.Errorf("the account %s is missing: %v", login, err)
		}
	}
	orders, err := again.Get(t.Context(), again.host, "/mgr/orders")
	if err != nil || !strings.Contains(orders.Body, "/mgr/orders/") {
		t.Errorf("the orders in the new cell: %d %v", orders.Status, err)
	}
	if err := again.open(t.Context()); err != nil {
		t.Errorf("opening an account in the new cell: %v", err)
	}
	before := staying.count()
	awaitOpened(t, staying, before+1)
	stop()
	neighbour.Wait()
	if stayingEnded != nil {
		t.Errorf("the neighbour: %v", stayingEnded)
	}
	t.Logf("%d rows moved; %d accounts were opened before the copy ended, %d in all; closed for %.1f s; the neighbour "+
		"opened %d", rows, during, len(moving.opened), took.Seconds(), staying.count())
}

func awaitOpened(t *testing.T, m *manager, number int) {
	t.Helper()
	deploytest.WaitFor(t, "opened accounts", nil, func() error {
		if n := m.count(); n < number {
			return fmt.Errorf("%d of %d", n, number)
		}
		return nil
	})
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// libpqAddress returns the address of a server of storetest as other servers need it.
func libpqAddress(t *testing.T, address string) string {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("host=%s user=%s dbname=%s", config.Host, config.User, config.Database)
}
