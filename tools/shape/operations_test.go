package shape_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/imports"
	"portico/portal/lists"
	"portico/portal/office"
	"portico/portal/signin"
	"portico/store"
)

// operation is an action of people or programs. Each turn repeats it, with another person or row where it is possible
// only once. play prepares a turn and returns the function that is measured.
type operation struct {
	name  string
	play  func(s *stage, turn int) func()
	shows int // rows of a page that the small platform has too few for, 0 for most
}

// simpleOperation is an operation that needs no preparation.
func simpleOperation(name string, do func(s *stage, turn int)) operation {
	return operation{name: name, play: func(s *stage, turn int) func() { return func() { do(s, turn) } }}
}

const (
	account    = "http://account.portico.test"
	backOffice = "http://store1.portico.test/mgr"
	shop       = "http://store1.portico.test/home"
)

// readOperation is an operation that reads a page of the large company's back office. from returns its path.
func readOperation(name string, from func(f platformData) string) operation {
	return simpleOperation(name, func(s *stage, _ int) { s.administrator.get(backOffice + from(s.filling)) })
}

// fixedPage returns the same path for every platform.
func fixedPage(path string) func(platformData) string {
	return func(platformData) string { return path }
}

// pageFrom returns the path of a list that begins at a part of the accounts.
func pageFrom(path string, part func(n int) int) func(platformData) string {
	return func(f platformData) string { return fmt.Sprintf(path, part(f.accounts)) }
}

func halfOf(n int) int { return n / 2 }

