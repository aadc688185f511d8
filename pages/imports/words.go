package imports

import (
	"context"
	"net/http"
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
		w := imports.Words{Columns: map[string]imports.Column{}, Roles: map[string]int64{}}
		for _, lang := range locale.Langs {
			for _, column := range columnsOf(list) {
				for _, word := range spellings(lang, column.label, column.also...) {
					w.Columns[word] = column.Column
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

// columnNames names the columns of a file that are in use, and the others; "" for none.
func (p *Pages) columnNames(r *http.Request, list imports.List, heads []string) (inUse, unused string) {
	var used, others []string
	for i, column := range imports.ColumnsOf(list, p.words[list], heads) {
		switch {
		case column != "":
			used = append(used, heads[i])
		case heads[i] != "":
			others = append(others, heads[i])
		}
	}
	ctx := r.Context()
	inUse = locale.T(ctx, "import.used", "names", strings.Join(used, ", "))
	if len(others) > 0 {
		unused = locale.T(ctx, "import.unused", "names", strings.Join(others, ", "))
	}
	return inUse, unused
}
