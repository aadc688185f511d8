package badline_test

import (
	"fmt"
	"strings"

	"portico/portal/backoffice"
	"portico/store"
)

// office signs the house's administrator in to the desktop back office.
func (x *scene) office() house {
	x.t.Helper()
	h := x.house()
	if p := x.b.signIn(h.owner); p.url.Path != "/mgr" {
		x.t.Fatal(p.summary())
	}
	x.home = h.host() + " /mgr"
	return h
}

// opening opens an account. When the response arrives, the page shows the first password. When it is lost, the
// account's page says how to make another one.
func (x *scene) opening(query string, where string, args []any, pairs ...string) {
	h := x.office()
	x.page(h.host, "/mgr/people/new"+query, "form", "", func(f *form) { f.fill(pairs...) })
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM accounts a WHERE a.company_id = ? AND "+where,
			append([]any{h.id}, args...)...)
	}
}

func openingNamed(x *scene) {
	login := fmt.Sprint("opened", numbers.Add(1))
	x.opening("", "a.login = ?", []any{login}, "type", "2", "name", "Bo", "login", login)
	x.pages = openedPages
}

func openingNameless(x *scene) {
	x.opening("", "a.name = ?", []any{"Nameless"}, "type", "2", "name", "Nameless")
	x.pages = openedPages
}

// openedPages are the pages that show an account's first password: only when no response was lost.
var openedPages = map[string]want{
	"-": {at: "store{id} /mgr/people/new", text: "person.given_once"},
	"H": {at: "store{id} /mgr/people/new", text: "person.given_once"},
	"C": somewhere, // whether it was opened depends on the moment
}

func openingByPhone(side string) func(*scene) {
	return func(x *scene) {
		phone := newPhone()
		pairs := []string{"name", "Bo", "phone", phone}
		if side == "shop" {
			pairs = append(pairs, "client_name", "New customer")
		} else {
			pairs = append(pairs, "type", "2")
		}
		x.opening("?side="+side, "a.phone_id = (SELECT id FROM phones WHERE phone = ?)", []any{phone}, pairs...)
	}
}

func disabling(x *scene) {
	h := x.office()
	x.page(h.host, fmt.Sprint("/mgr/people/", h.buyer.accountID), "action=disable", "action=disable", nil)
	x.effect = func() int { return x.events("account_disabled", h.id) }
}

func givingPassword(x *scene) {
	h := x.office()
	who := h.add(x.t, store.TypeShop, "")
	x.page(h.host, fmt.Sprint("/mgr/people/", who.accountID), "action=reset_password", "action=reset_password", nil)
	works := 0
	x.effect = func() int { return works }
	x.after = func(last *page) *page {
		x.t.Helper()
		_, shown, _ := strings.Cut(last.body, `translate="no">`)
		shown, _, _ = strings.Cut(shown, "<")
		p := newBrowser(x.t, x.s, phoneAgent).open("account", "/login/account").form("password").fill("login",
			who.login, "password", shown).press("")
		if p.url.Path == "/password" {
			works = 1
		}
		return last
	}
}

func editingPerson(x *scene) {
	h := x.office()
	x.page(h.host, fmt.Sprint("/mgr/people/", h.buyer.accountID), "department", "action=edit", func(f *form) {
		f.fill("name", "Bo", "department", "Rice")
	})
	x.effect = func() int { return x.events("account_edited", h.id) }
}

func changingRole(change backoffice.RoleChange) func(*scene) {
	return func(x *scene) {
		h := x.office()
		who := h.add(x.t, store.TypeEmployee, newPhone())
		x.page(
			h.host,
			fmt.Sprint("/mgr/people/", who.accountID, "/role"),
			"password",
			"action="+string(change),
			func(f *form) {
				f.fill("password", password)
			},
		)
		x.effect = func() int { return x.events("administrator_made", h.id) }
	}
}

func choosingType(x *scene) {
	h := x.office()
	err := x.s.db.Clients.PutType(x.t.Context(), store.CustomerType{CompanyID: h.id, ID: 1, Name: "Retail"})
	if err != nil {
		x.t.Fatal(err)
	}
	x.page(h.host, fmt.Sprint("/mgr/customers/", h.clientID), "client_type_id", "action=set_type", func(f *form) {
		f.fill("client_type_id", "1")
	})
	x.effect = func() int { return x.events("customer_type_set", h.id) }
}

