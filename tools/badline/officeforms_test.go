package badline_test

import (
	"fmt"
	"strings"

	"portico/portal/office"
	"portico/store"
)

// office signs the company's administrator in to the desktop back office.
func (x *scene) office() testCompany {
	x.t.Helper()
	company := x.newCompany()
	if p := x.b.signIn(company.owner); p.url.Path != "/mgr" {
		x.t.Fatal(p.summary())
	}
	x.home = company.host() + " /mgr"
	return company
}

// openAccountPage opens an account. When the response arrives, the page shows the first password. When it is lost, the
// account's page says how to make another one.
func (x *scene) openAccountPage(query string, where string, args []any, pairs ...string) {
	company := x.office()
	x.page(company.host, "/mgr/people/new"+query, "form", "", func(f *form) { f.fill(pairs...) })
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM accounts a WHERE a.company_id = ? AND "+where,
			append([]any{company.id}, args...)...)
	}
}

func formOpenNamedAccount(x *scene) {
	login := fmt.Sprint("opened", numbers.Add(1))
	x.openAccountPage("", "a.login = ?", []any{login}, "type", "2", "name", "Bo", "login", login)
	x.pages = openedPages
}

func formOpenNamelessAccount(x *scene) {
	x.openAccountPage("", "a.name = ?", []any{"Nameless"}, "type", "2", "name", "Nameless")
	x.pages = openedPages
}

// openedPages are the pages that show an account's first password: only when no response was lost.
var openedPages = map[string]want{
	"-": {at: "store{id} /mgr/people/new", text: "person.given_once"},
	"H": {at: "store{id} /mgr/people/new", text: "person.given_once"},
	"C": somewhere, // whether it was opened depends on the moment
}

func formOpenAccountByPhone(side string) func(*scene) {
	return func(x *scene) {
		phone := newPhone()
		pairs := []string{"name", "Bo", "phone", phone}
		if side == "shop" {
			pairs = append(pairs, "client_name", "New customer")
		} else {
			pairs = append(pairs, "type", "2")
		}
		x.openAccountPage("?side="+side, "a.phone_id = (SELECT id FROM phones WHERE phone = ?)", []any{phone}, pairs...)
	}
}

func formDisableAccount(x *scene) {
	company := x.office()
	x.page(company.host, fmt.Sprint("/mgr/people/", company.buyer.accountID), "action=disable", "action=disable", nil)
	x.effect = func() int { return x.events("account_disabled", company.id) }
}

