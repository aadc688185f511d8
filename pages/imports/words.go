package imports

import (
	"context"
	"slices"
	"strings"

	"portico/locale"
	"portico/pages/web"
	"portico/portal/imports"
	"portico/store"
)

// namedColumn is a column of a list. label is the key of its name. also are the keys of other names that people write,
// in each text separated by commas.
type namedColumn struct {
	imports.Column
	label string
	also  []string
}

// columnNames are the keys of the names of each list's columns. The first is the name in its export, too.
var columnNames = map[imports.List]map[imports.Column][]string{
	imports.CustomerList: {
		imports.NameColumn:    {"order.client", "import.also_customer", "import.also_name"},
		imports.ContactColumn: {"customer.contact", "import.also_contact"},
		imports.PhoneColumn:   {"lists.phone", "import.also_phone"},
	},
	imports.PeopleList: {
		imports.NameColumn:     {"lists.person", "import.also_person"},
		imports.PhoneColumn:    {"lists.phone", "import.also_phone"},
		imports.RoleColumn:     {"lists.role", "import.also_role"},
		imports.CustomerColumn: {"order.client", "import.also_customer"},
		imports.LoginColumn:    {"lists.login", "import.also_login"},
	},
	imports.ProductList: {
		imports.NameColumn:     {"product.name", "import.also_product"},
		imports.NumberColumn:   {"product.number", "import.also_number"},
		imports.CategoryColumn: {"product.category", "import.also_category"},
		imports.SpecColumn:     {"product.spec", "import.also_spec"},
		imports.UnitColumn:     {"product.unit", "import.also_unit"},
		imports.PriceColumn:    {"product.price", "import.also_price"},
		imports.StockColumn:    {"product.stock", "import.also_stock"},
	},
}

// roleNames are the roles of people, with the keys of other words for them.
var roleNames = map[int]string{
	store.TypeAdministrator: "import.also_type_1", store.TypeEmployee: "import.also_type_2",
	store.TypeShop: "import.also_type_3",
}

// columnsOf returns the columns of a list in order.
func columnsOf(list imports.List) (all []namedColumn) {
	columns, _ := imports.Columns(list)
	for _, column := range columns {
		keys := columnNames[list][column]
		all = append(all, namedColumn{column, keys[0], keys[1:]})
	}
	return all
}

// words returns what people write in files, in every language: a file may be from a colleague who uses another one.
func words() map[imports.List]imports.Words {
	all := map[imports.List]imports.Words{}
	for _, list := range imports.Lists {
		w := imports.Words{Columns: map[string]imports.Word{}, Roles: map[string]int64{}}
		for _, lang := range locale.Langs {
			for _, column := range columnsOf(list) {
				for rank, word := range spellings(lang, column.label, column.also...) {
					if was, known := w.Columns[word]; !known || rank < was.Rank {
						w.Columns[word] = imports.Word{Column: column.Column, Rank: rank}
					}
				}
			}
			for role, also := range roleNames {
				for _, word := range spellings(lang, "type."+web.TypeName(role), also) {
					w.Roles[word] = int64(role)
				}
			}
		}
		all[list] = w
	}
	return all
}

// spellings returns the spellings of a text and of the words in others.
func spellings(lang locale.Lang, label string, also ...string) []string {
	all := []string{imports.Spelling(lang.T(label))}
	for _, key := range also {
		for word := range strings.SplitSeq(lang.T(key), ",") {
			all = append(all, imports.Spelling(word))
		}
	}
	return all
}

// rolesMean says what can stand in the column of roles.
func rolesMean(ctx context.Context) string {
	var roles []string
	for _, role := range []int{store.TypeEmployee, store.TypeAdministrator, store.TypeShop} {
		roles = append(roles, locale.T(ctx, "type."+web.TypeName(role)))
	}
	return locale.T(ctx, "import.means_people_role", "roles", strings.Join(roles, ", "), "employee", roles[0])
}

// usedColumns names the columns of a file that are in use, the others, and those of the others that only count the
// rows; "" for none.
func usedColumns(ctx context.Context, im imports.Import) (inUse, unused, running string) {
	var used, others, counting []string
	for i, head := range im.Heads {
		switch {
		case im.Used[i]:
			used = append(used, head.Text)
		case slices.Contains(im.Running, i):
			counting = append(counting, head.Text)
		case head.Text != "":
			others = append(others, head.Text)
		}
	}
	inUse = locale.T(ctx, "import.used", "names", strings.Join(used, ", "))
	if len(others) > 0 {
		unused = locale.T(ctx, "import.unused", "names", strings.Join(others, ", "))
	}
	if len(counting) > 0 {
		running = locale.T(ctx, "import.running", "names", strings.Join(counting, ", "))
	}
	return inUse, unused, running
}
