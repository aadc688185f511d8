package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"portico/config"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/stylesheet"
	"portico/portal/verification"
	"portico/store"
)

func runCompany(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	if len(args) == 0 {
		return errors.New("company: name an action: list, show, enable, disable, renew, extend-trial, set")
	}
	db, p, err := openMigrated(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if args[0] == "list" {
		all, err := p.Operator.Companies(ctx)
		printCompanies(out, all)
		return err
	}
	if len(args) < 2 {
		return fmt.Errorf("company %s: name the company's id", args[0])
	}
	id, ok := access.DecimalID(args[1])
	if !ok {
		return fmt.Errorf("company %s: %q is not an id", args[0], args[1])
	}
	if err := changeCompany(ctx, p, id, args[0], args[2:]); err != nil {
		return fmt.Errorf("company %s %d: %w", args[0], id, err)
	}
	company, err := p.Operator.Company(ctx, id)
	if err != nil {
		return fmt.Errorf("company %d: %w", id, err)
	}
	printCompanies(out, []store.Company{company})
	return nil
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
	return errors.New("unknown action or wrong number of words; see portico company -h")
}

// readSetting reads the value of a setting: one line, or everything when it is a style sheet.
func readSetting(from io.Reader, name string) (string, error) {
	if name == "style" {
		sheet, err := io.ReadAll(io.LimitReader(from, stylesheet.MaxStyle+1))
		return string(sheet), err
	}
	line, err := bufio.NewReader(io.LimitReader(from, maxSettingLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

func printCompanies(out io.Writer, all []store.Company) {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	head := "ID\tNAME\tIN MESSAGES\tSTANDING\tENDS\tDISABLED\tMALL\tLANGUAGE\tTHEME\tDESKTOP DOMAIN\tCHAT APPS"
	fmt.Fprintln(table, head)
	for _, c := range all {
		ends := "never"
		if c.EndsAt != 0 {
			ends = c.EndsAt.Time().Format(time.DateOnly)
		}
		standing := string(c.Standing)
		if c.Sandbox {
			standing = "sandbox"
		}
		inMessages := "confirmed"
		if !verification.NameConfirmed(c) {
			inMessages = "not confirmed"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%t\t%s\t%s\t%s\t%s\t%s\n", c.ID, c.Name, inMessages,
			standing, ends, c.Disabled, c.Mall, c.Language, c.Theme, c.PCDomain, cmp.Or(c.ChatDoors, "the platform's"))
	}
	_ = table.Flush()
}
