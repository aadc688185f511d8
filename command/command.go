// Package command has the commands of the program: each reads the settings, builds what it needs and connects it.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"portico/config"
)

// command is one subcommand of the program.
type command struct {
	name, args, help string // args that begin with [-n] or [-json] allow that flag
	run              func(ctx context.Context, c config.Config, out io.Writer, args []string) error
	// allowsWrongSettings says that the command runs even when settings are wrong. config.Config.Wrong has the errors.
	allowsWrongSettings bool
}

// The flags of commands. A command that allows one gets it as the first of its arguments.
const (
	dryRun = "-n"    // say what the command would do, and do nothing
	asJSON = "-json" // print JSON for programs
	// These have a value, which follows them.
	forRecipients = "-age"      // public keys that a backup is encrypted for
	withIdentity  = "-identity" // file with the private key of a backup
)

func commands() []command {
	return []command{
		{"serve", "", "serve the platform (the default)", runServe, false},
		{
			"migrate", "[-n] | status",
			"bring the database to this program's version; -n prints the statements and runs none; " +
				"status prints the versions and exits with 1 if one is pending",
			runMigrate, false,
		},
		{"demo", "", "load the demo data; can be run again", runDemo, false},
		{
			"company",
			"create --name N --language L [--admin-phone P] [--admin-name N] [--json] | " +
				"list [--query TEXT] [--state STATE] [--limit N] [--after ID] [--json] | show ID [--json] | " +
				"enable ID | disable ID | renew ID YYYY-MM-DD | extend-trial ID DAYS | set ID NAME VALUE",
			"look at and change companies; \"set ID name confirmed\" lets messages use the name that a company chose",
			runCompany, false,
		},
		{
			"backup", "[-age KEYS] [TARGET]",
			"write the database into one archive while the platform serves; TARGET is a file or " +
				"s3://KEY:SECRET@endpoint/bucket/name, also for verify and restore; -age encrypts it for public keys " +
				"of age, comma-separated, instead of those of PORTICO_BACKUP_AGE",
			runBackup, false,
		},
		{
			"verify", "[-identity FILE] TARGET",
			"read a whole backup and check it; -identity names the file with the private key of an encrypted one",
			runVerify, false,
		},
		{
			"restore", "[-replace] [-identity FILE] TARGET",
			"write a backup into the database of PORTICO_DATABASE, which must be missing or empty; -replace puts it " +
				"in the place of a SQLite file, which is kept beside it",
			runRestore, false,
		},
		{
			"reseal", "",
			"seal stored secrets with the first key of PORTICO_SECRET; can be run while the platform serves",
			runReseal, false,
		},
		{
			"doctor", "[sms PHONE | wechat [ID] | settings | database | storage | dns | proxy]",
			"check the installation: a line for each check, with what to do; exits with 1 if one fails; only " +
				"\"sms PHONE\" sends a message",
			runDoctor, true,
		},
		{
			"config", "[-json]",
			"print every setting that is in force, as an environment file, without secrets",
			runConfig, true,
		},
		{"version", "", "print the version, commit and date of the program", runVersion, true},
	}
}

// Main runs the command that the arguments of the process name. It ends the process with status 1 when the command
// fails, and with 2 when it was called in a wrong way.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal ends the program at once
	if err := run(ctx, os.Args[1:], os.Environ(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "portico:", err)
		os.Exit(exitStatus(err))
	}
}

// errUsage marks the error of a command that was called in a wrong way.
type errUsage struct{ error }

// usage returns the error of a command that was called in a wrong way.
func usage(format string, args ...any) error { return errUsage{fmt.Errorf(format, args...)} }

// exitStatus returns 2 for a command that was called in a wrong way, 1 for one that failed.
func exitStatus(err error) int {
	if _, ok := errors.AsType[errUsage](err); ok {
		return 2
	}
	return 1
}

// newFlags returns the flags of an action. The help of its command explains them.
func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

// parseFlags reads the flags of an action, which takes no other words.
func parseFlags(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return usage("%s: %w", flags.Name(), err)
	}
	if flags.NArg() > 0 {
		return usage("%s: unknown word %q", flags.Name(), flags.Arg(0))
	}
	return nil
}

// run finds the subcommand, reads the configuration and runs it.
func run(ctx context.Context, args, environ []string, out io.Writer) error {
	name := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	list := commands()
	i := slices.IndexFunc(list, func(c command) bool { return c.name == name })
	if i < 0 {
		printUsage(out, list)
		return usage("unknown command %q", name)
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() { printHelp(out, list, list[i]) }
	// An action may come before -h: portico company show -h.
	if slices.Contains(args, "-h") || slices.Contains(args, "--help") {
		flags.Usage()
		return nil
	}
	given := map[string]*bool{}
	for _, name := range []string{dryRun, asJSON, replaceOld} {
		if strings.HasPrefix(list[i].args, "["+name+"]") {
			given[name] = flags.Bool(strings.TrimPrefix(name, "-"), false, "")
		}
	}
	var values []string
	for _, name := range []string{forRecipients, withIdentity} {
		if strings.Contains(list[i].args, "["+name+" ") {
			flags.Func(strings.TrimPrefix(name, "-"), "", func(value string) error {
				values = append(values, name, value)
				return nil
			})
		}
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	c, err := config.Read(environ)
	if err != nil && !list[i].allowsWrongSettings {
		return err
	}
	args = append(values, flags.Args()...)
	for name, isGiven := range given {
		if *isGiven {
			args = append([]string{name}, args...)
		}
	}
	return list[i].run(ctx, c, out, args)
}

func runVersion(_ context.Context, _ config.Config, out io.Writer, _ []string) error {
	_, err := fmt.Fprintln(out, readBuild())
	return err
}

func printUsage(out io.Writer, all []command) {
	fmt.Fprintln(out, "usage: portico [COMMAND]")
	for _, c := range all {
		fmt.Fprintf(out, "  %-10s %s\n", c.name, c.help)
	}
	fmt.Fprintln(out, "portico COMMAND -h explains one; configuration is by environment, see portico serve -h")
}

func printHelp(out io.Writer, all []command, c command) {
	fmt.Fprintf(out, "usage: portico %s %s\n  %s\n", c.name, c.args, c.help)
	if c.name != "serve" {
		return
	}
	fmt.Fprintln(out, "\nother commands:")
	for _, other := range all[1:] {
		fmt.Fprintf(out, "  %-10s %s\n", other.name, other.help)
	}
	fmt.Fprintln(out, "\nconfiguration, by environment:")
	for _, s := range config.Settings() {
		fmt.Fprintf(out, "  %s (default: %s)\n      %s\n", s.Name, s.Default, s.Meaning)
	}
}