func formNewFirstPassword(x *scene) {
	company := x.office()
	who := company.addAccount(x.t, store.TypeShop, "")
	x.page(
		company.host,
		fmt.Sprint("/mgr/people/", who.accountID),
		"action=reset_password",
		"action=reset_password",
		nil,
	)
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

func formEditAccount(x *scene) {
	company := x.office()
	x.page(
		company.host,
		fmt.Sprint("/mgr/people/", company.buyer.accountID),
		"department",
		"action=edit",
		func(f *form) {
			f.fill("name", "Bo", "department", "Rice")
		},
	)
	x.effect = func() int { return x.events("account_edited", company.id) }
}

func formChangeRole(change office.RoleChange) func(*scene) {
	return func(x *scene) {
		company := x.office()
		who := company.addAccount(x.t, store.TypeEmployee, newPhone())
		x.page(
			company.host,
			fmt.Sprint("/mgr/people/", who.accountID, "/role"),
			"password",
			"action="+string(change),
			func(f *form) {
				f.fill("password", password)
			},
		)
		x.effect = func() int { return x.events("administrator_made", company.id) }
	}
}

func formCustomerType(x *scene) {
	company := x.office()
	err := x.s.db.Clients.PutType(x.t.Context(), store.CustomerType{CompanyID: company.id, ID: 1, Name: "Retail"})
	if err != nil {
		x.t.Fatal(err)
	}
	x.page(
		company.host,
		fmt.Sprint("/mgr/customers/", company.clientID),
		"client_type_id",
		"action=set_type",
		func(f *form) {
			f.fill("client_type_id", "1")
		},
	)
	x.effect = func() int { return x.events("customer_type_set", company.id) }
}

func formCustomerTypeNames(x *scene) {
	x.settingsPage("customer-types", "new", "", "customer_types_set", func(f *form) { f.fill("new", "Retail") })
}

func formReview(action string) func(*scene) {
	return func(x *scene) {
		company := x.office()
		id, phone := company.addApplication(x.t)
		marker := "action=" + action
		x.page(company.host, fmt.Sprint("/mgr/applications/", id), marker, marker, func(f *form) {
			if action == "reject" {
				f.fill("reason", "Too far away.")
			}
		})
		x.effect = func() int { return len(x.s.inbox(x.t, phone)) }
	}
}

func formPartnership(action string) func(*scene) {
	return func(x *scene) {
		company := x.office()
		kind := "customer_ended"
		if action == "resume" {
			kind = "customer_resumed"
			x.s.change(x.t, "UPDATE clients SET state = 'ended' WHERE id = ?", company.clientID)
		}
		x.page(company.host, fmt.Sprint("/mgr/customers/", company.clientID), "action="+action, "action="+action, nil)
		x.effect = func() int { return x.events(kind, company.id) }
	}
}

// buyer signs the company's customer in to the shop.
func (x *scene) buyer() testCompany {
	x.t.Helper()
	company := x.newCompany()
	x.b.signIn(company.buyer)
	x.home = "m /shop"
	return company
}

func onShop() string { return "m" }

// quantityField is the name of the field with the quantity of the company's product in a cart.
func (c testCompany) quantityField() string { return fmt.Sprint("quantity_", c.productID) }

func formPutIntoCart(x *scene) {
	company := x.buyer()
	x.page(onShop, "/shop", company.quantityField(), "", func(f *form) { f.fill(company.quantityField(), "3") })
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM cart_lines WHERE account_id = ? AND quantity = 3",
			company.buyer.accountID)
	}
}

func formOrder(x *scene) {
	company := x.buyer()
	f := x.b.open("m", "/shop").form(company.quantityField())
	x.b.must(x.b.send(f.fill(company.quantityField(), "3").request("")))
	x.page(onShop, "/shop/cart", fmt.Sprint("seen_", company.productID), "action=order", nil)
	x.effect = func() int {
		orders := x.s.count(x.t, "SELECT COUNT(*) FROM orders WHERE client_id = ?", company.clientID)
		if sold := 1000 - x.s.count(
			x.t,
			"SELECT stock FROM products WHERE id = ?",
			company.productID,
		); sold != 3*orders {
			x.t.Errorf("%d orders of 3 took %d from the stock", orders, sold)
		}
		return orders
	}
}

func formRepeatOrder(x *scene) {
	company := x.buyer()
	id := company.addOrder(x.t)
	x.page(onShop, fmt.Sprint("/shop/orders/", id), "action=repeat", "action=repeat", nil)
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM cart_lines WHERE account_id = ?", company.buyer.accountID)
	}
}

func formAddProduct(x *scene) {
	company := x.office()
	x.page(company.host, "/mgr/products/new", "price", "", func(f *form) {
		f.fill("name", "Green tea", "category", "Tea", "unit", "tin", "price", "12.50", "stock", "40")
	})
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM products WHERE company_id = ? AND name = 'Green tea'", company.id)
	}
}

func formEditProduct(x *scene) {
	company := x.office()
	x.page(company.host, fmt.Sprint("/mgr/products/", company.productID), "price", "", func(f *form) {
		f.fill("price", "12.50")
	})
	x.effect = func() int { return x.events("product_edited", company.id) }
}

func formSwitchProduct(x *scene) {
	company := x.office()
	x.page(company.host, fmt.Sprint("/mgr/products/", company.productID), "action=off", "action=off", nil)
	x.effect = func() int { return x.events("product_off", company.id) }
}

// importedCustomers is a file with two customers.
const importedCustomers = "name,contact\nRiver Lane,Bo\nHill Road,Al\n"

