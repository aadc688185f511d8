package pagestest

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

const Shop = "http://store1001.portico.test/home"

// Within signs in and lands.
func (s *Site) Within(phone string) *Browser {
	s.T.Helper()
	b := s.Browser()
	const from = "http://account.portico.test/login"
	landed, at := b.Follow(b.SignIn("account.portico.test", phone), from)
	WantStatus(s.T, landed, http.StatusOK)
	if strings.HasPrefix(at, "http://account.") {
		s.T.Fatalf("%s stays at %s", phone, at)
	}
	return b
}

// Found is what the first group of a pattern holds on a page.
func Found(t testing.TB, page, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no %s on\n%s", pattern, page)
	}
	return m[1]
}

// Offered is the order form of a product on a page.
type Offered struct{ Product, Form, Seen string }

// Offer is the first product of the shop.
func (b *Browser) Offer() Offered {
	b.T.Helper()
	page := Text(b.T, b.Get(Shop))
	return Offered{
		Found(b.T, page, `name="product_id" value="(\d+)"`),
		Found(b.T, page, `name="form" value="([^"]+)"`), Found(b.T, page, `name="seen" value="([^"]+)"`),
	}
}

// Order sends the form of a product.
func (b *Browser) Order(o Offered, quantity string) *http.Response {
	b.T.Helper()
	return b.Post(Shop+"/orders", "product_id", o.Product, "quantity", quantity, "form", o.Form, "seen", o.Seen)
}

// Press sends an order form as it stands on a page.
func (b *Browser) Press(form string) *http.Response {
	b.T.Helper()
	var fields []string
	for _, name := range []string{"product_id", "quantity", "form", "seen", "again"} {
		if strings.Contains(form, `name="`+name+`"`) {
			fields = append(fields, name, FieldOf(b.T, form, name))
		}
	}
	return b.Post(Shop+"/orders", fields...)
}

func (b *Browser) Orders() int {
	b.T.Helper()
	return strings.Count(Text(b.T, b.Get(Shop+"/orders")), `class="line placed"`)
}
