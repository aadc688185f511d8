package backup_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"portico/store"
	"portico/store/backup"
	"portico/store/schema"
	"portico/store/whole"
)

// keyPair makes a key of age: the public key, and a file with the private one.
func keyPair(t *testing.T) (public, file string) {
	t.Helper()
	private, err := age.GenerateX25519Identity()
	must(t, err)
	file = filepath.Join(t.TempDir(), "key.txt")
	must(t, os.WriteFile(file, []byte("# a comment\n"+private.String()+"\n"), 0o600))
	return private.Recipient().String(), file
}

func identities(t *testing.T, file string) backup.Identities {
	t.Helper()
	all, err := backup.ReadIdentities(file)
	must(t, err)
	return all
}

func TestEncryptedBackupIsReadWithOneOfItsPrivateKeysOnly(t *testing.T) {
	eachInAll(t, func(t *testing.T, from, to backup.Installation) {
		first, firstFile := keyPair(t)
		second, secondFile := keyPair(t)
		_, otherFile := keyPair(t)
		var err error
		from.Recipients, err = backup.ParseRecipients(first + ", " + second)
		must(t, err)
		file := written(t, from)
		data, err := os.ReadFile(file)
		must(t, err)
		if bytes.Contains(data, []byte("canary-event")) || bytes.HasPrefix(data, []byte("\x1f\x8b")) {
			t.Error("the archive is not encrypted")
		}
		if _, err := backup.Verify(t.Context(), place(t, file)); !errors.Is(err, backup.ErrIdentity) ||
			!strings.Contains(err.Error(), "-identity FILE") {
			t.Errorf("without a key: %v", err)
		}
		_, err = backup.Verify(t.Context(), place(t, file), identities(t, otherFile)...)
		if !errors.Is(err, backup.ErrIdentity) || !strings.Contains(err.Error(), "another key") {
			t.Errorf("with a wrong key: %v", err)
		}
		for _, good := range []string{firstFile, secondFile} {
			m, err := backup.Verify(t.Context(), place(t, file), identities(t, good)...)
			if err != nil || !m.Encrypted {
				t.Errorf("%+v %v", m, err)
			}
		}
		to.Identities = identities(t, otherFile)
		if _, err := backup.Restore(t.Context(), to, place(t, file), false); !errors.Is(err, backup.ErrIdentity) {
			t.Errorf("restored with a wrong key: %v", err)
		}
		for name, part := range map[string][]byte{
			"cut in the header": data[:40], "cut in the middle": data[:len(data)/2],
			"without the last byte": data[:len(data)-1], "with another byte": append(bytes.Clone(data), 0),
			"changed in the middle": flipped(data, len(data)/2), "changed at the end": flipped(data, len(data)-1),
			"changed in the header": flipped(data, 60), "changed at the begin of the data": flipped(data, 400),
		} {
			damaged := filepath.Join(t.TempDir(), "damaged")
			must(t, os.WriteFile(damaged, part, 0o600))
			to.Identities = identities(t, firstFile)
			_, err := backup.Verify(t.Context(), place(t, damaged), to.Identities...)
			if !errors.Is(err, backup.ErrDamaged) && !errors.Is(err, backup.ErrIdentity) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := backup.Restore(t.Context(), to, place(t, damaged), false); err == nil {
				t.Errorf("%s: restored", name)
			}
			if _, err := store.OpenMigrated(t.Context(), to.Database); !errors.Is(err, schema.ErrNoDatabase) {
				t.Errorf("%s left a database behind: %v", name, err)
			}
		}
		_, err = backup.Restore(t.Context(), to, place(t, file), false)
		must(t, err)
		restored, err := store.OpenMigrated(t.Context(), to.Database)
		must(t, err)
		defer func() { _ = restored.Close() }()
		if c, err := whole.ContentsOf(t.Context(), restored); err != nil || c.Rows["audit_events"] != 1 {
			t.Errorf("%v %v", c, err)
		}
	})
}

func flipped(data []byte, at int) []byte {
	changed := bytes.Clone(data)
	changed[at] ^= 1
	return changed
}

func TestErrorsOfKeysShowNoKey(t *testing.T) {
	private, err := age.GenerateX25519Identity()
	must(t, err)
	public := private.Recipient().String()
	for _, wrong := range []string{"", "age1", private.String(), public + "," + private.String(), public + ",,"} {
		_, err := backup.ParseRecipients(wrong)
		if err == nil || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for _, wrong := range []string{"", public, private.String() + "x", "-----BEGIN OPENSSH PRIVATE KEY-----"} {
		file := filepath.Join(t.TempDir(), "key.txt")
		must(t, os.WriteFile(file, []byte(wrong), 0o600))
		_, err := backup.ReadIdentities(file)
		if err == nil || strings.Contains(err.Error(), "SECRET") || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if _, err := backup.ReadIdentities(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
