package portaltest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/application"
	"portico/portal/backoffice"
	"portico/portal/branding"
	"portico/portal/onboarding"
	"portico/portal/ordering"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/profile"
	"portico/store"
)

// Writing returns the operations of the back office that change something, except those of people and customers.
func (p *Carer) Writing(all []Deed) []Deed {
	p.T.Helper()
	deeds := []Deed{
		{"SetAppearance", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			return p.Branding.SetAppearance(ctx, here, branding.AppearanceInput{Name: "新名字", Language: "zh"})
		}},
		{"SetIcon", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			return p.Branding.SetIcon(ctx, here, bytes.NewReader(picturetest.PNG(60, 60)))
		}},
		{"KeepLook", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			return p.Branding.KeepLook(ctx, here, branding.AppearanceInput{Name: "新名字"})
		}},
		{"UndoAppearance", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			return p.Branding.UndoAppearance(ctx, here, "0")
		}},
		{
			"RemoveIcon", access.RightSettings, true,
			func(ctx context.Context, here access.Landing) error { return p.Branding.RemoveIcon(ctx, here) },
		},
		{"ClaimDomain", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			return p.Branding.ClaimDomain(ctx, here, "tienda.example.org")
		}},
		{"RemoveDomain", access.RightSettings, false, func(ctx context.Context, here access.Landing) error {
			return p.Branding.RemoveDomain(ctx, here, "shop.example.org")
		}},
		{
			"UseDomain", access.RightSettings, true,
			func(ctx context.Context, here access.Landing) error { return p.Branding.UseDomain(ctx, here, "") },
		},
	}
	NoError(p.T, p.Branding.ClaimDomain(p.From(HomeAddress), p.Boss(), "shop.example.org"))
	for _, d := range all {
		if strings.HasPrefix(d.Name, "Set") || d.Name == "Review" || d.Name == "ClearSamples" ||
			d.Name == "ConfirmOrder" {
			deeds = append(deeds, d)
		}
	}
	return deeds
}

// Offers opens a customer's account of company 1002 for a phone, by the company's administrator.
func (p *Platform) Offers(number string) store.Member {
	p.T.Helper()
	in := backoffice.OpenAccountInput{
		Side: "shop", Type: 3, Name: "采购", ClientName: "Cliente", Phone: number, Again: true,
	}
	opened, err := p.Backoffice.OpenAccount(p.T.Context(), p.At(p.Account("sur")), in)
	NoError(p.T, err)
	return opened.Member
}

// GivesUp unbinds the phone from the only account of a person.
func (p *Carer) GivesUp(phone, login string) {
	p.T.Helper()
	in := p.Unbinding(p.SignIn(AccountHost, phone).Session, login)
	in.Code = p.Sent(p.AskToUnbind(in))
	in.Password, in.Confirm = NewPassword, NewPassword
	NoError(p.T, p.Unbind(in))
}

// OffersOf makes an offer by a company directly in the database.
func (p *Platform) OffersOf(company int64, number string) store.Member {
	p.T.Helper()
	now := store.At(p.Clock.Now())
	id, err := p.Db.Accounts.Add(p.T.Context(), store.Account{
		CompanyID: company, Side: store.Mgr, Type: store.TypeEmployee, Login: fmt.Sprintf("offer%d", now), Name: "谁",
		PhoneID: PhoneOf(p.T, p.Db, number).ID, State: store.AccountActive, Invited: true, CreatedAt: now,
	})
	NoError(p.T, err)
	m, err := p.Db.Accounts.ByID(p.T.Context(), company, id)
	NoError(p.T, err)
	return m
}

// Offered reads the offers to the person of a session.
func (p *Platform) Offered(s access.Session) accounts.Offers {
	p.T.Helper()
	offers, err := p.Accounts.Offers(p.T.Context(), s, "")
	NoError(p.T, err)
	return offers
}

// Accepts accepts an offered account.
func (p *Platform) Accepts(s access.Session, offer store.Member) (accounts.Step, error) {
	return p.Accounts.AcceptOffer(p.From(HomeAddress), accounts.OfferInput{Session: s, AccountID: offer.ID, Lang: "zh"})
}

// Declines declines an offered account.
func (p *Platform) Declines(s access.Session, offer store.Member) error {
	return p.Accounts.DeclineOffer(p.From(HomeAddress), accounts.OfferInput{Session: s, AccountID: offer.ID})
}

// Keeper gives company 1008 exclusive phones and adds that many accounts. It returns their phones.
func (p *Platform) Keeper(accounts int) (phones []string) {
	p.T.Helper()
	p.UpdateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
	for i := range accounts {
		phone := fmt.Sprintf("139888%05d", i)
		_, err := p.Db.Phones.Add(p.T.Context(), store.Phone{Phone: phone, CreatedAt: 1})
		NoError(p.T, err)
		p.AddAccount(fmt.Sprintf("kept%d", i), 1008, store.Shop, phone)
		phones = append(phones, phone)
	}
	return phones
}

