package imports

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portico/portal/spreadsheets"
	"portico/store/searchkey"
)

// Words are what people write in files: the names of columns and of roles (store.TypeEmployee and so on), each by its
// Spelling.
type Words struct {
	Columns map[string]Word
	Roles   map[string]int64
}

// Word is a name of a column. Its Rank is 0 for the column's own name. Of other names, those with the lower rank name
// the column better.
type Word struct {
	Column Column
	Rank   int
}

// Spelling returns the normal form of a word: words that people read as the same have the same Spelling.
func Spelling(word string) string { return searchkey.Of(word) }

// Head is the name of a column in a file. Column is what it names, "" for nothing.
type Head struct {
	Text   string
	Column Column `json:",omitempty"`
	Rank   int    `json:",omitempty"`
	// Currency is the sign of a currency other than the yuan that the name has.
	Currency string `json:",omitempty"`
}

// bracketed is a name with something in brackets behind it.
var bracketed = regexp.MustCompile(`^(.+?)\s*[(\[{【<]([^()\[\]]*)[)\]}】>]$`)

// readHead finds out which column a name of a file means. Of a name like "*Phone (required):" only "phone" counts. What
// stands in brackets makes the name less certain, so that "Price" comes before "Price (old)".
func readHead(rule listRule, words Words, text string) Head {
	head := Head{Text: text}
	key := bareHead(text)
	word, ok := words.Columns[key]
	for rank := 0; !ok; rank++ {
		parts := bracketed.FindStringSubmatch(key)
		if parts == nil {
			return head
		}
		if sign := spreadsheets.Currency(parts[2]); sign != "" {
			head.Currency = sign
		}
		key = bareHead(parts[1])
		if word, ok = words.Columns[key]; ok {
			word.Rank += bracketRank
		}
	}
	if slices.Contains(rule.columns, word.Column) {
		head.Column, head.Rank = word.Column, word.Rank
	}
	return head
}

// bracketRank is added to the rank of a name of which a part in brackets was left out. It is above all other ranks.
const bracketRank = 1000

// headRemarks are what templates write beside the name of a column to say whether it has to be filled in.
var headRemarks = regexp.MustCompile(`[(\[【]?(必填|必须|必填项|选填|可选|非必填|` +
	`required|optional|mandatory|obligatori[oa]|opcional|requerid[oa])[)\]】]?$`)

// bareHead returns the Spelling of a name without the marks that templates add: asterisks, a colon, "(required)", and
// line breaks between Chinese characters.
func bareHead(text string) string {
	var made strings.Builder
	letters := []rune(norm.NFKC.String(text))
	for i, r := range letters {
		if unicode.IsSpace(r) && i > 0 && i+1 < len(letters) && isChinese(letters[i-1]) && isChinese(letters[i+1]) {
			continue
		}
		if !unicode.Is(unicode.Cf, r) {
			made.WriteRune(r)
		}
	}
	key := searchkey.Of(made.String())
	for was := ""; key != was; {
		was = key
		key = strings.Trim(key, "*★●•✱:;.,-_ ")
		key = strings.TrimSpace(headRemarks.ReplaceAllString(key, ""))
		if parts := inBrackets.FindStringSubmatch(key); parts != nil {
			key = strings.TrimSpace(parts[1])
		}
	}
	return key
}

// inBrackets is a name that stands in brackets as a whole.
var inBrackets = regexp.MustCompile(`^[(\[【「《]([^()\[\]【】「」《》]+)[)\]】」》]$`)

func isChinese(r rune) bool { return unicode.Is(unicode.Han, r) }

// heads are the columns of a table.
type heads []Head

// HeadsOf returns what the names of columns in a file mean for a list.
func HeadsOf(list List, words Words, texts []string) []Head {
	all := make([]Head, len(texts))
	for i, text := range texts {
		all[i] = readHead(listRules[list], words, text)
	}
	return all
}

// score returns how many different columns a row of a file names, 0 if it does not name every column that is needed.
func (h heads) score(rule listRule) int {
	named := map[Column]bool{}
	for _, head := range h {
		if head.Column != "" {
			named[head.Column] = true
		}
	}
	for _, needed := range rule.columns[:rule.needed] {
		if !named[needed] {
			return 0
		}
	}
	return len(named)
}

// of returns the indexes of the heads that name a column, the best first.
func (h heads) of(column Column) (all []int) {
	for i, head := range h {
		if head.Column == column {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return h[a].Rank - h[b].Rank })
	return all
}

// Question asks which of some columns of a file a column is. Heads are the indexes in Import.Heads.
type Question struct {
	Column Column
	Heads  []int
}

// None is the answer to a Question that no column of the file is meant.
const None = -1

// choose returns the index of the head for each column, in order: several for phones, one for the others. It asks about
// a column for which two heads are equally good and nobody has chosen.
func (h heads) choose(rule listRule, choices map[Column]int, running map[int]bool) (
	chosen map[Column][]int, questions []Question,
) {
	chosen = map[Column][]int{}
	for _, column := range rule.columns {
		candidates := h.of(column)
		asked := candidates[:0:0]
		sure := slices.DeleteFunc(slices.Clone(candidates), func(i int) bool { return running[i] })
		switch {
		case column == PhoneColumn:
			chosen[column] = candidates
			continue
		case len(sure) > 1 && h[sure[0]].Rank == h[sure[1]].Rank:
			for _, i := range sure {
				if h[i].Rank == h[sure[0]].Rank {
					asked = append(asked, i)
				}
			}
		case len(sure) == 0 && len(candidates) > 0 && h[candidates[0]].Rank == 0:
			asked = candidates[:1] // its own name, and yet a running number
		}
		choice, isChosen := choices[column]
		switch {
		case len(asked) == 0 && len(sure) > 0:
			chosen[column] = sure[:1]
		case len(asked) == 0:
		case isChosen && slices.Contains(asked, choice):
			chosen[column] = []int{choice}
		case isChosen && choice == None:
		default:
			questions = append(questions, Question{Column: column, Heads: asked})
		}
	}
	return chosen, questions
}

// runningNumbers returns the columns of product numbers that only count the rows: 1, 2, 3 and so on.
func runningNumbers(h heads, rows []Row) map[int]bool {
	all := map[int]bool{}
	for _, i := range h.of(NumberColumn) {
		counted := 0
		all[i] = true
		for _, row := range rows {
			if row.Cells[i] != "" {
				counted++
				all[i] = all[i] && row.Cells[i] == strconv.Itoa(counted)
			}
		}
		all[i] = all[i] && counted > 0
	}
	return all
}