// operations are all measured operations, in the order of the table.
var operations = []operation{
	simpleOperation("login page, new visitor",
		func(s *stage, _ int) { s.browser().get("http://store1.portico.test/login") }),
	simpleOperation("login page, signed in", func(s *stage, _ int) { s.chooser.get(account + "/login") }),
	simpleOperation("sign-in by phone", func(s *stage, turn int) {
		s.browser().post(account+"/login", "phone", phone(101+2*turn), "password", password)
	}),
	simpleOperation("sign-in by phone, four accounts", func(s *stage, _ int) {
		s.browser().post(account+"/login", "phone", phone(3), "password", password)
	}),
	simpleOperation("sign-in by name", func(s *stage, turn int) {
		login := fmt.Sprintf("User%d", s.filling.persons()+31+2*turn)
		s.browser().post(account+"/login/account", "login", login, "password", password)
	}),
	simpleOperation("wrong password", func(s *stage, turn int) {
		form := url.Values{"phone": {phone(201 + 2*turn)}, "password": {"Wrong-2026"}}
		status, _, _ := s.browser().do(http.MethodPost, account+"/login", form)
		if status != http.StatusUnprocessableEntity {
			s.t.Fatal(status)
		}
	}),
	{name: "landing", play: func(s *stage, turn int) func() {
		b := s.browser()
		to := b.post(account+"/login", "phone", phone(10*(turn+41)), "password", password)
		return func() {
			if status, body, _ := b.do(http.MethodGet, to, nil); status != http.StatusSeeOther {
				s.t.Fatal(status, pageText(body))
			}
		}
	}},
	simpleOperation("choice of company", func(s *stage, _ int) { s.chooser.get(account + "/company") }),
	simpleOperation("accounts of a person", func(s *stage, _ int) { s.chooser.get(account + "/accounts") }),
	simpleOperation("offers", func(s *stage, _ int) { s.invited.get(account + "/offers") }),
	simpleOperation("security of an account", func(s *stage, _ int) { s.chooser.get(account + "/password") }),
	{name: "password changed", play: func(s *stage, turn int) func() {
		b := s.signedIn(301 + 2*turn)
		return func() {
			const newPassword = "Grown2026x"
			b.post(account+"/password", "old_password", password, "password", newPassword, "confirm_password",
				newPassword)
		}
	}},
	{name: "phone changed", play: func(s *stage, turn int) func() {
		b, number := s.signedIn(361+2*turn), fmt.Sprint(13400000000+turn)
		b.send(account+"/phone", "phone", number, "password", "", "action", "send_code")
		return func() {
			b.post(account+"/phone", "phone", number, "code", s.lastCode(number), "password", password)
		}
	}},
	{name: "sign-in of an applicant", play: func(s *stage, turn int) func() {
		const host = "http://store1.portico.test"
		b, number := s.browser(), fmt.Sprint(13300000000+1000*turn)
		b.send(host+"/register/more", "phone", number, "action", "send_code")
		b.post(host+"/register/more", "phone", number, "code", s.lastCode(number))
		b.post(host+"/register/more", "company_name", "New", "contact_name", "New", "province", "440000",
			"city", "440300", "district", "440305", "address", "1 Road", "reason", "rice",
			"contact_phone", "139 0000 0556")
		b = s.browser() // a second code of the same browser needs a proof
		b.send(account+"/code", "purpose", "login", "phone", number)
		form := url.Values{"phone": {number}, "code": {s.lastCode(number)}}
		return func() {
			status, _, _ := b.do(http.MethodPost, account+"/login/code", form)
			if status != http.StatusUnprocessableEntity {
				s.t.Fatal(status)
			}
		}
	}},
	simpleOperation("code asked", func(s *stage, turn int) {
		s.browser().send(account+"/code", "purpose", "login", "phone", phone(401+2*turn))
	}),
	{name: "sign-in by code", play: func(s *stage, turn int) func() {
		b, number := s.browser(), phone(701+2*turn)
		b.send(account+"/code", "purpose", "login", "phone", number)
		return func() { b.post(account+"/login/code", "phone", number, "code", s.lastCode(number)) }
	}},
	{name: "company registered", play: func(s *stage, turn int) func() {
		b, number := s.browser(), fmt.Sprint(13600000000+turn)
		b.send(account+"/register", "phone", number, "action", "send_code")
		return func() {
			b.post(account+"/register", "phone", number, "code", s.lastCode(number), "password", password,
				"name", "New", "company_name", fmt.Sprint("New ", turn), "agree", "1")
		}
	}},
	{name: "application sent", play: func(s *stage, turn int) func() {
		const at = "http://store1.portico.test/register/more"
		b, number := s.browser(), fmt.Sprint(13500000000+turn)
		b.send(at, "phone", number, "action", "send_code")
		b.post(at, "phone", number, "code", s.lastCode(number))
		return func() {
			b.post(at, "company_name", "New", "contact_name", "New", "province", "440000", "city", "440300",
				"district", "440305", "address", "1 Road", "reason", "rice", "contact_phone", "139 0000 0556")
		}
	}},
	{name: "form kept after a session", play: func(s *stage, turn int) func() {
		b := s.signedIn(10*(turn+70) + 10)
		b.follow(b.to, backOffice)
		token := formToken.FindStringSubmatch(b.get(backOffice))
		b.jar["store1.portico.test"] = nil // the session has ended
		return func() {
			b.post(backOffice+"/settings/bank", "token", token[1], "holder", "Company 1", "bank", "Bank",
				"card", "6222021234567890123")
		}
	}},
	{name: "signed out", play: func(s *stage, turn int) func() {
		b := s.signedIn(501 + 2*turn)
		return func() { b.post(account + "/logout") }
	}},
	simpleOperation("shop", func(s *stage, _ int) { s.buyer.get(shop) }),
	simpleOperation("shop: order placed", func(s *stage, turn int) {
		s.buyer.post(shop+"/orders", "product_id", fmt.Sprint(1+turn), "quantity", "2")
	}),
	simpleOperation("shop: searched", func(s *stage, _ int) { s.buyer.get(shop + "?q=product+1") }),
	simpleOperation("shop: a product put into the cart", func(s *stage, turn int) {
		s.buyer.post(shop+"/products", fmt.Sprint("quantity_", 1+turn), "2")
	}),
	simpleOperation("shop: cart", func(s *stage, _ int) { s.buyer.get(shop + "/cart") }),
	simpleOperation("shop: orders", func(s *stage, _ int) { s.buyer.get(shop + "/orders") }),
	readOperation("back office", fixedPage("")),
	readOperation("people", fixedPage("/people")),
	readOperation("people, deep", deepPage("/people?", "date")),
	readOperation("people of the back office, deep", deepPage("/people?state=staff&", "date")),
	readOperation("people of the shop by name, deep", deepPage("/people?state=shop&sort=name&", "person")),
	readOperation("people: disabled, none", fixedPage("/people?state=disabled")),
	readOperation("people: searched by name", fixedPage("/people?q=person")),
	readOperation("people: invited", fixedPage("/people?state=invited")),
	readOperation("people: searched by login", fixedPage("/people?q=user")),
	readOperation("people: searched by phone", fixedPage("/people?q=1390000001")),
	readOperation("one person", fixedPage("/people/20")),
	readOperation("role of a person", fixedPage("/people/20/role")),
	simpleOperation("profiles", func(s *stage, _ int) { s.chooser.get(account + "/profile") }),
	readOperation("customers", fixedPage("/customers")),
	readOperation("customers, deep", deepPage("/customers?", "date")),
	readOperation("customers by name, deep", deepPage("/customers?sort=name&", "customer")),
	readOperation("customers: ended", fixedPage("/customers?state=ended")),
	readOperation("customers: ended, by name", fixedPage("/customers?state=ended&sort=-name")),
	readOperation("customers: of today", today("/customers?")),
	readOperation("customers: searched, many", fixedPage("/customers?q=c")),
	readOperation("customers: searched, one", fixedPage("/customers?q=customer+800")),
	readOperation("customers: searched, many, partners of today", today("/customers?q=c&state=partner&")),
	readOperation("customers: searched by phone", fixedPage("/customers?q=1390000001")),
	readOperation("one customer", fixedPage("/customers/24")),
	readOperation("applications", fixedPage("/applications")),
	readOperation("applications, deep", deepPage("/applications?", "date")),
	readOperation("applications, rejected, deep", deepPage("/applications?state=rejected&", "date")),
	readOperation("applications: searched by phone", fixedPage("/applications?q=159")),
	readOperation("applications: searched, of today", today("/applications?q=shop&")),
	simpleOperation("messages about applications switched on", func(s *stage, _ int) {
		s.administrator.post(backOffice+"/applications", "action", "notify_on")
	}),
	readOperation("one application", fixedPage("/applications/7000012")),
	simpleOperation("application approved", func(s *stage, turn int) {
		s.administrator.post(fmt.Sprintf("%s/applications/%d", backOffice, 7000000+6*(turn+10)), "action", "approve")
	}),
	readOperation("orders", fixedPage("/orders")),
	readOperation("orders, deep", deepPage("/orders?", "date")),
	readOperation("orders, new, by customer, deep", deepPage("/orders?state=new&sort=customer&", "customer")),
	readOperation("orders: of today, new", today("/orders?state=new&")),
	readOperation("orders: searched, many", fixedPage("/orders?q=cust")),
	readOperation("orders: searched by number", fixedPage("/orders?q=800")),
	readOperation("one order", fixedPage("/orders/16")),
	simpleOperation("order confirmed", func(s *stage, turn int) {
		s.administrator.post(fmt.Sprintf("%s/orders/%d", backOffice, 16*(turn+2)), "action", "confirm")
	}),
	readOperation("products", fixedPage("/products")),
	readOperation("products: searched", fixedPage("/products?q=product")),
	readOperation("products of a category, by name", fixedPage("/products?category=2&sort=name")),
	readOperation("one product", fixedPage("/products/7")),
	readOperation("audit log", fixedPage("/audit")),
	readOperation("audit log, searched", fixedPage("/audit?q=1")),
	readOperation("audit log, searched by name", fixedPage("/audit?q=a")),
	readOperation("audit log of sign-ins", fixedPage("/audit?of=sign_in")),
	readOperation("audit log of people", fixedPage("/audit?of=people")),
	readOperation("audit log of customers", fixedPage("/audit?of=customers")),
	readOperation("audit log of settings", fixedPage("/audit?of=settings")),
	readOperation("audit log of orders", fixedPage("/audit?of=orders")),
	readOperation("audit log of people, deep", pageFrom("/audit?of=people&before=%d", halfOf)),
	readOperation("settings", fixedPage("/settings")),
	readOperation("rights of employees", fixedPage("/settings/employees")),
	readOperation("registration", fixedPage("/settings/registration")),
	readOperation("bank account", fixedPage("/settings/bank")),
	readOperation("customer types", fixedPage("/settings/customer-types")),
	readOperation("appearance", fixedPage("/settings/appearance")),
	readOperation("visits", fixedPage("/settings/visits")),
	readOperation("sample data", fixedPage("/settings/initialisation")),
	{name: "form for an account", play: func(s *stage, _ int) func() {
		return func() { s.administrator.get(backOffice + "/people/new?side=shop") }
	}, shows: office.PartnersShown},
	simpleOperation("account opened", func(s *stage, turn int) {
		s.administrator.post(backOffice+"/people/new", "side", "mgr", "type", "2", "name", fmt.Sprint("New ", turn),
			"phone", fmt.Sprint(13700000000+turn))
	}),
	simpleOperation("person disabled", func(s *stage,
		turn int) {
		s.administrator.post(s.person(turn), "action", "disable")
	}),
	simpleOperation("person enabled", func(s *stage,
		turn int) {
		s.administrator.post(s.person(turn), "action", "enable")
	}),
	{name: "first password given", play: func(s *stage, turn int) func() {
		address := fmt.Sprintf("%s/people/%d", backOffice, s.filling.persons()+10*(turn+1))
		form := formID.FindStringSubmatch(s.administrator.get(address))
		return func() { s.administrator.send(address, "action", "reset_password", "form", form[1]) }
	}},
	simpleOperation("partnership ended", func(s *stage, turn int) {
		s.administrator.post(fmt.Sprintf("%s/customers/%d", backOffice, 8*(turn+20)), "action", "end")
	}),
	simpleOperation("page of an applicant", func(s *stage, _ int) {
		s.browser().get("http://store1.portico.test/register/more")
	}),
	{name: "list of accounts by the API", play: func(s *stage, turn int) func() {
		ctx := access.WithCaller(s.t.Context(), access.Caller{Address: fmt.Sprintf("10.200.0.%d", turn+1)})
		in := signin.ClientLoginInput{Login: phone(3), Password: password, Client: "APP"}
		signed, err := s.p.Signin.ClientLogin(ctx, in)
		noError(s.t, err)
		return func() {
			session, err := s.p.Landing.Token(
				ctx,
				signin.TokenInput{Token: signed.Ticket, Client: "APP", Ticket: true},
			)
			noError(s.t, err)
			_, err = s.p.Accounts.AccountList(ctx, session)
			noError(s.t, err)
		}
	}},
	simpleOperation("sign-in by the API", func(s *stage, turn int) {
		ctx := access.WithCaller(s.t.Context(), access.Caller{Address: fmt.Sprintf("10.201.0.%d", turn+1)})
		in := signin.ClientLoginInput{Login: phone(601 + 2*turn), Password: password, Client: "APP"}
		_, err := s.p.Signin.ClientLogin(ctx, in)
		noError(s.t, err)
	}),
	{name: "two orders confirmed at once", play: func(s *stage, turn int) func() {
		ctx, here := s.asAdministrator(), s.administratorHere()
		return func() {
			noError(s.t, s.p.Lists.Run(ctx, here, lists.BulkInput{
				List: lists.OrderList, Action: lists.Confirm, Form: fmt.Sprint("bulk", turn),
				IDs: []int64{int64(16 * (12 + 2*turn)), int64(16 * (13 + 2*turn))},
			}, "zh"))
		}
	}},
	{name: "rejection of ten applications, preview", play: func(s *stage, _ int) func() {
		ctx, here := s.asAdministrator(), s.administratorHere()
		in := lists.BulkInput{List: lists.ApplicationList, Action: lists.Reject}
		for i := range 10 {
			in.IDs = append(in.IDs, int64(7000000+6*(i+1)))
		}
		return func() {
			_, err := s.p.Lists.Preview(ctx, here, in, "zh")
			noError(s.t, err)
		}
	}},
	{name: "import of 20 customers, check", play: func(s *stage, turn int) func() {
		ctx, here, in := s.asAdministrator(), s.administratorHere(), s.customersToImport(turn, 20)
		return func() {
			_, err := s.p.Imports.Import(ctx, here, in)
			noError(s.t, err)
		}
	}},
	{name: "import of three customers", play: func(s *stage, turn int) func() {
		ctx, here, in := s.asAdministrator(), s.administratorHere(), s.customersToImport(100+turn, 3)
		return func() { noError(s.t, s.p.Imports.Run(ctx, here, in)) }
	}},
	simpleOperation("/metrics", func(s *stage, _ int) {
		_, err := s.p.Verification.MessageBudgets(s.t.Context())
		noError(s.t, err)
	}),
	simpleOperation("sweep with nothing to do", func(s *stage, _ int) { noError(s.t, s.p.Sweep(s.t.Context())) }),
}