// Boss returns the landing of the administrator of company 1001.
func (p *Platform) Boss() access.Landing {
	p.T.Helper()
	return p.At(p.Account("jinsui"))
}

// Opens1001 opens an account of company 1001 as its administrator.
func (p *Platform) Opens1001(in backoffice.OpenAccountInput) (backoffice.OpenedAccount, error) {
	p.T.Helper()
	return p.Backoffice.OpenAccount(p.From(HomeAddress), p.Boss(), in)
}

// Client returns the id of a customer of company 1001 with a partnership.
func (p *Platform) Client() int64 { return p.Account("buyer1").ClientID }

// BossHere signs the administrator of company 1001 in by phone and returns the landing.
func (p *Platform) BossHere() access.Landing {
	p.T.Helper()
	return p.LandedAs(p.SignIn(AccountHost, ManagerPhone).Session, "jinsui")
}

// Changes returns the input that changes the role of an account, with the demo password.
func Changes(login string, p *Platform, change backoffice.RoleChange) backoffice.ChangeRoleInput {
	return backoffice.ChangeRoleInput{AccountID: p.Account(login).ID, Change: change, Password: onboarding.DemoPassword}
}

// Roles returns the types of accounts as text.
func (p *Platform) Roles(logins ...string) string {
	p.T.Helper()
	var all []string
	for _, login := range logins {
		all = append(all, fmt.Sprint(p.Account(login).Type))
	}
	return strings.Join(all, " ")
}

// WantNoticesInAnyOrder requires the notices that were sent, in any order.
func (p *Carer) WantNoticesInAnyOrder(want ...string) {
	p.T.Helper()
	p.Settle()
	got := p.Sms.Notices()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		p.T.Errorf("notices %q, want %q", got, want)
	}
}

// Again reads the account of a landing as the next request does.
func (p *Platform) Again(here access.Landing) access.Landing {
	p.T.Helper()
	m, err := p.Db.Accounts.ByID(p.T.Context(), here.Member.CompanyID, here.Member.ID)
	NoError(p.T, err)
	here.Member = m
	return here
}

// Profiled signs a person in and returns the session, and the account whose profile is changed.
func (p *Platform) Profiled(who, login string) (access.Session, store.Member) {
	p.T.Helper()
	return p.SignIn(AccountHost, who).Session, p.Account(login)
}

// Saves changes the profile of an account.
func (p *Platform) Saves(s access.Session, m store.Member, change func(*profile.ProfileInput)) error {
	p.T.Helper()
	in := profile.ProfileInput{AccountID: m.ID, Name: m.Name, Position: m.DutyName, Session: s}
	change(&in)
	return p.Profiles.SaveProfile(p.From(HomeAddress), in)
}

// PortraitOf reads the name and portrait of an account.
func (p *Platform) PortraitOf(login string) (name string, picture pictures.Picture, err error) {
	p.T.Helper()
	name = strings.TrimPrefix(p.Account(login).HeadImg, "/portrait/")
	picture, err = p.Profiles.Portrait(p.T.Context(), name)
	return name, picture, err
}

// Deed is an operation that takes a right, done with the ids of company 1001. Own says that it takes no id, so that it
// changes the own company of any account.
type Deed struct {
	Name  string
	Right access.Right
	Own   bool
	Do    func(ctx context.Context, here access.Landing) error
}

