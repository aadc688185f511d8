package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// shipped are the files of the repository that people who run Portico get beside the program: in the archive under the
// same name, in the package under /usr/share/doc/portico.
var shipped = []string{
	"CHANGELOG.md", "THIRD_PARTY_NOTICES.md", "THIRD_PARTY_LICENSES.txt", "docs/installing.md", "docs/operating.md",
	"docs/proxies.md", "docs/backup.md", "docs/sms.md", "deploy/portico.env.example", "deploy/systemd/portico.service",
	"deploy/systemd/portico-backup.service", "deploy/systemd/portico-backup.timer", "deploy/nginx/portico.conf",
	"deploy/haproxy/haproxy.cfg", "deploy/caddy/Caddyfile", "deploy/debian/portico-admin",
}

// entry is a file or folder of a tar archive.
type entry struct {
	name    string // of a folder with a slash at the end
	mode    int64
	owner   int // user and group
	content []byte
}

// writeTar writes entries that all have one time.
func writeTar(w io.Writer, at time.Time, entries []entry) error {
	archive := tar.NewWriter(w)
	for _, e := range entries {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.content)),
			ModTime: at, Format: tar.FormatPAX,
		}
		if strings.HasSuffix(e.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if _, err := archive.Write(e.content); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return archive.Close()
}

// writeArchive writes portico_VERSION_linux_ARCH.tar.gz: a folder with the program and what is shipped with it.
func (r release) writeArchive(arch, program string) error {
	folder := fmt.Sprintf("portico_%s_linux_%s", r.version.file, arch)
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	entries := []entry{{folder + "/", 0o755, 0, nil}, {folder + "/portico", 0o755, 0, binary}}
	for _, name := range shipped {
		content, err := r.read(name)
		if err != nil {
			return err
		}
		mode := int64(0o644)
		if name == "deploy/debian/portico-admin" {
			mode = 0o755
		}
		entries = append(entries, entry{folder + "/" + name, mode, 0, content})
	}
	file, err := os.Create(r.file("%s.tar.gz", folder))
	if err != nil {
		return err
	}
	compressed, _ := gzip.NewWriterLevel(file, gzip.BestCompression) // fails for unknown levels only
	return errors.Join(writeTar(compressed, r.date, entries), compressed.Close(), file.Close())
}

const checksumsName = "SHA256SUMS"

// writeChecksums writes SHA256SUMS of all files in a folder, as sha256sum -c reads it.
func writeChecksums(folder string) error {
	files, err := os.ReadDir(folder) // sorted by name
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, file := range files {
		if file.Name() == checksumsName {
			continue
		}
		sum, err := checksum(filepath.Join(folder, file.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, file.Name())
	}
	return os.WriteFile(filepath.Join(folder, checksumsName), []byte(text.String()), 0o644)
}

func checksum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
