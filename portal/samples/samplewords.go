package samples

import (
	"sync"

	"portico/store"
)

// sampleWords are the words of a company's sample rows in the reader's language: a row that carries a key of the pack
// is read in every language, whatever the company's was when it was imported.
type sampleWords struct {
	lang  string
	words *packWords
}

type packWords struct {
	categories map[string]Words
	products   map[string]*SampleProduct
	customers  map[string]*SampleCustomer
}

func WordsFor(c store.Company, lang string) sampleWords {
	if words, known := packsWords()[c.IndustryID]; known {
		return sampleWords{lang, words}
	}
	return sampleWords{lang, &packWords{}}
}

var packsWords = sync.OnceValue(func() map[int64]*packWords {
	all := map[int64]*packWords{}
	for _, industry := range industries {
		pack, _ := Samples(industry)
		w := &packWords{map[string]Words{}, map[string]*SampleProduct{}, map[string]*SampleCustomer{}}
		for _, c := range pack.Categories {
			w.categories[c.Key] = c.Name
		}
		for i := range pack.Products {
			w.products[pack.Products[i].Key] = &pack.Products[i]
		}
		for i := range pack.Customers {
			w.customers[pack.Customers[i].Key] = &pack.Customers[i]
		}
		all[industry] = w
	}
	return all
})

func (w sampleWords) Category(c *store.Category) {
	if words, ok := w.words.categories[c.Sample]; ok {
		c.Name = words.In(w.lang)
	}
}

func (w sampleWords) Product(key string, name, spec, unit *string) {
	if s, ok := w.words.products[key]; ok {
		*name, *spec, *unit = s.Name.In(w.lang), s.Spec.In(w.lang), s.Unit.In(w.lang)
	}
}

func (w sampleWords) Client(key string, name, contact *string) {
	if s, ok := w.words.customers[key]; ok {
		*name, *contact = s.Name.In(w.lang), s.Contact.In(w.lang)
	}
}

func (w sampleWords) Orders(all []store.Order) {
	for i := range all {
		w.Client(all[i].ClientSample, &all[i].ClientName, &all[i].ClientContact)
	}
}

func (w sampleWords) Lines(all []store.OrderLine) {
	for i := range all {
		w.Product(all[i].ProductSample, &all[i].Name, &all[i].Spec, &all[i].Unit)
	}
}
