package imports

import (
	"testing"

	"portico/locale"
	"portico/portal/imports"
)

// A word must not name two columns of one list, in no two languages: a file may be in any.
func TestEveryNameOfAColumnNamesOneColumn(t *testing.T) {
	for _, list := range imports.Lists {
		columns, needed := imports.Columns(list)
		if needed < 1 || needed > len(columns) {
			t.Errorf("%s needs %d of %d columns", list, needed, len(columns))
		}
		named := map[string]imports.Column{}
		for _, lang := range locale.Langs {
			for _, column := range columnsOf(list) {
				for _, word := range spellings(lang, column.label, column.also...) {
					if was := named[word]; word == "" || was != "" && was != column.Column {
						t.Errorf("%s: %q names %s and %s", list, word, was, column.Column)
					}
					named[word] = column.Column
				}
			}
		}
		if got := words()[list].Columns; len(got) != len(named) {
			t.Errorf("%s has %d words, want %d", list, len(got), len(named))
		}
	}
	roles := words()[imports.PeopleList].Roles
	for word, want := range map[string]int64{
		"Employee": 2, "EMPLEADO": 2, "员工": 2, "Administrator": 1, "管理员": 1, "Customer": 3, "客户": 3,
	} {
		if got := roles[imports.Spelling(word)]; got != want {
			t.Errorf("%s is role %d, want %d", word, got, want)
		}
	}
}
