package shop

import (
	"io"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"portico/portal/access"
	"portico/portal/spreadsheets"
	"portico/store"
	"portico/store/searchkey"
)

// Limits of what is typed about a product, in characters.
const (
	MaxName     = 80
	MaxNumber   = 40
	MaxCategory = 40
	MaxSpec     = 60
	MaxUnit     = 20
	MaxPriced   = 20 // a price as it is typed
	MaxStocked  = 12 // a stock as it is typed
)

const (
	// MaxPrice is the highest price, in cents.
	MaxPrice = 1_000_000_000
	// MaxStock is the largest stock.
	MaxStock = 9_999_999
	// MaxCategories is how many categories a company may have.
	MaxCategories = 200
)

const (
	// PriceMalformed says that a price is not one from 0.01 to MaxPrice.
	PriceMalformed access.Problem = "price_malformed"
	// PriceCurrency says that a price is in another currency than the yuan.
	PriceCurrency access.Problem = "price_currency"
	// NameMissing, CategoryMissing and UnitMissing say that a field is empty.
	NameMissing     access.Problem = "product_name_missing"
	CategoryMissing access.Problem = "category_missing"
	UnitMissing     access.Problem = "unit_missing"
	// StockMalformed says that a stock is not a whole number from 0 to MaxStock.
	StockMalformed access.Problem = "stock_malformed"
	// NumberTaken says that another product of the company has the number.
	NumberTaken access.Problem = "product_number_taken"
	// CategoriesFull says that the company has MaxCategories categories.
	CategoriesFull access.Problem = "categories_full"
	// AddedJustNow asks whether to add another product with the name of one that was added within AddedAgain.
	AddedJustNow access.Problem = "product_just_added"
	// EditedMeanwhile says that another person edited the product after the form was opened, or that its stock changed.
	EditedMeanwhile access.Problem = "product_edited"
)

// ProductInput is a product as it is typed. Form and Again are for Add: Form is the id of the form, Again confirms
// AddedJustNow. Seen and SeenStock are for Edit: what Product gave with the form; "" is not compared.
type ProductInput struct {
	Name          string `form:"name"`
	Number        string `form:"number"`
	Category      string `form:"category"`
	Spec          string `form:"spec"`
	Unit          string `form:"unit"`
	Price         string `form:"price"`
	Stock         string `form:"stock"`
	RemovePicture bool   `form:"remove_picture"`
	Form          string `form:"form"`
	Again         bool   `form:"again"`
	Seen          string `form:"seen"`
	SeenStock     string `form:"seen_stock"`

	Picture io.ReadSeeker // a new picture, nil to keep the present one
}

// values are the numbers of an ProductInput.
type values struct{ price, stock int64 }

// validate normalises and checks an ProductInput.
func (in *ProductInput) validate() (v values, err error) {
	fields := access.Fields{}
	for _, f := range []struct {
		name    string
		typed   *string
		longest int
		missing access.Problem // "" for an optional field
	}{
		{"name", &in.Name, MaxName, NameMissing}, {"number", &in.Number, MaxNumber, ""},
		{"category", &in.Category, MaxCategory, CategoryMissing}, {"spec", &in.Spec, MaxSpec, ""},
		{"unit", &in.Unit, MaxUnit, UnitMissing},
	} {
		text, ok := access.NormalText(*f.typed, f.longest)
		switch *f.typed = text; {
		case !ok:
			fields[f.name] = access.TextMalformed
		case text == "" && f.missing != "":
			fields[f.name] = f.missing
		}
	}
	var problem access.Problem
	if v.price, problem = ReadPrice(in.Price); problem != "" {
		fields["price"] = problem
	}
	var ok bool
	if v.stock, ok = ReadStock(in.Stock); !ok {
		fields["stock"] = StockMalformed
	}
	return v, access.Invalid(fields)
}

