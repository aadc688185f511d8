package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// shippedPatterns has one pattern a line. The patterns name the files of the repository that people who run Portico get
// beside the program: in the archive under the same name, in the package and the image below docFolder. Every file that
// a shipped document links to must be shipped too.
//
//go:embed shipped.txt
var shippedPatterns string

// docFolder is where packages and the image have the shipped files.
const docFolder = "usr/share/doc/portico/"

// shipped returns the names of the shipped files in the repository.
func (r release) shipped() (names []string, err error) {
	for pattern := range strings.Lines(shippedPatterns) {
		pattern = strings.TrimSpace(pattern)
		found, err := fs.Glob(os.DirFS(r.source), pattern)
		if err == nil && len(found) == 0 {
			err = errors.New("there is no such file")
		}
		if err != nil {
			return nil, fmt.Errorf("shipped.txt: %s: %w", pattern, err)
		}
		names = append(names, found...)
	}
	return names, nil
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
	names, err := r.shipped()
	if err != nil {
		return err
	}
	for _, name := range names {
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