// Deeds returns the operations of the back office with their rights.
func (p *Platform) Deeds() []Deed {
	p.T.Helper()
	o, err := p.Order(p.Landed("buyer1", PhoneScreen), p.Product(1001).ID, "1", ordering.NewForm())
	NoError(p.T, err)
	person, client := p.Account("former").ID, p.Account("former").ClientID
	const applied = 1<<52 + 7
	_, err = p.Db.Applications.Add(p.T.Context(), store.Application{
		ID: applied, CompanyID: 1001, Phone: NewPhone, State: store.ApplicationPending, CompanyName: "桥头",
		ContactName: "阮", CreatedAt: 1,
	})
	NoError(p.T, err)
	return []Deed{
		{"CompanyApplications", access.RightApplications, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Application.CompanyApplications(ctx, here, application.ApplicationsFrom{})
			return err
		}},
		{"CompanyApplication", access.RightApplications, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Application.CompanyApplication(ctx, here, applied)
			return err
		}},
		{"Review", access.RightReview, false, func(ctx context.Context, here access.Landing) error {
			_, _, err := p.Application.Review(ctx, here, application.ReviewInput{ID: applied, Approve: true})
			return err
		}},
		{"Audit", access.RightAudit, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Access.Audit(ctx, here, "", 0)
			return err
		}},
		{"AuditAll", access.RightAudit, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Access.AuditAll(ctx, here, "")
			return err
		}},
		{"VisitsOf", access.RightAudit, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Statistics.VisitsOf(ctx, here, 30)
			return err
		}},
		{"VisitRows", access.RightAudit, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Statistics.VisitRows(ctx, here, 30)
			return err
		}},
		{"ApplicationSettingOf", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Application.ApplicationSettingOf(ctx, here)
			return err
		}},
		{"AppearanceOf", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Branding.AppearanceOf(ctx, here)
			return err
		}},
		{"LookBefore", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			_, _, err := p.Branding.LookBefore(ctx, here)
			return err
		}},
		{"KeptDraft", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			_, _, err := p.Branding.KeptDraft(ctx, here)
			return err
		}},
		{"LookToken", access.RightSettings, true, func(_ context.Context, here access.Landing) error {
			_, err := p.Branding.LookToken(here)
			return err
		}},
		{"PreviewLook", access.RightSettings, false, func(ctx context.Context, here access.Landing) error {
			token, err := p.Branding.LookToken(p.Boss())
			NoError(p.T, err)
			_, err = p.Branding.PreviewLook(ctx, here, token)
			return err
		}},
		{
			"DropLook", access.RightSettings, true,
			func(ctx context.Context, here access.Landing) error { return p.Branding.DropLook(ctx, here) },
		},
		{"Domains", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Branding.Domains(ctx, here)
			return err
		}},
		{"CompanyOrders", access.RightOrders, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.CompanyOrders(ctx, here, 0, "zh")
			return err
		}},
		{"CompanyOrder", access.RightOrders, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.CompanyOrder(ctx, here, o.ID, "zh")
			return err
		}},
		{"ConfirmOrder", access.RightOrders, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.ConfirmOrder(ctx, here, o.ID)
		}},
		{"Customers", access.RightCustomers, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.Customers(ctx, here, 0, "zh")
			return err
		}},
		{"Customer", access.RightCustomers, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.Customer(ctx, here, client, "zh")
			return err
		}},
		{"EndPartnership", access.RightManageCustomers, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.EndPartnership(ctx, here, client)
		}},
		{"ResumePartnership", access.RightManageCustomers, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.ResumePartnership(ctx, here, client)
		}},
		{"People", access.RightPeople, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.People(ctx, here, "", 0)
			return err
		}},
		{"PersonHere", access.RightPeople, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.PersonHere(ctx, here, person)
			return err
		}},
		{"Partners", access.RightManagePeople, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.Partners(ctx, here, "zh")
			return err
		}},
		{"OpenAccount", access.RightManagePeople, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.OpenAccount(ctx, here, backoffice.OpenAccountInput{
				Side: "shop", Type: 3, Name: "谁", ClientID: p.Client(),
			})
			return err
		}},
		{"EnablePerson", access.RightManagePeople, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.EnablePerson(ctx, here, person)
		}},
		{"DisablePerson", access.RightManagePeople, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.DisablePerson(ctx, here, person)
		}},
		{"GiveFirstPassword", access.RightManagePeople, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.GiveFirstPassword(ctx, here, person, "")
			return err
		}},
		{"EmployeeRights", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.EmployeeRights(ctx, here)
			return err
		}},
		{"SetEmployeeRights", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.SetEmployeeRights(ctx, here,
				backoffice.EmployeeRightsInput{Rights: []access.Right{access.RightOrders}})
		}},
		{"Samples", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Onboarding.Samples(ctx, here, "zh")
			return err
		}},
		{"ClearSamples", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Onboarding.ClearSamples(ctx, here)
			return err
		}},
		{"EditPerson", access.RightManagePeople, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.EditPerson(ctx, here, person, backoffice.PersonInput{Name: "吴雷", ClientID: client})
		}},
		{"CustomerTypes", access.RightCustomers, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.CustomerTypes(ctx, here)
			return err
		}},
		{"SetCustomerTypes", access.RightManageCustomers, true, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.SetCustomerTypes(ctx, here, backoffice.CustomerTypesInput{New: "酒店"})
		}},
		{"SetCustomerType", access.RightManageCustomers, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.SetCustomerType(ctx, here, client, backoffice.CustomerTypeInput{TypeID: 2})
		}},
		{"SetApplicationSetting", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			return p.Application.SetApplicationSetting(ctx, here, application.ApplicationSettingInput{Open: true})
		}},
	}
}

// EmployeeWith stores rights for the employees of company 1001 without a check, and returns an employee's landing.
func (p *Platform) EmployeeWith(rights ...access.Right) access.Landing {
	p.T.Helper()
	var names []string
	for _, right := range rights {
		names = append(names, string(right))
	}
	p.UpdateCompany(1001, func(c *store.Company) { c.EmployeeRights = strings.Join(names, " ") })
	return p.At(p.Account("li.manager"))
}

// WireOf returns a user's JSON, as fields and as text.
func WireOf(t *testing.T, u access.User) (fields map[string]any, text string) {
	t.Helper()
	raw, err := json.Marshal(u)
	NoError(t, err)
	NoError(t, json.Unmarshal(raw, &fields))
	return fields, string(raw)
}
