package steps

import (
	"os"
	"path/filepath"

	"portico/e2e/browser"
)

// SheetButton checks a file, and imports it on the page that asks.
const SheetButton = `#import .button:not(.quiet)`

// priceLists are files of products in each language. Two of their rows have mistakes, and one column is not known.
var priceLists = map[string]string{
	"zh": "货号,商品名称,商品分类,规格,单位,单价（元）,库存,产地\n" +
		"10101,东北长粒香大米,米面,10kg/袋,袋,68.00,120,黑龙江\n" +
		"10102,高筋小麦粉,米面,25kg/袋,袋,98.50,60,河南\n" +
		"20201,压榨花生油,粮油,5L/桶,桶,面议,40,山东\n" +
		"20202,,粮油,5L/桶,桶,76.00,35,湖北\n" +
		"30301,生抽酱油,调味,1.9L/瓶,瓶,16.80,200,广东\n",
	"es": "Código,Nombre,Categoría,Presentación,Unidad,Precio,Existencias,Origen\n" +
		"AR-101,Arroz largo,Granos,10 kg,saco,68.00,120,Tarapoto\n" +
		"AR-102,Harina de trigo,Granos,25 kg,saco,98.50,60,Arequipa\n" +
		"AC-201,Aceite de oliva,Aceites,5 L,bidón,por pedir,40,Tacna\n" +
		"AC-202,,Aceites,5 L,bidón,76.00,35,Tacna\n" +
		"SA-301,Salsa de soya,Salsas,1.9 L,botella,16.80,200,Lima\n",
	"en": "Number,Name,Category,Size,Unit,Price,Stock,Origin\n" +
		"RI-101,Long-grain rice,Grains,10 kg,bag,68.00,120,Texas\n" +
		"RI-102,Bread flour,Grains,25 kg,bag,98.50,60,Kansas\n" +
		"OI-201,Peanut oil,Oils,5 L,can,on request,40,Georgia\n" +
		"OI-202,,Oils,5 L,can,76.00,35,Georgia\n" +
		"SA-301,Soy sauce,Sauces,1.9 L,bottle,16.80,200,Ohio\n",
}

// ChoosePriceList chooses a file of products in the language of the page.
func ChoosePriceList(b *browser.Tab) {
	b.T.Helper()
	ChooseSheet(b, priceLists[browser.Eval[string](b, `() => document.documentElement.lang.slice(0, 2)`)])
}

// ChooseSheet chooses a file with comma-separated rows for an import.
func ChooseSheet(b *browser.Tab, rows string) {
	b.T.Helper()
	file := filepath.Join(b.T.TempDir(), "sheet.csv")
	b.Must(os.WriteFile(file, []byte(rows), 0o600))
	browser.SetFile(b, `input[type=file]`, file)
}
