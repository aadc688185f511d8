package steps

import (
	"os"
	"path/filepath"

	"portico/e2e/browser"
)

// SheetButton checks a file, and imports it on the page that asks.
const SheetButton = `#import .button:not(.quiet)`

// PriceList is a file of products, one of them with mistakes. Its columns are named in Chinese.
const PriceList = "货号,商品名称,商品分类,规格,单位,单价（元）,库存,产地\n" +
	"MG-101,东北长粒香大米,米面,10kg/袋,袋,68.00,120,黑龙江\n" +
	"MG-102,高筋小麦粉,米面,25kg/袋,袋,98.50,60,河南\n" +
	"YL-201,压榨花生油,粮油,5L/桶,桶,面议,40,山东\n" +
	"YL-202,,粮油,5L/桶,桶,76.00,35,湖北\n" +
	"TW-301,生抽酱油,调味,1.9L/瓶,瓶,16.80,200,广东\n"

// ChooseSheet chooses a file with comma-separated rows for an import.
func ChooseSheet(b *browser.Tab, rows string) {
	b.T.Helper()
	file := filepath.Join(b.T.TempDir(), "sheet.csv")
	b.Must(os.WriteFile(file, []byte(rows), 0o600))
	browser.SetFile(b, `input[type=file]`, file)
}
