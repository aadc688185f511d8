package imports

import (
	"cmp"
	"strings"
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

// The names are those of lists that these programs write.
func TestListsOfOtherProgramsAreRead(t *testing.T) {
	for program, c := range map[string]struct {
		list  imports.List
		heads string
		want  string // the columns, "-" for one that is not used
	}{
		"Yonyou": {
			imports.ProductList,
			"序号,存货编码,存货名称,规格型号,计量单位,参考价,现有库存",
			"- number name spec unit price stock",
		},
		"Kingdee": {
			imports.ProductList,
			"物料编码,物料名称,规格型号,物料分组,基本单位,销售单价,可用库存",
			"number name spec category unit price stock",
		},
		"Guanjiapo": {
			imports.ProductList,
			"商品编号,商品全名,规格,型号,基本单位,条码,零售价,库存数量",
			"number name spec spec unit number price stock",
		},
		"SAP Business One": {
			imports.ProductList,
			"Item No.,Item Description,UoM,In Stock,List Price",
			"number name unit stock price",
		},
		"Odoo": {
			imports.ProductList,
			"Name,Internal Reference,Barcode,Product Category,Unit of Measure,Sales Price,Quantity On Hand",
			"name number number category unit price stock",
		},
		"CONTPAQi": {
			imports.ProductList,
			"Clave,Nombre del producto,Unidad de medida,Precio unitario,Existencia",
			"number name unit price stock",
		},
		"a Spanish price list": {
			imports.ProductList,
			"Código,Descripción,Formato,Ud.,PVP (€),Existencias",
			"number name spec unit price stock",
		},
		"the products of an older export of orders": {
			imports.ProductList,
			"Número de producto,Producto,Unidad,Precio",
			"number name unit price",
		},
		"a template": {
			imports.ProductList,
			"*商品名称,商品货号（选填）,所属分类（必填）,规格,基本单位*,单价(元)：,库存量",
			"name number category spec unit price stock",
		},
		"Yonyou's customers": {imports.CustomerList, "客户编码,客户全称,所属地区,联系人,联系人手机,电话", "- name - contact phone phone"},
		"a list of contacts": {
			imports.CustomerList,
			"Company,Contact person,Mobile number,Tel.",
			"name contact phone phone",
		},
	} {
		var got []string
		for _, head := range imports.HeadsOf(c.list, words()[c.list], strings.Split(c.heads, ",")) {
			got = append(got, cmp.Or(string(head.Column), "-"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", program, got, c.want)
		}
	}
}
