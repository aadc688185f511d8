package products

import (
	"io"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"portico/portal/access"
	"portico/store"
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

// Input is a product as it is typed. Form and Again are for Add: Form is the id of the form, Again confirms
// AddedJustNow. Seen and SeenStock are for Edit: what Product gave with the form; "" is not compared.
type Input struct {
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

// values are the numbers of an Input.
type values struct{ price, stock int64 }

// validate normalises and checks an Input.
func (in *Input) validate() (v values, err error) {
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
	var ok bool
	if v.price, ok = ReadPrice(in.Price); !ok {
		fields["price"] = PriceMalformed
	}
	if v.stock, ok = ReadStock(in.Stock); !ok {
		fields["stock"] = StockMalformed
	}
	return v, access.Invalid(fields)
}

// ReadPrice reads a price as people type it, like 32.8, 32,80, ¥1,234.50 or full-width digits, and returns it in cents.
// ok is false for anything that is not from 0.01 to MaxPrice.
func ReadPrice(typed string) (cents int64, ok bool) {
	if len(typed) > 8*MaxPriced {
		return 0, false
	}
	text := strings.TrimSpace(norm.NFKC.String(typed))
	text = strings.TrimSpace(strings.TrimLeft(text, "¥$€"))
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if at := strings.LastIndexByte(text, ','); !hasPoint && at >= 0 && len(text)-at <= 3 {
		whole, fraction, hasPoint = text[:at], text[at+1:], true // a comma before the cents
	}
	if groups := strings.Split(whole, ","); len(groups) > 1 {
		for i, group := range groups {
			if len(group) > 3 || i > 0 && len(group) != 3 || group == "" {
				return 0, false
			}
		}
		whole = strings.Join(groups, "")
	}
	if hasPoint && (fraction == "" || len(fraction) > 2) || !isDigits(whole) || !isDigits(fraction+"0") {
		return 0, false
	}
	cents, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	return cents, err == nil && cents > 0 && cents <= MaxPrice
}

// ReadStock reads a whole number as people type it, like 1200, 1,200 or full-width digits. ok is false for anything
// that is not from 0 to MaxStock.
func ReadStock(typed string) (stock int64, ok bool) {
	if len(typed) > 8*MaxStocked {
		return 0, false
	}
	text := strings.TrimSpace(norm.NFKC.String(typed))
	groups := strings.Split(text, ",")
	for i, group := range groups {
		if len(groups) > 1 && (len(group) > 3 || i > 0 && len(group) != 3) {
			return 0, false
		}
	}
	text = strings.Join(groups, "")
	if !isDigits(text) {
		return 0, false
	}
	stock, err := strconv.ParseInt(text, 10, 64)
	return stock, err == nil && stock <= MaxStock
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// PriceText writes a price in cents as it is typed: 32.80.
func PriceText(cents int64) string {
	return access.Decimal(cents/100) + "." + access.Decimal(100 + cents%100)[1:]
}

// inputOf returns a stored product as it is typed.
func inputOf(p store.Product, category string) Input {
	return Input{
		Name: p.Name, Number: p.Number, Category: category, Spec: p.Spec, Unit: p.Unit, Price: PriceText(p.Price),
		Stock: access.Decimal(p.Stock), Seen: seenTag(p), SeenStock: access.Decimal(p.Stock),
	}
}

// seenTag is the tag of what an edit may change of a product. Orders change the stock, so it is not part of it.
func seenTag(p store.Product) string { return access.Decimal(int64(p.UpdatedAt)) }