// ReadPrice reads a price as people and programs write it, like 32.8, 32,80, ¥1,234.50, 1.234,50, 32.8000, 32.8元 or
// full-width digits, and returns it in cents. The problem is PriceCurrency for one in another currency, and
// PriceMalformed for anything else that is not from 0.01 to MaxPrice, or that has two readings, like 12.500.
func ReadPrice(typed string) (cents int64, problem access.Problem) {
	if len(typed) > 8*MaxPriced {
		return 0, PriceMalformed
	}
	text := strings.TrimSpace(norm.NFKC.String(searchkey.Visible(typed)))
	parts := priced.FindStringSubmatch(text)
	if parts == nil {
		return 0, PriceMalformed
	}
	for _, sign := range []string{parts[1], parts[3]} {
		if sign = strings.TrimSpace(sign); spreadsheets.Currency(sign) != "" {
			return 0, PriceCurrency
		}
		if !isYuan[strings.ToLower(sign)] {
			return 0, PriceMalformed
		}
	}
	whole, fraction, ok := readNumber(parts[2])
	if !ok || len(fraction) > 2 {
		return 0, PriceMalformed
	}
	cents, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	if err != nil || cents <= 0 || cents > MaxPrice {
		return 0, PriceMalformed
	}
	return cents, ""
}

// priced is a number with something before or behind it.
var priced = regexp.MustCompile(`^([^0-9.,]*)([0-9](?:[0-9., ]*[0-9])?)([^0-9.,]*)$`)

// isYuan has what people and programs write beside an amount in yuan, in lower case.
var isYuan = map[string]bool{
	"": true, "¥": true, "元": true, "块": true, "圆": true, "元整": true, "rmb": true, "cny": true, "cn¥": true,
	"rmb¥": true, "人民币": true, "人民币¥": true, "yuan": true, "yuanes": true,
}

// readNumber reads a number with a point or comma before its decimals and, perhaps, other signs between groups of three
// digits. Zeros at the end of the decimals are left out. ok is false for a number that has two readings.
func readNumber(text string) (whole, fraction string, ok bool) {
	at := strings.LastIndexAny(text, ".,")
	if strings.Contains(text, " ") {
		groups := text
		if at >= 0 {
			groups = text[:at]
		}
		if !isGrouped(groups, " ") {
			return "", "", false
		}
		text = strings.ReplaceAll(text, " ", "")
		at = strings.LastIndexAny(text, ".,")
	}
	if at < 0 {
		return text, "", isDigits(text)
	}
	sign, other := text[at:at+1], ","
	if sign == "," {
		other = "."
	}
	whole, fraction = text[:at], text[at+1:]
	isGroup := len(fraction) == 3 && isGrouped(text, sign)
	switch {
	case strings.Contains(whole, sign): // more than one: between groups
		return strings.ReplaceAll(text, sign, ""), "", isGroup
	case isGroup && sign == "," && !strings.Contains(whole, other):
		return strings.ReplaceAll(text, sign, ""), "", true // 1,200
	case isGroup && !strings.Contains(whole, other) && whole != "0":
		return "", "", false // 12.500
	case strings.Contains(whole, other) && !isGrouped(whole, other):
		return "", "", false
	}
	whole = strings.ReplaceAll(whole, other, "")
	return whole, strings.TrimRight(fraction, "0"), isDigits(whole) && isDigits(fraction)
}

// isGrouped reports whether a sign stands before each three digits of a text.
func isGrouped(text, sign string) bool {
	for i, group := range strings.Split(text, sign) {
		if !isDigits(group) || len(group) > 3 || i > 0 && len(group) != 3 {
			return false
		}
	}
	return true
}

// ReadStock reads a whole number as people and programs write it, like 1200, 1,200, 1200.00 or full-width digits. ok is
// false for anything that is not from 0 to MaxStock.
func ReadStock(typed string) (stock int64, ok bool) {
	if len(typed) > 8*MaxStocked {
		return 0, false
	}
	whole, fraction, ok := readNumber(strings.TrimSpace(norm.NFKC.String(searchkey.Visible(typed))))
	if !ok || fraction != "" {
		return 0, false
	}
	stock, err := strconv.ParseInt(whole, 10, 64)
	return stock, err == nil && stock <= MaxStock
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// PriceText writes a price in cents as it is typed: 32.80.
func PriceText(cents int64) string {
	return access.Decimal(cents/100) + "." + access.Decimal(100 + cents%100)[1:]
}

// inputOf returns a stored product as it is typed.
func inputOf(p store.Product, category string) ProductInput {
	return ProductInput{
		Name: p.Name, Number: p.Number, Category: category, Spec: p.Spec, Unit: p.Unit, Price: PriceText(p.Price),
		Stock: access.Decimal(p.Stock), Seen: seenTag(p), SeenStock: access.Decimal(p.Stock),
	}
}

// seenTag is the tag of what an edit may change of a product. Orders change the stock, so it is not part of it.
func seenTag(p store.Product) string { return access.Decimal(int64(p.UpdatedAt)) }