var (
	formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)
	formID    = regexp.MustCompile(`name="form" value="([^"]+)"`)
)

// asAdministrator returns the context of a request by the administrator of the large company.
func (s *stage) asAdministrator() context.Context {
	return access.WithCaller(s.t.Context(), access.Caller{RequestID: "r", Address: "10.202.0.1", Agent: agent})
}

// administratorHere returns what the administrator's pages get: the account, in its company.
func (s *stage) administratorHere() access.Landing {
	owner, err := s.db.Persons.ByNumber(s.t.Context(), phone(10))
	noError(s.t, err)
	members, err := s.db.Accounts.ByPerson(s.t.Context(), owner.ID)
	noError(s.t, err)
	return access.Landing{Member: members[0]}
}

// customersToImport reads a file of new customers, whose names no other turn has.
func (s *stage) customersToImport(turn, rows int) imports.Input {
	file := new(strings.Builder)
	file.WriteString("name\n")
	for i := range rows {
		fmt.Fprintf(file, "New customer %d of turn %d\n", i, turn)
	}
	in := imports.Input{List: imports.CustomerList, Words: imports.Words{
		Columns: map[string]imports.Word{imports.Spelling("name"): {Column: imports.NameColumn}},
	}}
	key, err := s.p.Imports.Read(s.asAdministrator(), s.administratorHere(), in, fmt.Sprint("form", turn),
		strings.NewReader(file.String()))
	noError(s.t, err)
	in.Key = key
	return in
}

