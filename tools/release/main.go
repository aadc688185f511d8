// Package main makes a release of Portico: for each architecture an archive, a Debian package and an SBOM, then a
// container image, the release notes and the checksums of all files. It is a module of its own, so that Portico does
// not depend on the libraries that pack it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is what a release is made from, and the folder that it is written to.
type release struct {
	source  string    // the folder of the repository
	out     string    // the folder that the files are written to
	version version   // of the program
	commit  string    // 40 hex digits
	date    time.Time // of the commit; every file inside the packages has it
	notes   string    // what has changed, as Markdown
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	source := flags.String("source", "../..", "folder of the repository")
	out := flags.String("out", "../../dist", "folder to write the release to; an earlier release in it is removed")
	archs := flags.String("arch", strings.Join(architectures(), ","), "architectures, comma-separated")
	changed := flags.Bool("changed", false, "allow a checkout with changes that are not committed, to try something")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r, err := newRelease(ctx, *source, *out, *changed)
	if err != nil {
		return err
	}
	return r.make(ctx, strings.Split(*archs, ","))
}

// newRelease reads the version, the commit, its date and the notes of a checkout. It refuses a checkout with
// uncommitted changes, unless changed is true.
func newRelease(ctx context.Context, source, out string, changed bool) (r release, err error) {
	r = release{}
	if r.source, err = filepath.Abs(source); err != nil {
		return r, err
	}
	if r.out, err = filepath.Abs(out); err != nil {
		return r, err
	}
	state, err := r.git(ctx, "status", "--porcelain")
	switch {
	case err != nil:
		return r, err
	case state != "" && !changed:
		return r, fmt.Errorf("these files are not committed; commit them, or try without releasing by -changed:\n%s",
			state)
	}
	if r.commit, err = r.git(ctx, "rev-parse", "HEAD"); err != nil {
		return r, err
	}
	day, err := r.git(ctx, "show", "-s", "--format=%cI", "HEAD")
	if err != nil {
		return r, err
	}
	if r.date, err = time.Parse(time.RFC3339, day); err != nil {
		return r, err
	}
	r.date = r.date.UTC()
	tag, err := r.git(ctx, "describe", "--tags", "--match", "v[0-9]*")
	if err != nil {
		tag = "" // there is no tag
	}
	declared, err := r.read("command/VERSION")
	if err != nil {
		return r, err
	}
	if r.version, err = parseVersion(tag, strings.TrimSpace(string(declared))); err != nil {
		return r, err
	}
	changelog, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return r, err
	}
	r.notes, err = notesOf(string(changelog), r.version)
	return r, err
}

// make writes all files of the release.
func (r release) make(ctx context.Context, archs []string) error {
	if i := slices.IndexFunc(archs, func(a string) bool { return compilers[a] == "" }); i >= 0 {
		return fmt.Errorf("-arch %s: known are %s", archs[i], strings.Join(architectures(), " and "))
	}
	if err := r.emptyOut(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "portico-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	programs := map[string]string{}
	for _, arch := range archs {
		fmt.Println("==> builds portico", r.version.file, "for linux/"+arch)
		programs[arch] = filepath.Join(work, "portico-"+arch)
		if err := r.build(ctx, arch, programs[arch]); err != nil {
			return err
		}
	}
	for _, arch := range archs {
		fmt.Println("==> packs linux/" + arch)
		err := errors.Join(
			r.writeArchive(arch, programs[arch]), r.writePackage(arch, programs[arch]),
			r.writeSBOM(ctx, arch, programs[arch]),
		)
		if err != nil {
			return err
		}
	}
	fmt.Println("==> packs the container image")
	if err := r.writeImage(archs, programs); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, notesName), []byte(r.notes), 0o644); err != nil {
		return err
	}
	return writeChecksums(r.out)
}

// notesName is the file with what has changed, as Markdown.
const notesName = "RELEASE_NOTES"

// emptyOut makes the folder of the release. It removes what an earlier release left there, and refuses a folder with
// anything else, because that is not for this program to remove.
func (r release) emptyOut() error {
	old, err := os.ReadDir(r.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, entry := range old {
		name := entry.Name()
		if !strings.HasPrefix(name, "portico") && name != notesName && name != checksumsName {
			return fmt.Errorf("%s is not of a release: remove it, or choose another folder by -out",
				filepath.Join(r.out, name))
		}
	}
	return errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755))
}

// file returns the path of a file of the release.
func (r release) file(format string, args ...any) string {
	return filepath.Join(r.out, fmt.Sprintf(format, args...))
}

// read returns the content of a file of the repository.
func (r release) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(r.source, filepath.FromSlash(name)))
}
