package program

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"portico/store"
)

// Crowded is a company whose names are as long as real ones are and whose amounts have seven figures before the point:
// what pages have to hold. Buyer is the phone of a customer with six products in the cart.
type Crowded struct {
	Company
	Buyer               string
	ClientID, ProductID int64
	OrderID             int64 // of the customer, and new
	PersonID            int64
	ApplicationID       int64 // pending, the oldest of several
}

// LargeAmount is a price in cents that fills its place: 1,234,567.00.
const LargeAmount = 123_456_700

// crowdedNames are the names of a crowded company, in one language.
type crowdedNames struct {
	company, customer, person, position, category, product, spec, unit, address, reason string
}

var crowded = map[string]crowdedNames{
	"zh": {
		"江南水乡粮油食品供应链管理（集团）有限责任公司", "余杭区仓前街道梦想小镇互联网村第一员工食堂",
		"欧阳静怡·阿依古丽", "采购与供应链管理部高级经理", "有机认证米面杂粮礼盒",
		"东北五常有机稻花香二号长粒大米（真空礼盒装）", "5kg×4袋/箱，产地直发，保质期十二个月", "礼盒",
		"文一西路九百六十九号梦想小镇互联网村十二幢一层至三层", "食堂每日供应三千余份餐食，需要稳定的粮油、调味品和冷链生鲜配送。",
	},
	"es": {
		"Distribuidora Hispanoamericana de Abarrotes del Pacífico",
		"Restaurante y Marisquería Nuestra Señora de Guadalupe", "María Fernanda Villavicencio Echeverría",
		"Responsable de Compras y Abastecimiento", "Arroces y legumbres de agricultura ecol.",
		"Arroz aromático de grano largo extraselecto de agricultura ecológica",
		"Caja de 4 sacos de 5 kg, cosecha temprana", "caja de regalo",
		"Avenida Insurgentes Sur 1457, torre norte, planta baja, colonia Insurgentes Mixcoac",
		"Servimos tres mil comidas al día y necesitamos un proveedor estable de arroz, aceite y productos frescos.",
	},
	"en": {
		"Northumberland and Cumbria Restaurant & Catering Supplies",
		"The Old Customs House Restaurant and Wedding Venue", "Alexandrina Featherstonehaugh-Wolverton",
		"Head of Procurement and Supply Chain", "Certified organic rice, pulses and grain",
		"Certified organic extra-long-grain aromatic rice, early harvest, gift box",
		"Case of 4 bags of 5 kg, direct from the mill", "presentation case",
		"Unit 14, Northern Gateway Enterprise Park, Newcastle upon Tyne",
		"We serve three thousand meals a day and need one supplier for rice, oil and chilled goods.",
	},
}

