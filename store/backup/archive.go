package backup

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// An archive is a gzip file of a tar file with the manifest, the database and, at the end, the checksum of the
// manifest. So a file that is cut short anywhere is recognised.
const (
	manifestName = "manifest.json"
	databaseName = "database"
	checksumName = "manifest.sha256"
	// maxManifest is the largest manifest that is read, in bytes.
	maxManifest = 1 << 20
	fileMode    = 0o600
)

type writer = io.Writer

func writeArchive(out io.Writer, m Manifest, database io.Reader) error {
	packed, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	files := tar.NewWriter(packed)
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	add := func(name string, size int64) error {
		return files.WriteHeader(&tar.Header{Name: name, Size: size, Mode: fileMode, ModTime: m.MadeAt})
	}
	sum := sha256.Sum256(text)
	checksum := hex.EncodeToString(sum[:])
	if err := add(manifestName, int64(len(text))); err != nil {
		return err
	}
	if _, err := files.Write(text); err != nil {
		return err
	}
	if err := add(databaseName, m.Size); err != nil {
		return err
	}
	if _, err := io.Copy(files, database); err != nil {
		return err
	}
	if err := add(checksumName, int64(len(checksum))); err != nil {
		return err
	}
	if _, err := io.WriteString(files, checksum); err != nil {
		return err
	}
	return errors.Join(files.Close(), packed.Close())
}

// readArchive reads a whole archive, checks its checksums and writes the database into a new file that only its owner
// may read. When it fails, there may be a part of that file. ErrForeign, ErrDamaged.
func readArchive(in io.Reader, path string) (m Manifest, err error) {
	packed, err := gzip.NewReader(in)
	if err != nil {
		return m, ErrForeign
	}
	files := tar.NewReader(packed)
	text, err := readSmall(files, manifestName)
	if err != nil {
		return m, ErrForeign
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, ErrForeign
	}
	if m.Format != Format {
		return m, fmt.Errorf("%w: its format is %d, this program reads %d", ErrForeign, m.Format, Format)
	}
	if m.Engine != SQLite && m.Engine != Postgres {
		return m, fmt.Errorf("%w: its database is %q", ErrForeign, m.Engine)
	}
	header, err := files.Next()
	if err != nil || header.Name != databaseName || header.Size != m.Size {
		return m, ErrDamaged
	}
	if err := extract(files, m, path); err != nil {
		return m, err
	}
	checksum, err := readSmall(files, checksumName)
	sum := sha256.Sum256(text)
	if err != nil || string(checksum) != hex.EncodeToString(sum[:]) {
		return m, ErrDamaged
	}
	if _, err := files.Next(); !errors.Is(err, io.EOF) {
		return m, ErrDamaged
	}
	if _, err := io.Copy(io.Discard, packed); err != nil { // to the checksum of gzip
		return m, ErrDamaged
	}
	return m, nil
}

func readSmall(files *tar.Reader, name string) ([]byte, error) {
	header, err := files.Next()
	if err != nil || header.Name != name || header.Size > maxManifest {
		return nil, ErrDamaged
	}
	return io.ReadAll(files)
}

// sourceReader keeps the error of reading, so that a broken archive and a full disk are told apart.
type sourceReader struct {
	io.Reader
	err error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// extract writes the database of an archive into a new file. ErrDamaged.
func extract(in io.Reader, m Manifest, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	source, sum := &sourceReader{Reader: in}, sha256.New()
	_, err = io.Copy(io.MultiWriter(file, sum), source)
	err = errors.Join(err, file.Sync(), file.Close())
	switch {
	case source.err != nil:
		return ErrDamaged
	case err != nil:
		return fmt.Errorf("backup: %w", err)
	case hex.EncodeToString(sum.Sum(nil)) != m.SHA256:
		return ErrDamaged
	}
	return nil
}

// digest returns the size and the SHA-256 checksum of a file.
func digest(path string) (size int64, sum string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	size, err = io.Copy(hash, file)
	return size, hex.EncodeToString(hash.Sum(nil)), err
}
