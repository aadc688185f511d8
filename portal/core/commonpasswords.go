package core

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
	"time"
)

// isCommonPassword says whether many people use the password in any case: it is in the list, it is a word of the list
// of six letters or more with up to three digits or signs after it (Password1!), or it is a date.
func isCommonPassword(password string) bool {
	password = strings.ToLower(password)
	if isDate(password) || inLines(commonPasswords(), password) {
		return true
	}
	word := strings.TrimRightFunc(password, isNoLetter)
	return len(word) >= 6 && len(password)-len(word) <= 3 && !strings.ContainsFunc(word, isNoLetter) &&
		inLines(commonPasswords(), word)
}

func isNoLetter(r rune) bool { return r < 'a' || r > 'z' }

// isDate says whether the password is a day of this or the last century as people write their birthdays.
func isDate(password string) bool {
	for _, layout := range []string{"20060102", "02012006", "01022006", "060102", "020106", "010206"} {
		if len(layout) != len(password) {
			continue
		}
		if day, err := time.Parse(layout, password); err == nil && day.Year() >= 1900 && day.Year() < 2100 {
			return true
		}
	}
	return false
}

// inLines finds a line in lines that are sorted and each end in a line feed, without an index of them.
func inLines(lines, wanted string) bool {
	for len(lines) > 0 {
		middle := len(lines) / 2
		start := strings.LastIndexByte(lines[:middle], '\n') + 1
		end := middle + strings.IndexByte(lines[middle:], '\n')
		switch strings.Compare(wanted, lines[start:end]) {
		case -1:
			lines = lines[:start]
		case 1:
			lines = lines[end+1:]
		default:
			return true
		}
	}
	return false
}

// packedPasswords is made by commonpasswords.mjs from @zxcvbn-ts/language-common and local lists: some 69,000
// passwords, one a line. They are not hashed, so that no other password is refused by a collision.
//
//go:embed commonpasswords.txt.gz
var packedPasswords []byte

// commonPasswords unpacks the list at its first use, in a few milliseconds.
var commonPasswords = sync.OnceValue(func() string {
	lines, err := gunzip(packedPasswords)
	if err != nil {
		panic(err) // it is part of the program
	}
	return lines
})

func gunzip(packed []byte) (string, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	unpacked, err := io.ReadAll(z)
	return string(unpacked), err
}
