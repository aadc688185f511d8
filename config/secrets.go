package config

import (
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"portico/portal/core"
)

// fileSuffix makes the name of the variable that gives a secret setting as the path of a file.
const fileSuffix = "_FILE"

// maxSecretFile is the longest file of a secret setting, in bytes.
const maxSecretFile = 64 << 10

// fromFile reads the value of a secret setting from the file that NAME_FILE names. ok is false when NAME_FILE is not
// given. One line break at the end of the file is not part of the value.
func (s setting) fromFile(given map[string]string) (value string, ok bool, err error) {
	path := given[s.name+fileSuffix]
	if path == "" || !s.secret {
		return "", false, nil
	}
	if given[s.name] != "" {
		return "", false, fmt.Errorf("%s%s=%q: %s is set too; keep one of the two", s.name, fileSuffix, path, s.name)
	}
	content, err := readSecretFile(path)
	if err != nil {
		return "", false, fmt.Errorf("%s%s=%q: accepted is the path of a readable file: %w",
			s.name, fileSuffix, path, err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r"), true, nil
}

func readSecretFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > maxSecretFile {
		return "", errors.New("the file is longer than 64 KB")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if len(content) == 0 {
		return "", errors.New("the file is empty")
	}
	return string(content), nil
}

// Secrets are the keys of the program.
type Secrets struct {
	Sign    []string // secrets of the request signature: the first signs, all are accepted
	KeyFile string   // where dev keeps the master key that it makes
	keys    [][]byte // master keys; none in dev without PORTICO_SECRET
}

// MasterKeys returns the master keys: the first seals, all open. In dev without PORTICO_SECRET it reads the key that is
// kept beside the database, and makes one on the first start.
func (s Secrets) MasterKeys() ([][]byte, error) {
	if len(s.keys) > 0 {
		return s.keys, nil
	}
	kept, err := os.ReadFile(s.KeyFile)
	if err == nil && len(kept) >= core.MinSecret {
		return [][]byte{kept}, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the secret: %w", err)
	}
	raw := make([]byte, core.MinSecret)
	_, _ = rand.Read(raw) // never fails
	secret := []byte(base64.RawURLEncoding.EncodeToString(raw))
	if err := os.MkdirAll(filepath.Dir(s.KeyFile), 0o700); err != nil {
		return nil, fmt.Errorf("keep the secret: %w", err)
	}
	if err := os.WriteFile(s.KeyFile, secret, 0o600); err != nil {
		return nil, err
	}
	return [][]byte{secret}, nil
}

func readSecret(c *Config, value string) error {
	if value == "" {
		if c.Production {
			return errors.New("production needs a master key of at least 32 random bytes")
		}
		return nil // MasterKeys makes one
	}
	for key := range strings.SplitSeq(value, ",") {
		if len(key) < core.MinSecret {
			return errors.New("accepted are master keys of at least 32 random bytes, separated by commas")
		}
		if err := c.checkSecret(key); err != nil {
			return err
		}
		c.Secrets.keys = append(c.Secrets.keys, []byte(key))
	}
	return nil
}

// devSignSecret signs calls in dev, where the secret protects nothing.
const devSignSecret = "portico-dev-sign-secret"

func readSignSecret(c *Config, value string) error {
	if value == "" && !c.Production {
		value = devSignSecret
	}
	for key := range strings.SplitSeq(value, ",") {
		if c.Production && len(key) < core.MinSecret {
			return errors.New("production needs secrets of at least 32 random bytes, separated by commas")
		}
		if key == "" {
			return errors.New("accepted are secrets separated by commas")
		}
		if err := c.checkSecret(key); err != nil {
			return err
		}
		c.Secrets.Sign = append(c.Secrets.Sign, key)
	}
	return nil
}

// checkSecretsDiffer refuses one value for two secrets: the request signature's secret is part of every app, so it must
// reveal nothing about the master key.
func (c *Config) checkSecretsDiffer() error {
	if !c.Production {
		return nil
	}
	type named struct{ name, value string }
	var secrets []named
	for _, key := range c.Secrets.keys {
		secrets = append(secrets, named{"PORTICO_SECRET", string(key)})
	}
	for _, key := range c.Secrets.Sign {
		secrets = append(secrets, named{"PORTICO_SIGN_SECRET", key})
	}
	if c.SMS.WebhookSecret != "" {
		secrets = append(secrets, named{"PORTICO_SMS_WEBHOOK_SECRET", c.SMS.WebhookSecret})
	}
	for i, a := range secrets {
		for _, b := range secrets[i+1:] {
			if strings.Contains(a.value, b.value) || strings.Contains(b.value, a.value) {
				return fmt.Errorf("%s=%q: accepted is a value that is not part of %s; give each secret its own",
					b.name, "…", a.name)
			}
		}
	}
	return nil
}

// minDifferent is the least number of different bytes in a secret. 32 random bytes in hex have at least 12 in
// practice.
const minDifferent = 12

// placeholderParts appear in example values that people copy instead of making their own.
var placeholderParts = []string{
	"changeme", "change_me", "change-me", "change me", "secret", "password", "example", "your-", "your_", "portico",
	"placeholder", "0123456", "1234567", "abcdef", "qwerty", "test",
}

// knownSecrets are the SHA-256 hashes, in hex, of the values in this repository that look like secrets. A test writes
// and checks the list.
//
//go:embed knownsecrets.txt
var knownSecrets string

// checkSecret refuses, in production, a secret that others know or can guess.
func (c *Config) checkSecret(value string) error {
	if !c.Production {
		return nil
	}
	makeOne := "; make one with: openssl rand -base64 32"
	if isPlaceholder(value) {
		return errors.New("production refuses a placeholder" + makeOne)
	}
	if _, err := os.Stat(value); err == nil {
		return errors.New("production refuses the path of a file; give the path in the variable that ends with _FILE")
	}
	if differentBytes(value) < minDifferent || !strings.ContainsFunc(value, unicode.IsDigit) {
		return errors.New("production refuses a value that does not look random" + makeOne)
	}
	sum := sha256.Sum256([]byte(value))
	if strings.Contains(knownSecrets, hex.EncodeToString(sum[:])) {
		return errors.New("production refuses a value that stands in Portico's own files" + makeOne)
	}
	return nil
}

// isPlaceholder reports whether a value contains the words of a placeholder or repeats itself.
func isPlaceholder(value string) bool {
	lower := strings.ToLower(value)
	isPart := func(part string) bool { return strings.Contains(lower, part) }
	return isRepeated(value) || slices.ContainsFunc(placeholderParts, isPart)
}

func differentBytes(value string) int {
	seen := map[byte]bool{}
	for i := range len(value) {
		seen[value[i]] = true
	}
	return len(seen)
}

// isRepeated reports whether a value is a shorter one written at least twice; the last repetition may be cut.
func isRepeated(value string) bool {
	for n := 1; n <= len(value)/2; n++ {
		if strings.HasPrefix(value[n:], value[:n]) && strings.HasPrefix(value, value[n:]) {
			return true
		}
	}
	return false
}
