package samples

import (
	"slices"
	"sync"

	"portico/store"
)

// sampleWords are the texts of a company's sample products in one language. Products with a key of the pack are shown
// in the reader's language, whatever language they were imported in. Customers keep the names that they were imported
// with, so that colleagues who read different languages use the same name for a customer.
type sampleWords struct {
	lang  string
	words *packWords
}

// packWords are the texts of a pack by their keys.
type packWords struct {
	categories map[string]Words
	products   map[string]*SampleProduct
}

// WordsFor returns the texts of a company's samples in a language.
func WordsFor(c store.Company, lang string) sampleWords {
	if words, known := packsWords()[c.IndustryID]; known {
		return sampleWords{lang, words}
	}
	return sampleWords{lang, &packWords{}}
}

// packsWords returns the texts of all packs by the ids of their industries.
var packsWords = sync.OnceValue(func() map[int64]*packWords {
	all := map[int64]*packWords{}
	packs := []*SamplePack{Seafood()}
	for _, industry := range industries {
		pack, _ := Samples(industry)
		packs = append(packs, pack)
	}
	for _, pack := range packs {
		w := all[pack.Industry]
		if w == nil {
			w = &packWords{map[string]Words{}, map[string]*SampleProduct{}}
			all[pack.Industry] = w
		}
		for _, c := range pack.Categories {
			w.categories[c.Key] = c.Name
		}
		for i := range pack.Products {
			w.products[pack.Products[i].Key] = &pack.Products[i]
		}
	}
	return all
})

// Category translates the name of a category, if it is a sample.
func (w sampleWords) Category(c *store.Category) {
	if words, ok := w.words.categories[c.Sample]; ok {
		c.Name = words.In(w.lang)
	}
}

// Product translates the texts of the product with a sample key, if there is one.
func (w sampleWords) Product(key string, name, spec, unit *string) {
	if s, ok := w.words.products[key]; ok {
		*name = s.Name.In(w.lang)
		*spec = s.Spec.In(w.lang)
		*unit = s.Unit.In(w.lang)
	}
}

// Drawing returns the name of the drawing of the product with a sample key, or that of its category.
func (w sampleWords) Drawing(key, ofCategory string) string {
	if s, ok := w.words.products[key]; ok && s.Picture != "" {
		return s.Picture
	}
	return ofCategory
}

// ProductsNamed returns the keys of the products whose name in the language passes a test.
func (w sampleWords) ProductsNamed(passes func(name string) bool) (keys []string) {
	for key, s := range w.words.products {
		if passes(s.Name.In(w.lang)) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Lines translates the texts of sample products in the lines of an order.
func (w sampleWords) Lines(all []store.OrderLine) {
	for i := range all {
		w.Product(all[i].ProductSample, &all[i].Name, &all[i].Spec, &all[i].Unit)
		all[i].Drawing = w.Drawing(all[i].ProductSample, all[i].Drawing)
	}
}

// ProductNames returns the names of each sample product of a company in every language. An export has them in the
// language of its reader, so that a file that comes back may have any of them.
func ProductNames(c store.Company) (all [][]string) {
	for _, s := range WordsFor(c, "").words.products {
		all = append(all, s.Name.all())
	}
	return all
}

// Langs are the languages of samples.
var Langs = []string{"zh", "es", "en"}

func (w Words) all() (all []string) {
	for _, lang := range Langs {
		all = append(all, w.In(lang))
	}
	return all
}
