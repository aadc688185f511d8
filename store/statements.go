package store

import (
	"errors"
	"strings"
)

// statement is one statement of a migration, without its semicolon. comment is what stands above it.
type statement struct {
	sql, comment string
}

var (
	errNoSemicolon = errors.New("the last statement does not end with a semicolon")
	errNotClosed   = errors.New("a string, a quoted name or a comment does not end")
)

// splitStatements splits the text of a migration at its semicolons. A semicolon in a string, a quoted name or a comment
// ends no statement.
func splitStatements(text string) ([]statement, error) {
	var all []statement
	// above is where the comments above the statement begin. begin is where the statement does, -1 before its first
	// word.
	above, begin := 0, -1
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "--"):
			i += lengthUntil(rest, "\n", 2)
		case strings.HasPrefix(rest, "/*"):
			length := lengthUntil(rest, "*/", 2)
			if !strings.HasSuffix(rest[2:length], "*/") {
				return nil, errNotClosed
			}
			i += length
		case rest[0] == ';':
			if begin < 0 {
				return nil, errors.New("there is nothing before a semicolon")
			}
			all = append(all, statement{text[begin:i], strings.TrimSpace(text[above:begin])})
			i++
			above, begin = i, -1
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			i++
		default:
			if begin < 0 {
				begin = i
			}
			if rest[0] != '\'' && rest[0] != '"' {
				i++
				continue
			}
			// A doubled quote stands for a quote in a string. It is read here as the end of one string and the start of
			// the next, which splits at the same semicolons.
			length := lengthUntil(rest, rest[:1], 1)
			if length == 1 || rest[length-1] != rest[0] {
				return nil, errNotClosed
			}
			i += length
		}
	}
	if begin >= 0 {
		return nil, errNoSemicolon
	}
	return all, nil
}

// lengthUntil returns how many bytes of text there are up to the end of the first mark that follows after bytes, or all
// of them when there is no mark.
func lengthUntil(text, mark string, after int) int {
	at := strings.Index(text[after:], mark)
	if at < 0 {
		return len(text)
	}
	return after + at + len(mark)
}