// AddCrowdedCompany adds a crowded company whose names are in a language.
func (s *Server) AddCrowdedCompany(t *testing.T, lang string) Crowded {
	t.Helper()
	names := crowded[lang]
	c := Crowded{Company: s.AddCompany(t, lang, "region address reason contact_phone", true)}
	db, now := s.Database(t), store.At(time.Now())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	stored, err := db.Companies.ByID(t.Context(), c.ID)
	must(err)
	c.Name = names.company
	stored.Name = names.company
	stored.ContactName = names.person
	must(db.Companies.Update(t.Context(), stored))
	must(db.Companies.PutBankAccount(t.Context(), store.BankAccount{
		CompanyID: c.ID, Holder: names.company, Bank: names.company, Card: "6222021234567890123", UpdatedAt: now,
	}))
	must(db.Clients.PutType(t.Context(), store.CustomerType{CompanyID: c.ID, ID: 1, Name: names.unit}))
	number := NewPhone()
	c.Buyer = number
	c.ClientID, err = db.Clients.Add(t.Context(), store.Client{
		CompanyID: c.ID, Name: names.customer, Contact: names.person, TypeID: 1, State: store.ClientPartner,
		CreatedAt: now,
	})
	must(err)
	buyer, err := db.Accounts.Add(t.Context(), store.Account{
		CompanyID: c.ID, Side: store.Shop, Type: store.TypeShop, Login: "guest-" + number[7:], Name: names.person,
		PersonID: addPhone(t, db, number), ClientID: c.ClientID, State: store.AccountActive, CreatedAt: now,
	})
	must(err)
	products := addCrowdedProducts(t, db, c.ID, names)
	c.ProductID = products[0].ID
	cart := store.Cart{AccountID: buyer, CompanyID: c.ID, Form: "crowded"}
	must(db.Carts.Make(t.Context(), cart, now))
	for i, p := range products[:6] {
		quantity := []int64{1, 3, 12, 9999, 120, 999}[i]
		must(db.Carts.Put(t.Context(), cart, p.ID, quantity, "", now+store.Instant(i)))
	}
	c.OrderID = addCrowdedOrders(t, db, c, buyer, products, names.reason)
	c.PersonID = s.AddStaff(t, c.Company, store.TypeEmployee, NewPhone(), names.person)
	for i := range 14 {
		id := rand.Int64N(1<<52) + 1
		if i == 0 {
			c.ApplicationID = id
		}
		_, err := db.Applications.Add(t.Context(), store.Application{
			ID: id, CompanyID: c.ID, Phone: NewPhone(), State: store.ApplicationPending, CompanyName: names.customer,
			ContactName: names.person, Position: names.position,
			Province: "330000", City: "330100", District: "330106", Address: names.address,
			Reason: names.reason, Lang: lang, CreatedAt: now - store.Instant(20-i),
		})
		must(err)
	}
	return c
}

// addCrowdedProducts adds eight products of two categories. Their prices have from three to nine figures.
func addCrowdedProducts(t *testing.T, db *store.DB, companyID int64, names crowdedNames) (products []store.Product) {
	t.Helper()
	now := store.At(time.Now())
	prices := []int64{LargeAmount, 5680, 21500, 380, 43600, 128_900, 76_00, LargeAmount}
	var categories []int64
	for _, name := range []string{names.category, names.unit} {
		id, err := db.Catalogue.AddCategory(t.Context(), store.Category{CompanyID: companyID, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		categories = append(categories, id)
	}
	for i, price := range prices {
		p := store.Product{
			CompanyID: companyID, CategoryID: categories[i/5], Number: fmt.Sprintf("A-%05d-2026", i),
			Name: names.product, Spec: names.spec, Unit: names.unit, Price: price, Stock: 9_999_999, State: "on",
			CreatedAt: now, UpdatedAt: now,
		}
		if i == 6 {
			p.Stock = 0
		}
		var err error
		if p.ID, err = db.Catalogue.AddProduct(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		products = append(products, p)
	}
	return products
}

// addCrowdedOrders adds orders of the customer, half of them confirmed, and returns the id of one that is new.
func addCrowdedOrders(
	t *testing.T, db *store.DB, c Crowded, buyer int64, products []store.Product, note string,
) (newest int64) {
	t.Helper()
	for i := range 8 {
		number, err := db.Orders.NextNumber(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		o := store.Order{
			CompanyID: c.ID, Number: 98_760 + number, ClientID: c.ClientID, AccountID: buyer,
			Form: fmt.Sprint("crowded", i), State: store.OrderNew, Total: LargeAmount, Note: note,
			PlacedAt: store.At(time.Now().Add(-time.Duration(i) * 9 * time.Hour)),
		}
		if i%2 > 0 {
			o.State, o.ConfirmedAt = store.OrderConfirmed, o.PlacedAt
		}
		if o.ID, err = db.Orders.Add(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		for line, p := range products[:4] {
			if err := db.Orders.AddLine(t.Context(), store.OrderLine{
				OrderID: o.ID, Line: line + 1, ProductID: p.ID, Price: p.Price,
				Quantity: []int64{1, 120, 12, 9999}[line],
			}); err != nil {
				t.Fatal(err)
			}
		}
		if i == 0 {
			newest = o.ID
		}
	}
	return newest
}
