// Package samples has the sample products, customers and orders of each industry.
package samples

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
)

// Words is a text in each language of the interface.
type Words struct {
	ZH string `json:"zh"`
	ES string `json:"es"`
	EN string `json:"en"`
}

// In gives the text in a language; Chinese, the default of the product, for one it does not know.
func (w Words) In(lang string) string {
	switch lang {
	case "es":
		return w.ES
	case "en":
		return w.EN
	}
	return w.ZH
}

// SamplePack is what a new company of an industry may be filled with, so that its first visit shows a wholesale
// supplier at work: a catalogue, customers and four weeks of orders. Keys are unique within their list and only
// serve the references inside the pack.
type SamplePack struct {
	Industry   int64            `json:"industry"`
	Categories []SampleCategory `json:"categories"`
	Products   []SampleProduct  `json:"products"`
	Customers  []SampleCustomer `json:"customers"`
	Orders     []SampleOrder    `json:"orders"`
}

// SampleCategory groups products. Picture, a name for SamplePicture, shows each of them.
type SampleCategory struct {
	Key     string `json:"key"`
	Name    Words  `json:"name"`
	Picture string `json:"picture"`
}

// SampleProduct is sold by the Unit (箱, caja, case); Spec says what one holds. Price is for one unit, in cents of the
// company's currency, and Stock counts units. Picture, a name for SamplePicture, shows it instead of the category's.
type SampleProduct struct {
	Key      string `json:"key"`
	Category string `json:"category"`
	Picture  string `json:"picture"`
	Name     Words  `json:"name"`
	Spec     Words  `json:"spec"`
	Unit     Words  `json:"unit"`
	Price    int64  `json:"price"`
	Stock    int64  `json:"stock"`
}

// SampleCustomer is a shop, a restaurant or an office that buys, and the person who orders there. The names are other
// ones in each language, not translations.
type SampleCustomer struct {
	Key     string `json:"key"`
	Name    Words  `json:"name"`
	Contact Words  `json:"contact"`
}

// SampleOrder was placed DaysAgo days before today, at the full Hour of the company's day: with 0 days that hour may
// still lie ahead, and an order must not be dated later than now. State is "new" or "confirmed".
type SampleOrder struct {
	Customer string       `json:"customer"`
	DaysAgo  int          `json:"days_ago"`
	Hour     int          `json:"hour"`
	State    string       `json:"state"`
	Lines    []SampleLine `json:"lines"`
}

// SampleLine orders a quantity of a product in the product's unit.
type SampleLine struct {
	Product  string `json:"product"`
	Quantity int64  `json:"quantity"`
}

// Industries returns the ids of the twelve industries, in the order in which pages show them.
func Industries() []int64 { return slices.Clone(industries[:]) }

// Samples is the pack of an industry; ok is false for an id that is none. The pack is shared: callers must not change
// it.
func Samples(industry int64) (pack *SamplePack, ok bool) {
	parse, ok := samplePacks[industry]
	if !ok {
		return nil, false
	}
	pack, err := parse()
	if err != nil {
		panic(err) // it is part of the program
	}
	return pack, true
}

// Seafood returns the pack of a company that sells nothing but fish and seafood, for the demo. Its industry is that of
// fresh food, whose pack has other keys.
func Seafood() *SamplePack {
	pack, err := seafood()
	if err != nil {
		panic(err) // it is part of the program
	}
	return pack
}

var seafood = sync.OnceValues(func() (*SamplePack, error) { return parseSamplePack("demo/seafood") })

// Sizes are numbers of what a pack contains.
type Sizes struct{ Products, Customers, Orders int }

// Least is what every pack contains at least.
var Least = sync.OnceValue(func() Sizes {
	least := Sizes{math.MaxInt, math.MaxInt, math.MaxInt}
	for _, id := range industries {
		pack, _ := Samples(id)
		least.Products = min(least.Products, len(pack.Products))
		least.Customers = min(least.Customers, len(pack.Customers))
		least.Orders = min(least.Orders, len(pack.Orders))
	}
	return least
})

// SamplePicture is a picture as an SVG document: a line drawing on 48 by 48 units in the colour of the text around it.
// The categories and products of the packs name all there are.
func SamplePicture(name string) (svg []byte, ok bool) {
	svg, err := sampleFiles.ReadFile("packs/pictures/" + name + ".svg")
	return svg, err == nil
}

var industries = [...]int64{118, 729, 724, 121, 128, 117, 124, 116, 119, 122, 123, 725}

//go:embed packs/*.json packs/demo/*.json packs/pictures/*.svg
var sampleFiles embed.FS

// samplePacks parses each pack when it is first asked for. That the packs are whole is the tests' business.
var samplePacks = func() map[int64]func() (*SamplePack, error) {
	packs := map[int64]func() (*SamplePack, error){}
	for _, industry := range industries {
		packs[industry] = sync.OnceValues(func() (*SamplePack, error) {
			return parseSamplePack(strconv.FormatInt(industry, 10))
		})
	}
	return packs
}()

// parseSamplePack parses the pack in a file.
func parseSamplePack(name string) (*SamplePack, error) {
	text, err := sampleFiles.ReadFile("packs/" + name + ".json")
	if err != nil {
		return nil, err
	}
	var pack SamplePack
	if err := json.Unmarshal(text, &pack); err != nil {
		return nil, fmt.Errorf("sample pack %s: %w", name, err)
	}
	return &pack, nil
}