func namingTypes(x *scene) {
	x.setting("customer-types", "new", "", "customer_types_set", func(f *form) { f.fill("new", "Retail") })
}

func reviewing(action string) func(*scene) {
	return func(x *scene) {
		h := x.office()
		id, phone := h.applicant(x.t)
		marker := "action=" + action
		x.page(h.host, fmt.Sprint("/mgr/applications/", id), marker, marker, func(f *form) {
			if action == "reject" {
				f.fill("reason", "Too far away.")
			}
		})
		x.effect = func() int { return len(x.s.inbox(x.t, phone)) }
	}
}

func partnering(action string) func(*scene) {
	return func(x *scene) {
		h := x.office()
		kind := "customer_ended"
		if action == "resume" {
			kind = "customer_resumed"
			x.s.change(x.t, "UPDATE clients SET state = 'ended' WHERE id = ?", h.clientID)
		}
		x.page(h.host, fmt.Sprint("/mgr/customers/", h.clientID), "action="+action, "action="+action, nil)
		x.effect = func() int { return x.events(kind, h.id) }
	}
}

func ordering(x *scene) {
	h := x.house()
	x.b.signIn(h.buyer)
	x.page(func() string { return "m" }, "/shop", "product_id", "", func(f *form) { f.fill("quantity", "3") })
	x.effect = func() int {
		orders := x.s.count(x.t, "SELECT COUNT(*) FROM orders WHERE client_id = ?", h.clientID)
		if sold := 1000 - x.s.count(x.t, "SELECT stock FROM products WHERE id = ?", h.productID); sold != 3*orders {
			x.t.Errorf("%d orders of 3 took %d from the stock", orders, sold)
		}
		return orders
	}
	x.home = "m /shop"
}

func confirming(x *scene) {
	h := x.office()
	x.page(h.host, fmt.Sprint("/mgr/orders/", h.order(x.t)), "action=confirm", "action=confirm", nil)
	x.effect = func() int { return x.events("order_confirmed", h.id) }
}

// setting fills in a page of the settings. The audit log says how often the setting was changed.
func (x *scene) setting(path, marker, button, kind string, fill func(*form)) {
	h := x.office()
	x.page(h.host, "/mgr/settings/"+path, marker, button, fill)
	x.effect = func() int { return x.events(kind, h.id) }
}

func settingRegistration(x *scene) {
	x.setting("registration", "contact_name", "", "registration_set", func(f *form) { f.fill("contact_name", "Mei") })
}

func settingRights(x *scene) {
	x.setting("employees", "rights", "", "employee_rights_set", func(f *form) { f.fill("rights", "people") })
}

func settingBank(x *scene) {
	x.setting("bank", "seen", "", "bank_account_set", func(f *form) {
		for _, c := range f.controls {
			switch {
			case c.kind != "text" && c.kind != "tel":
			case strings.Contains(c.name, "card"):
				c.value = "6222020200112233"
			default:
				c.value = "Bank of Corners"
			}
		}
	})
}

func publishing(x *scene) {
	x.setting("appearance", "theme", "action=save", "appearance_set", func(f *form) { f.fill("theme", "1c7ed6") })
}

func claiming(x *scene) {
	h := x.office()
	host := fmt.Sprintf("shop%d.example.com", h.id)
	x.page(h.host, "/mgr/settings/appearance", "domain", "action=domain_add", func(f *form) { f.fill("domain", host) })
	x.effect = func() int { return x.s.count(x.t, "SELECT COUNT(*) FROM domain_claims WHERE host = ?", host) }
}

func clearing(x *scene) {
	h := x.office()
	category, err := x.s.db.Catalogue.AddCategory(x.t.Context(),
		store.Category{CompanyID: h.id, Name: "Samples", Sample: "c"})
	if err == nil {
		_, err = x.s.db.Catalogue.AddProduct(x.t.Context(),
			store.Product{CompanyID: h.id, CategoryID: category, Name: "Sample",
				Spec: "1", Unit: "bag", Sample: "p"})
	}
	if err != nil {
		x.t.Fatal(err)
	}
	x.page(h.host, "/mgr/settings/initialisation", "action=clear_samples", "action=clear_samples", nil)
	x.effect = func() int {
		return x.events("samples_cleared", h.id) + 10*x.s.count(x.t,
			"SELECT COUNT(*) FROM products WHERE company_id = ? AND sample <> ''", h.id)
	}
}