// person is the page of an account of the large company's back office.
func (s *stage) person(turn int) string { return fmt.Sprintf("%s/people/%d", backOffice, 10*(turn+60)) }

// deepPage returns the path of a list that continues in the middle of the platform's rows: after a date, or after a
// name that begins with a word.
func deepPage(path, after string) func(platformData) string {
	return func(f platformData) string {
		sort, at, name := "-date", int64(store.At(f.now))-int64(f.accounts/4), ""
		if strings.HasPrefix(path, "/applications") {
			at = int64(store.At(f.now)) - 1000*int64(f.accounts/4)
		}
		if strings.HasPrefix(path, "/orders") {
			at -= 600000
		}
		if after != "date" {
			_, sort, _ = strings.Cut(path, "sort=")
			sort, at, name = strings.TrimSuffix(sort, "&"), 0, after+" 5"
		}
		place := fmt.Sprintf("%s\n%d\n%d\n%s", sort, at, 1, name)
		return path + "cursor=" + base64.RawURLEncoding.EncodeToString([]byte(place))
	}
}

// today returns the path of a list with the rows of the day.
func today(path string) func(platformData) string {
	return func(f platformData) string {
		day := f.now.In(access.CompanyDay).Format(time.DateOnly)
		return path + "from=" + day + "&to=" + day
	}
}