func formChooseFile(x *scene) {
	company := x.office()
	x.page(company.host, "/mgr/customers/import", "file", "", func(f *form) {
		f.attach("file", []byte(importedCustomers))
	})
	x.effect = func() int { return 1 - x.events("customer_added", company.id) } // nothing is added yet
}

func formImportCustomers(x *scene) {
	company := x.office()
	f := x.b.open(company.host(), "/mgr/customers/import").form("file")
	asks := f.attach("file", []byte(importedCustomers)).press("")
	x.page(company.host, asks.url.RequestURI(), "file", "", nil)
	x.effect = func() int { return x.events("customer_added", company.id) - 1 } // both, each once
}

func formConfirmOrder(x *scene) {
	company := x.office()
	x.page(company.host, fmt.Sprint("/mgr/orders/", company.addOrder(x.t)), "action=confirm", "action=confirm", nil)
	x.effect = func() int { return x.events("order_confirmed", company.id) }
}

func formConfirmOrders(x *scene) {
	company := x.office()
	path := fmt.Sprintf("/mgr/orders/bulk?action=confirm&id=%d&id=%d", company.addOrder(x.t), company.addOrder(x.t))
	x.page(company.host, path, "form", "action=confirm", nil)
	x.effect = func() int { return x.events("order_confirmed", company.id) / 2 }
}

func formSaveFilter(x *scene) {
	company := x.office()
	x.page(company.host, "/mgr/orders/filters?back=state%3Dnew", "name", "action=save", func(f *form) {
		f.fill("name", "Today")
	})
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM saved_filters WHERE company_id = ?", company.id)
	}
}

// settingsPage fills in a page of the settings. The audit log says how often the setting was changed.
func (x *scene) settingsPage(path, marker, button, kind string, fill func(*form)) {
	company := x.office()
	x.page(company.host, "/mgr/settings/"+path, marker, button, fill)
	x.effect = func() int { return x.events(kind, company.id) }
}

func formRegistrationSettings(x *scene) {
	x.settingsPage(
		"registration",
		"contact_name",
		"",
		"registration_set",
		func(f *form) { f.fill("contact_name", "Mei") },
	)
}

func formEmployeeRights(x *scene) {
	x.settingsPage("employees", "rights", "", "employee_rights_set", func(f *form) { f.fill("rights", "people") })
}

func formBankAccount(x *scene) {
	x.settingsPage("bank", "seen", "", "bank_account_set", func(f *form) {
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

func formGreeting(x *scene) {
	x.settingsPage("welcome", "greeting", "", "welcome_set", func(f *form) { f.fill("greeting", "Good morning.") })
}

func formPublishAppearance(x *scene) {
	x.settingsPage("appearance", "theme", "action=save", "appearance_set", func(f *form) { f.fill("theme", "1c7ed6") })
}

func formClaimDomain(x *scene) {
	company := x.office()
	host := fmt.Sprintf("shop%d.example.com", company.id)
	x.page(
		company.host,
		"/mgr/settings/appearance",
		"domain",
		"action=domain_add",
		func(f *form) { f.fill("domain", host) },
	)
	x.effect = func() int { return x.s.count(x.t, "SELECT COUNT(*) FROM domain_claims WHERE host = ?", host) }
}

func formClearSamples(x *scene) {
	company := x.office()
	category, err := x.s.db.Catalogue.AddCategory(
		x.t.Context(),
		store.Category{CompanyID: company.id, Name: "Samples", Sample: "c"},
	)
	if err == nil {
		_, err = x.s.db.Catalogue.AddProduct(
			x.t.Context(),
			store.Product{CompanyID: company.id, CategoryID: category, Name: "Sample",
				Spec: "1", Unit: "bag", Sample: "p"},
		)
	}
	if err != nil {
		x.t.Fatal(err)
	}
	x.page(company.host, "/mgr/settings/initialisation", "action=clear_samples", "action=clear_samples", nil)
	x.effect = func() int {
		return x.events("samples_cleared", company.id) + 10*x.s.count(x.t,
			"SELECT COUNT(*) FROM products WHERE company_id = ? AND sample <> ''", company.id)
	}
}
