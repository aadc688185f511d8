package backup

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"
)

// Recipients are public keys of age. Who has one of the private keys reads what was encrypted for them.
type Recipients []age.Recipient

// Identities are private keys of age.
type Identities []age.Identity

// ErrIdentity says that an archive is encrypted and that its private key is missing.
var ErrIdentity = errors.New("backup: this backup is encrypted")

var errRecipients = errors.New("accepted are public keys of age, like age1…, separated by commas; see age-keygen")

// ParseRecipients reads public keys of age, separated by commas. No error contains what was read: it may be a private
// key.
func ParseRecipients(text string) (all Recipients, err error) {
	for part := range strings.SplitSeq(text, ",") {
		parsed, err := age.ParseRecipients(strings.NewReader(strings.TrimSpace(part)))
		if err != nil || len(parsed) != 1 {
			return nil, errRecipients
		}
		all = append(all, parsed[0])
	}
	// age refuses keys for quantum computers beside others.
	if _, err := age.Encrypt(io.Discard, all...); err != nil {
		return nil, errors.New("these keys of age cannot be used together: take keys of one kind")
	}
	return all, nil
}

// ReadIdentities reads a file with private keys of age, as age-keygen writes it.
func ReadIdentities(path string) (Identities, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("backup: read the private key: %w", err)
	}
	defer func() { _ = file.Close() }()
	all, err := age.ParseIdentities(file)
	if err != nil {
		return nil, fmt.Errorf("backup: %s has no private key of age: accepted is a file that age-keygen wrote, "+
			"without a passphrase", path)
	}
	return all, nil
}

// encryptFor lets write write, for the recipients only when there are any.
func encryptFor(all Recipients, out io.Writer, write func(io.Writer) error) error {
	if len(all) == 0 {
		return write(out)
	}
	sealed, err := age.Encrypt(out, all...)
	if err != nil {
		return err
	}
	return errors.Join(write(sealed), sealed.Close())
}

// encryptedBegins is how a file of age begins.
var encryptedBegins = []byte("age-encryption.org/")

// decrypt returns an archive in the clear. ErrIdentity, ErrDamaged.
func decrypt(in io.Reader, keys Identities) (out io.Reader, encrypted bool, err error) {
	buffered := bufio.NewReader(in)
	if begin, _ := buffered.Peek(len(encryptedBegins)); !bytes.Equal(begin, encryptedBegins) {
		return buffered, false, nil
	}
	if len(keys) == 0 {
		return nil, true, fmt.Errorf("%w: name the file with its private key, -identity FILE", ErrIdentity)
	}
	out, err = age.Decrypt(buffered, keys...)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, true, fmt.Errorf("%w for another key: the file of -identity has none of its private keys",
			ErrIdentity)
	}
	if err != nil {
		return nil, true, ErrDamaged
	}
	return out, true, nil
}
