package access_test

import (
	"regexp"
	"testing"

	"portico/portal/access"
)

func TestRandomStringsHaveTheirLengthsAndDiffer(t *testing.T) {
	for length, draw := range map[int]func() string{15: access.RandomString, 20: access.RequestString} {
		plain, seen, letters := regexp.MustCompile(`^[A-Za-z0-9]+$`), map[string]bool{}, map[rune]int{}
		const draws = 2000
		for range draws {
			text := draw()
			if len(text) != length || !plain.MatchString(text) || seen[text] {
				t.Fatalf("%q", text)
			}
			seen[text] = true
			for _, r := range text {
				letters[r]++
			}
		}
		mean := draws * length / 62
		for r, n := range letters {
			if n < mean/2 || n > 2*mean {
				t.Errorf("%c came %d times, the others %d", r, n, mean)
			}
		}
		if len(letters) != 62 {
			t.Errorf("%d different characters", len(letters))
		}
	}
}
