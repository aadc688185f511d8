package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// compilers has the C compiler of each architecture. SQLite is written in C.
var compilers = map[string]string{"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc"}

func architectures() []string { return slices.Sorted(maps.Keys(compilers)) }

// Without the C library's resolver and user database, which need its shared libraries at run time, and without
// extensions of SQLite, which are shared libraries too, a static program has everything that it needs.
const buildTags = "netgo,osusergo,sqlite_omit_load_extension"

// build compiles the program for an architecture. The same commit gives the same bytes, wherever it is checked out.
func (r release) build(ctx context.Context, arch, file string) error {
	compiler := compilers[arch]
	if _, err := exec.LookPath(compiler); err != nil {
		return fmt.Errorf("%s is needed for %s; on Debian: apt install gcc-%s", compiler, arch,
			strings.ReplaceAll(strings.TrimSuffix(compiler, "-gcc"), "_", "-"))
	}
	link := `-s -w -linkmode external -extldflags "-static -Wl,--build-id=none" ` +
		`-X portico/command.version=` + r.version.file
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-tags", buildTags,
		"-ldflags", link, "-o", file, ".")
	command.Dir = r.source
	command.Env = append(os.Environ(),
		"CGO_ENABLED=1", "GOOS=linux", "GOARCH="+arch, "CC="+compiler, "CGO_CFLAGS=-O2", "CGO_LDFLAGS=",
		"GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "LC_ALL=C",
		"SOURCE_DATE_EPOCH="+strconv.FormatInt(r.date.Unix(), 10))
	out, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build for %s: %w\n%s", arch, err, out)
	}
	// The linker warns when a static program would still load shared libraries.
	if bytes.Contains(out, []byte("warning")) {
		return fmt.Errorf("go build for %s is not static:\n%s", arch, out)
	}
	return r.checkCommit(file)
}

// checkCommit makes sure that a program says which commit it is of. The go command finds none in a worktree of git.
func (r release) checkCommit(program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && setting.Value == r.commit {
			return nil
		}
	}
	return fmt.Errorf("the program does not know its commit %s: build the release in a clone of the repository, "+
		"not in a worktree", r.commit)
}

// git returns what a git command prints about the repository.
func (r release) git(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir = r.source
	var problem bytes.Buffer
	command.Stderr = &problem
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(problem.Bytes()))
	}
	return strings.TrimRight(string(out), "\n"), nil
}
