package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"portico/portal"
)

// fileSuffix makes the name of the variable that gives a secret setting as the path of a file.
const fileSuffix = "_FILE"

// maxSecretFile is the longest file of a secret setting, in bytes.
const maxSecretFile = 64 << 10

// secretSettings are the settings that hold a secret or may hold one. Each can be given as a file: NAME_FILE. None is
// printed.
var secretSettings = map[string]bool{
	"PORTICO_SECRET": true, "PORTICO_SIGN_SECRET": true, "PORTICO_DATABASE": true, "PORTICO_UPLOADS": true,
	"PORTICO_SMS_ALIYUN": true, "PORTICO_SMS_TENCENT": true, "PORTICO_SMS_WEBHOOK": true,
	"PORTICO_SMS_WEBHOOK_SECRET": true, "PORTICO_WECHAT_APP": true, "PORTICO_WECHAT_OPEN_APP": true,
	"PORTICO_WECHAT_MOBILE_APP": true,
	"PORTICO_WECOM_CORP":        true,
}

// secretFromFile reads the value of a secret setting from the file that NAME_FILE names. ok is false when NAME_FILE is
// not given. One line break at the end of the file is not part of the value.
func secretFromFile(given map[string]string, name string) (value string, ok bool, err error) {
	path := given[name+fileSuffix]
	if path == "" || !secretSettings[name] {
		return "", false, nil
	}
	if given[name] != "" {
		return "", false, fmt.Errorf("%s%s=%q: %s is set too; keep one of the two", name, fileSuffix, path, name)
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxSecretFile {
		err = errors.New("the file is longer than 64 KB")
	}
	var content []byte
	if err == nil {
		content, err = os.ReadFile(path)
	}
	if err == nil && len(content) == 0 {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return "", false, fmt.Errorf("%s%s=%q: accepted is the path of a readable file: %w", name, fileSuffix, path, err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r"), true, nil
}

func readSecret(c *config, value string) error {
	if value == "" {
		if c.production {
			return errors.New("production needs a master key of at least 32 random bytes")
		}
		return nil // made by devSecret
	}
	for one := range strings.SplitSeq(value, ",") {
		if len(one) < portal.MinSecret {
			return errors.New("accepted are master keys of at least 32 random bytes, separated by commas")
		}
		if err := c.checkSecret(one); err != nil {
			return err
		}
		c.secrets = append(c.secrets, []byte(one))
	}
	return nil
}

// devSignSecret signs calls in dev, where the secret protects nothing.
const devSignSecret = "portico-dev-sign-secret"

func readSignSecret(c *config, value string) error {
	if value == "" && !c.production {
		value = devSignSecret
	}
	for one := range strings.SplitSeq(value, ",") {
		if c.production && len(one) < portal.MinSecret {
			return errors.New("production needs secrets of at least 32 random bytes, separated by commas")
		}
		if one == "" {
			return errors.New("accepted are secrets separated by commas")
		}
		if err := c.checkSecret(one); err != nil {
			return err
		}
		c.signSecrets = append(c.signSecrets, one)
	}
	return nil
}

// checkSecretsDiffer refuses one value for two secrets: the request signature's secret is part of every app, so it must
// reveal nothing about the master key.
func (c *config) checkSecretsDiffer() error {
	if !c.production {
		return nil
	}
	type named struct{ name, value string }
	var all []named
	for _, one := range c.secrets {
		all = append(all, named{"PORTICO_SECRET", string(one)})
	}
	for _, one := range c.signSecrets {
		all = append(all, named{"PORTICO_SIGN_SECRET", one})
	}
	if c.sms.webhookSecret != "" {
		all = append(all, named{"PORTICO_SMS_WEBHOOK_SECRET", c.sms.webhookSecret})
	}
	for i, a := range all {
		for _, b := range all[i+1:] {
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

// knownSecrets are the SHA-256 hashes, in hex, of the long values that stand in this repository and could be mistaken
// for secrets. A test writes and checks the list.
//
//go:embed knownsecrets.txt
var knownSecrets string

// checkSecret refuses, in production, a secret that others know or can guess.
func (c *config) checkSecret(value string) error {
	if !c.production {
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

// isPlaceholder says whether a value contains the words of a placeholder or repeats itself.
func isPlaceholder(value string) bool {
	lower := strings.ToLower(value)
	return isRepeated(value) || slices.ContainsFunc(placeholderParts, func(part string) bool { return strings.Contains(lower, part) })
}

func differentBytes(value string) int {
	seen := map[byte]bool{}
	for i := range len(value) {
		seen[value[i]] = true
	}
	return len(seen)
}

// isRepeated says whether a value is a shorter one written at least twice; the last repetition may be cut.
func isRepeated(value string) bool {
	for n := 1; n <= len(value)/2; n++ {
		if strings.HasPrefix(value[n:], value[:n]) && strings.HasPrefix(value, value[n:]) {
			return true
		}
	}
	return false
}
