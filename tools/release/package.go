package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	"github.com/goreleaser/nfpm/v2/files"
)

const (
	maintainer  = "Portico maintainers <maintainers@portico.invalid>"
	description = "sign-in and onboarding for a wholesale ordering platform\n" +
		"The front door of a platform with many companies: sign-in by password, code\n" +
		"or chat app, registering of companies, and applications of their customers.\n" +
		"One static program that needs SQLite, which is inside, or PostgreSQL."
)

// writePackage writes portico_VERSION_ARCH.deb.
func (r release) writePackage(arch, program string) error {
	work, err := os.MkdirTemp("", "portico-package-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	contents, err := r.packageContents(work, program)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "portico", Arch: arch, Platform: "linux", Version: r.version.debian, VersionSchema: "none",
		Section: "web", Priority: "optional", Maintainer: maintainer, Description: description,
		MTime: r.date, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Depends:    []string{"passwd"},
			Recommends: []string{"ca-certificates", "nginx | caddy | haproxy"},
			Suggests:   []string{"postgresql-client"},
			Contents:   contents,
			Scripts: nfpm.Scripts{
				PostInstall: r.path("deploy/debian/postinst"), PreRemove: r.path("deploy/debian/prerm"),
				PostRemove: r.path("deploy/debian/postrm"),
			},
			Deb: nfpm.Deb{Compression: "xz"},
		},
	})
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return fmt.Errorf("deb: %w", err)
	}
	packager, err := nfpm.Get("deb")
	if err != nil {
		return err
	}
	file, err := os.Create(r.file("portico_%s_%s.deb", r.version.debian, arch))
	if err != nil {
		return err
	}
	return errors.Join(packager.Package(info, file), file.Close())
}

func (r release) path(name string) string { return filepath.Join(r.source, filepath.FromSlash(name)) }

// packageContents returns what the package installs. Files that are made for it are written to the folder work.
func (r release) packageContents(work, program string) (files.Contents, error) {
	contents := files.Contents{
		r.content(program, "/usr/bin/portico", "", 0o755),
		r.content(r.path("deploy/debian/portico-admin"), "/usr/sbin/portico-admin", "", 0o755),
		r.content(r.path("deploy/portico.env.example"), "/etc/portico/portico.env", files.TypeConfigNoReplace, 0o640),
	}
	for _, unit := range []string{"portico.service", "portico-backup.service", "portico-backup.timer"} {
		contents = append(contents, r.content(r.path("deploy/systemd/"+unit), "/lib/systemd/system/"+unit, "", 0o644))
	}
	copyright, err := r.copyright()
	if err != nil {
		return nil, err
	}
	manual, err := r.read("deploy/debian/portico.8")
	if err != nil {
		return nil, err
	}
	made := []struct {
		to   string
		text []byte
	}{
		{"/usr/share/doc/portico/copyright", copyright},
		{"/usr/share/doc/portico/changelog.gz", zipped(r.debianChangelog())},
		{"/usr/share/lintian/overrides/portico", []byte("portico: statically-linked-binary [usr/bin/portico]\n")},
		{"/usr/share/man/man8/portico.8.gz", zipped(manual)},
		{"/usr/share/man/man8/portico-admin.8.gz", zipped([]byte(".so man8/portico.8\n"))},
	}
	names, err := r.shipped()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		contents = append(contents, r.content(r.path(name), "/"+docFolder+name, "", 0o644))
	}
	for i, m := range made {
		from := filepath.Join(work, fmt.Sprint(i))
		if err := os.WriteFile(from, m.text, 0o644); err != nil {
			return nil, err
		}
		contents = append(contents, r.content(from, m.to, "", 0o644))
	}
	return contents, nil
}

func (r release) content(from, to, kind string, mode os.FileMode) *files.Content {
	return &files.Content{Source: from, Destination: to, Type: kind, FileInfo: &files.ContentFileInfo{
		Owner: "root", Group: "root", Mode: mode, MTime: r.date,
	}}
}

// copyright returns the notices of everything inside the program, as Debian wants them.
func (r release) copyright() ([]byte, error) {
	notices, err := r.read("docs/THIRD_PARTY_NOTICES.md")
	return fmt.Appendf(nil, "Portico: Copyright the authors of Portico.\n\n%s\n"+
		"The licences are in /usr/share/doc/portico/docs/THIRD_PARTY_LICENSES.txt; on Debian, the Apache License 2.0\n"+
		"is also in /usr/share/common-licenses/Apache-2.0.\n", notices), err
}

// debianChangelog returns an entry for the version, as Debian's tools read it. CHANGELOG.md has what has changed.
func (r release) debianChangelog() []byte {
	const form = "portico (%s) stable; urgency=medium\n\n  * See CHANGELOG.md beside this file.\n\n -- %s  %s\n"
	return fmt.Appendf(nil, form, r.version.debian, maintainer, r.date.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
}

// zipped returns a text as gzip -9n writes it.
func zipped(text []byte) []byte {
	var buffer bytes.Buffer
	w, _ := gzip.NewWriterLevel(&buffer, gzip.BestCompression) // fails for unknown levels only
	_, _ = w.Write(text)                                       // a buffer takes everything
	_ = w.Close()
	return buffer.Bytes()
}
