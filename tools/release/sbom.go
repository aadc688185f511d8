package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes portico_VERSION_linux_ARCH.cdx.json: what a program contains, as CycloneDX. The Go modules come from
// the program itself, the rest from the files of the repository that fix their versions.
func (r release) writeSBOM(ctx context.Context, arch, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	licences, err := r.licences()
	if err != nil {
		return err
	}
	components := goComponents(info, licences)
	scripts, err := r.scriptComponents(licences)
	if err != nil {
		return err
	}
	native, err := r.nativeComponents(ctx, arch)
	if err != nil {
		return err
	}
	components = append(append(components, scripts...), native...)
	self := component(cyclonedx.ComponentTypeApplication, "portico", r.version.file, "pkg:generic/portico@", "")
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = serial(r.commit + arch)
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.date.Format(time.RFC3339), Component: &self}
	bom.Components = &components
	all := make([]string, 0, len(components))
	for _, c := range components {
		all = append(all, c.BOMRef)
	}
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: self.BOMRef, Dependencies: &all}}
	file, err := os.Create(r.file("portico_%s_linux_%s.cdx.json", r.version.file, arch))
	if err != nil {
		return err
	}
	encoder := cyclonedx.NewBOMEncoder(file, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	return errors.Join(encoder.EncodeVersion(bom, cyclonedx.SpecVersion1_6), file.Close())
}

// serial returns a UUID that depends on a text only.
func serial(text string) string {
	h := sha256.Sum256([]byte(text))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80 // version 8, for UUIDs of one's own making
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// component returns a component whose package URL begins with a prefix and ends with the version. licence is an SPDX
// expression, "" for unknown.
func component(kind cyclonedx.ComponentType, name, version, prefix, licence string) cyclonedx.Component {
	c := cyclonedx.Component{
		Type: kind, Name: name, Version: version, PackageURL: prefix + version, BOMRef: prefix + version,
	}
	if licence != "" {
		c.Licenses = &cyclonedx.Licenses{{Expression: licence}}
	}
	return c
}

// noticeRow is a row of a table of THIRD_PARTY_NOTICES.md: a name, what it is for, its licence.
var noticeRow = regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]*\\|[^|]*\\| ([^|]+) \\|$")

// licences returns the licence of each module and package, by name. A test of Portico makes sure that none is missing.
func (r release) licences() (map[string]string, error) {
	text, err := r.read("docs/THIRD_PARTY_NOTICES.md")
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, m := range noticeRow.FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = m[2]
	}
	return all, nil
}

// goComponents returns the Go modules inside a program, and Go's standard library.
func goComponents(info *debug.BuildInfo, licences map[string]string) (all []cyclonedx.Component) {
	library := cyclonedx.ComponentTypeLibrary
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	all = append(all, component(library, "stdlib", goVersion, "pkg:golang/stdlib@", "BSD-3-Clause"))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, component(library, m.Path, m.Version, "pkg:golang/"+m.Path+"@", licences[m.Path]))
	}
	return all
}

// scriptComponents returns the npm packages that the scripts and the data in the program were made of.
func (r release) scriptComponents(licences map[string]string) (all []cyclonedx.Component, err error) {
	notices, err := r.read("docs/THIRD_PARTY_NOTICES.md")
	if err != nil {
		return nil, err
	}
	text, err := r.read("package-lock.json")
	if err != nil {
		return nil, err
	}
	var lock lockFile
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	inside, _, found := strings.Cut(string(notices), "\n## Go modules inside the program")
	if !found {
		return nil, errors.New("THIRD_PARTY_NOTICES.md has no section of the Go modules inside the program")
	}
	for _, m := range noticeRow.FindAllStringSubmatch(inside, -1) {
		name := m[1]
		version, err := lock.version(name)
		if err != nil {
			return nil, err
		}
		prefix := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@"
		all = append(all, component(cyclonedx.ComponentTypeLibrary, name, version, prefix, licences[name]))
	}
	return all, nil
}

// lockFile is the part of package-lock.json that has the versions, by the folders of the packages.
type lockFile struct {
	Packages map[string]struct{ Version string }
}

// version returns the version of a package, which npm may have put into the folder of another one. It fails unless
// there is exactly one version.
func (l lockFile) version(name string) (string, error) {
	found := map[string]bool{}
	for folder, p := range l.Packages {
		if folder == "node_modules/"+name || strings.HasSuffix(folder, "/node_modules/"+name) {
			found[p.Version] = true
		}
	}
	versions := slices.Sorted(maps.Keys(found))
	if len(versions) != 1 || versions[0] == "" {
		return "", fmt.Errorf("package-lock.json has the versions %q of %s, want one", versions, name)
	}
	return versions[0], nil
}

// nativeComponents returns what was written in C: SQLite and the C library.
func (r release) nativeComponents(ctx context.Context, arch string) ([]cyclonedx.Component, error) {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/mattn/go-sqlite3")
	list.Dir = r.source
	folder, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m github.com/mattn/go-sqlite3: %w", err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "sqlite3-binding.h"))
	if err != nil {
		return nil, err
	}
	m := regexp.MustCompile(`#define SQLITE_VERSION +"([0-9.]+)"`).FindSubmatch(source)
	if m == nil {
		return nil, errors.New("the version of SQLite was not found in sqlite3-binding.h")
	}
	library := cyclonedx.ComponentTypeLibrary
	sqlite := component(library, "sqlite", string(m[1]), "pkg:generic/sqlite@", "blessing")
	sqlite.CPE = fmt.Sprintf("cpe:2.3:a:sqlite:sqlite:%s:*:*:*:*:*:*:*", m[1])
	preprocess := exec.CommandContext(ctx, compilers[arch], "-E", "-P", "-x", "c", "-")
	preprocess.Stdin = strings.NewReader("#include <features.h>\n__GLIBC__.__GLIBC_MINOR__\n")
	header, err := preprocess.Output()
	if err != nil {
		return nil, fmt.Errorf("the version of the C library: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(header)), "\n")
	number := strings.ReplaceAll(lines[len(lines)-1], " ", "")
	glibc := component(library, "glibc", number, "pkg:generic/glibc@", "LGPL-2.1-or-later")
	glibc.CPE = fmt.Sprintf("cpe:2.3:a:gnu:glibc:%s:*:*:*:*:*:*:*", number)
	return []cyclonedx.Component{sqlite, glibc}, nil
}
