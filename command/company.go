package command

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"portico/config"
	"portico/locale"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/operator"
	"portico/portal/stylesheet"
	"portico/store"
)

func runCompany(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	if len(args) == 0 {
		return usage("company: name an action: create, list, show, enable, disable, renew, extend-trial, set")
	}
	db, p, err := openMigrated(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	switch args[0] {
	case "create":
		return createCompany(ctx, p, out, args[1:])
	case "list":
		return listCompanies(ctx, p, out, args[1:])
	}
	if len(args) < 2 {
		return usage("company %s: name the company's id", args[0])
	}
	id, ok := access.DecimalID(args[1])
	if !ok {
		return usage("company %s: %q is not an id", args[0], args[1])
	}
	rest, isJSON := args[2:], false
	if args[0] == "show" && len(rest) == 1 && (rest[0] == asJSON || rest[0] == "-"+asJSON) {
		rest, isJSON = nil, true
	}
	if err := changeCompany(ctx, p, id, args[0], rest); err != nil {
		return fmt.Errorf("company %s %d: %w", args[0], id, err)
	}
	company, err := p.Operator.Company(ctx, id)
	if err != nil {
		return fmt.Errorf("company %d: %w", id, err)
	}
	if isJSON {
		return json.NewEncoder(out).Encode(companyRow(p, company))
	}
	list := newCompanyList(p, out, false)
	_ = list.add(company)
	return list.end()
}

// createCompany opens a company and says how its administrator gets in.
func createCompany(ctx context.Context, p *portal.Portal, out io.Writer, args []string) error {
	flags := newFlags("company create")
	var in office.OpenCompanyInput
	flags.StringVar(&in.Name, "name", "", "")
	flags.StringVar(&in.Language, "language", "zh", "")
	flags.StringVar(&in.AdminPhone, "admin-phone", "", "")
	flags.StringVar(&in.AdminName, "admin-name", "", "")
	isJSON := flags.Bool("json", false, "")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	language, known := locale.Match(in.Language)
	if !known || string(language) != in.Language {
		return usage("company create: --language is zh, es or en")
	}
	in.AdminName = cmp.Or(in.AdminName, language.T("type.1"))
	opened, err := p.Operator.OpenCompany(ctx, in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return fmt.Errorf("company create: %s", refusalText(refused))
	}
	if err != nil {
		return fmt.Errorf("company create: %w", err)
	}
	created := createdCompany{
		ID:            opened.Member.CompanyID,
		Login:         opened.Member.Login,
		FirstPassword: opened.First.Password,
		Link:          opened.Link,
	}
	until := opened.LinkUntil
	if opened.Link == "" {
		until = opened.First.Until
	}
	created.Until = until.Time().UTC().Format(time.RFC3339)
	if *isJSON {
		return json.NewEncoder(out).Encode(created)
	}
	fmt.Fprintf(out, "opened company %d, %s; its administrator's account is %s\n", created.ID, in.Name, created.Login)
	if created.Link != "" {
		fmt.Fprintf(out, "give the administrator this link, which works until %s:\n%s\n", created.Until, created.Link)
		return nil
	}
	fmt.Fprintf(
		out,
		"the administrator signs in with the account and this password, and then chooses another; it works "+
			"until %s:\n%s\n",
		created.Until,
		created.FirstPassword,
	)
	return nil
}

// createdCompany is what "company create" prints for programs.
type createdCompany struct {
	ID            int64  `json:"id"`
	Login         string `json:"login"`
	FirstPassword string `json:"first_password,omitempty"`
	Link          string `json:"link,omitempty"`
	Until         string `json:"until"` // when the password or the link expires
}

// refusalText returns a refusal in English, with what is wrong with each field.
func refusalText(refused *access.Refused) string {
	if len(refused.Fields) == 0 {
		key, args := refused.Message()
		return locale.English.T(key, args...)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(refused.Fields)) {
		all = append(all, locale.English.T("problem."+string(refused.Fields[name])))
	}
	return strings.Join(all, " ")
}

// listCompanies prints the companies that the flags select.
func listCompanies(ctx context.Context, p *portal.Portal, out io.Writer, args []string) error {
	flags := newFlags("company list")
	var q store.CompanyQuery
	flags.StringVar(&q.Text, "query", "", "")
	state := flags.String("state", "", "")
	flags.IntVar(&q.Limit, "limit", 0, "")
	flags.Int64Var(&q.After, "after", 0, "")
	isJSON := flags.Bool("json", false, "")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	list := newCompanyList(p, out, *isJSON)
	if err := p.Operator.FindCompanies(ctx, q, operator.CompanyState(*state), list.add); err != nil {
		return fmt.Errorf("company list: %w", err)
	}
	return list.end()
}

// companyList prints companies as a table or as a JSON array.
type companyList struct {
	portal  *portal.Portal
	out     io.Writer
	table   *tabwriter.Writer // nil for JSON
	printed int
}

func newCompanyList(p *portal.Portal, out io.Writer, isJSON bool) *companyList {
	l := &companyList{portal: p, out: out}
	if !isJSON {
		l.table = tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(l.table,
			"ID\tNAME\tIN MESSAGES\tSTANDING\tENDS\tDISABLED\tMALL\tLANGUAGE\tTHEME\tDESKTOP DOMAIN\tCHAT APPS")
	}
	return l
}

// tableBlock is after how many companies the table is printed, so that a long list does not wait in memory.
const tableBlock = 1000

// add adds one company.
func (l *companyList) add(c store.Company) error {
	l.printed++
	if l.table != nil {
		printCompany(l.table, c)
		if l.printed%tableBlock == 0 {
			return l.table.Flush()
		}
		return nil
	}
	row, err := json.Marshal(companyRow(l.portal, c))
	if err != nil {
		return err
	}
	before := ",\n"
	if l.printed == 1 {
		before = "[\n"
	}
	_, err = fmt.Fprintf(l.out, "%s%s", before, row)
	return err
}

func (l *companyList) end() error {
	if l.table != nil {
		return l.table.Flush()
	}
	text := "\n]\n"
	if l.printed == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(l.out, text)
	return err
}

// companyForPrograms is a company as "company list --json" prints it.
type companyForPrograms struct {
	ID            int64  `json:"id"`
	Name          string `json:"name"`
	NameConfirmed bool   `json:"name_confirmed"` // messages may use the name
	State         string `json:"state"`
	Ends          string `json:"ends,omitempty"` // RFC 3339; absent when it never ends
	Disabled      bool   `json:"disabled"`
	Mall          string `json:"mall"`
	Language      string `json:"language"`
	Theme         string `json:"theme"`
	DesktopDomain string `json:"desktop_domain,omitempty"`
	ChatApps      string `json:"chat_apps,omitempty"`
	Created       string `json:"created"`
}

func companyRow(p *portal.Portal, c store.Company) companyForPrograms {
	row := companyForPrograms{
		ID: c.ID, Name: c.Name, NameConfirmed: core.NameConfirmed(c), State: string(p.Operator.StateOf(c)),
		Disabled: c.Disabled, Mall: string(c.Mall), Language: c.Language, Theme: c.Theme, DesktopDomain: c.PCDomain,
		ChatApps: c.ChatDoors, Created: c.CreatedAt.Time().UTC().Format(time.RFC3339),
	}
	if c.EndsAt != 0 {
		row.Ends = c.EndsAt.Time().UTC().Format(time.RFC3339)
	}
	return row
}

// maxSettingLine is the longest value read from the standard input, in bytes.
const maxSettingLine = 4096

// changeCompany changes one company. A value of "-" is read from the standard input, so that a secret does not show in
// the list of processes.
func changeCompany(ctx context.Context, p *portal.Portal, id int64, action string, args []string) error {
	switch {
	case action == "show" && len(args) == 0:
		return nil
	case action == "enable" && len(args) == 0:
		return p.Operator.EnableCompany(ctx, id)
	case action == "disable" && len(args) == 0:
		return p.Operator.DisableCompany(ctx, id)
	case action == "renew" && len(args) == 1:
		day, err := time.ParseInLocation("2006-01-02", args[0], time.Local)
		if err != nil {
			return errors.New("name the last day as YYYY-MM-DD")
		}
		return p.Operator.RenewCompany(ctx, id, day.AddDate(0, 0, 1))
	case action == "extend-trial" && len(args) == 1:
		days, err := strconv.Atoi(args[0])
		if err != nil {
			return errors.New("name the number of days")
		}
		return p.Operator.ExtendTrial(ctx, id, days)
	case action == "set" && len(args) == 2 && args[1] == "-":
		value, err := readSetting(os.Stdin, args[0])
		if err != nil {
			return err
		}
		return p.Operator.SetCompany(ctx, id, args[0], value)
	case action == "set" && len(args) == 2:
		return p.Operator.SetCompany(ctx, id, args[0], args[1])
	}
	return usage("unknown action or wrong number of words; see portico company -h")
}

// readSetting reads the value of a setting: one line, or everything when it is a style sheet.
func readSetting(from io.Reader, name string) (string, error) {
	if name == "style" {
		sheet, err := io.ReadAll(io.LimitReader(from, stylesheet.MaxStyle+1))
		return string(sheet), err
	}
	line, err := bufio.NewReader(io.LimitReader(from, maxSettingLine+1)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = strings.TrimSpace(line); len(line) > maxSettingLine {
		return "", fmt.Errorf("the value has more than %d bytes", maxSettingLine)
	}
	return line, nil
}

func printCompany(out io.Writer, c store.Company) {
	ends := "never"
	if c.EndsAt != 0 {
		ends = c.EndsAt.Time().Format(time.DateOnly)
	}
	standing := string(c.Standing)
	if c.Sandbox {
		standing = "sandbox"
	}
	inMessages := "confirmed"
	if !core.NameConfirmed(c) {
		inMessages = "not confirmed"
	}
	fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%s\t%t\t%s\t%s\t%s\t%s\t%s\n", c.ID, c.Name, inMessages,
		standing, ends, c.Disabled, c.Mall, c.Language, c.Theme, c.PCDomain, cmp.Or(c.ChatDoors, "the platform's"))
}
