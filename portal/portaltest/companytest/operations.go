package companytest

import (
	"context"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/lists"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/shop"
	"portico/store"
)

// Operation is an operation of the back office with the right that it requires. Do calls it with ids of company 1001.
// Own says that it takes no id, so that it changes the company of the account that calls it.
type Operation struct {
	Name  string
	Right access.Right
	Own   bool
	Do    func(ctx context.Context, here access.Landing) error
}

// Operations returns the operations of the back office with their rights. It fails the test if their orders and
// applications cannot be added.
func Operations(p *portaltest.Platform) []Operation {
	p.T.Helper()
	o, err := PlaceOrder(p, p.Land("buyer1", portaltest.PhoneScreen), FirstProduct(p, 1001).ID, "1", shop.NewForm())
	portaltest.NoError(p.T, err)
	person, client := p.Account("former").ID, p.Account("former").ClientID
	product := FirstProduct(p, 1001)
	stored, err := p.Shop.Product(p.T.Context(), p.Administrator(), product.ID)
	portaltest.NoError(p.T, err)
	const applied = 1<<52 + 7
	_, err = p.DB.Applications.Add(p.T.Context(), store.Application{
		ID: applied, CompanyID: 1001, Phone: portaltest.NewPhone, State: store.ApplicationPending, CompanyName: "桥头",
		ContactName: "阮", CreatedAt: 1,
	})
	portaltest.NoError(p.T, err)
	return []Operation{
		{"Applications", access.RightApplications, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Lists.Applications.Page(ctx, here, lists.Input{}, "zh")
			return err
		}},
		{"Orders", access.RightOrders, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Lists.Orders.Page(ctx, here, lists.Input{}, "zh")
			return err
		}},
		{"Customers", access.RightCustomers, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Lists.Customers.Page(ctx, here, lists.Input{}, "zh")
			return err
		}},
		{"People", access.RightPeople, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Lists.People.Page(ctx, here, lists.Input{}, "zh")
			return err
		}},
		{"Products", access.RightProducts, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Lists.Products.Page(ctx, here, lists.Input{}, "zh")
			return err
		}},
		{"EachProduct", access.RightProducts, true, func(ctx context.Context, here access.Landing) error {
			return p.Lists.Products.Each(ctx, here, lists.Input{}, "zh", func([]lists.Product) error { return nil })
		}},
		{"Categories", access.RightProducts, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Shop.Categories(ctx, here)
			return err
		}},
		{"Product", access.RightProducts, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Shop.Product(ctx, here, product.ID)
			return err
		}},
		{"Edit", access.RightProducts, false, func(ctx context.Context, here access.Landing) error {
			return p.Shop.Edit(ctx, here, product.ID, stored.In)
		}},
		{"Switch", access.RightProducts, false, func(ctx context.Context, here access.Landing) error {
			return p.Shop.Switch(ctx, here, product.ID, true)
		}},
		{"EachOrder", access.RightOrders, true, func(ctx context.Context, here access.Landing) error {
			return p.Lists.Orders.Each(ctx, here, lists.Input{}, "zh", func([]lists.OrderRecord) error { return nil })
		}},
		{"EachCustomer", access.RightCustomers, true, func(ctx context.Context, here access.Landing) error {
			return p.Lists.Customers.Each(ctx, here, lists.Input{}, "zh",
				func([]lists.CustomerRecord) error { return nil })
		}},
		{"EachApplication", access.RightApplications, true, func(ctx context.Context, here access.Landing) error {
			return p.Lists.Applications.Each(ctx, here, lists.Input{}, "zh",
				func([]store.Application) error { return nil })
		}},
		{"EachPerson", access.RightPeople, true, func(ctx context.Context, here access.Landing) error {
			return p.Lists.People.Each(ctx, here, lists.Input{}, "zh", func([]store.Member) error { return nil })
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
			_, err := p.Lists.Audit(ctx, here, access.AuditFilter{})
			return err
		}},
		{"EachAuditEvent", access.RightAudit, true, func(ctx context.Context, here access.Landing) error {
			ignore := func([]access.AuditEvent) error { return nil }
			return p.Lists.EachAuditEvent(ctx, here, access.AuditFilter{}, ignore)
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
			token, err := p.Branding.LookToken(p.Administrator())
			portaltest.NoError(p.T, err)
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
		{"CompanyOrder", access.RightOrders, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Shop.CompanyOrder(ctx, here, o.ID, "zh")
			return err
		}},
		{"ConfirmOrder", access.RightOrders, false, func(ctx context.Context, here access.Landing) error {
			return p.Shop.ConfirmOrder(ctx, here, o.ID)
		}},
		{"Customer", access.RightCustomers, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.Customer(ctx, here, client)
			return err
		}},
		{"EndPartnership", access.RightManageCustomers, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.EndPartnership(ctx, here, client)
		}},
		{"ResumePartnership", access.RightManageCustomers, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.ResumePartnership(ctx, here, client)
		}},
		{"StaffOf", access.RightPeople, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.People(ctx, here, "", 0)
			return err
		}},
		{"PersonHere", access.RightPeople, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.PersonHere(ctx, here, person)
			return err
		}},
		{"Partners", access.RightManagePeople, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.Partners(ctx, here)
			return err
		}},
		{"OpenAccount", access.RightManagePeople, false, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.OpenAccount(ctx, here, office.OpenAccountInput{
				Side: "shop", Type: 3, Name: "谁", ClientID: PartnerID(p),
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
				office.EmployeeRightsInput{Rights: []access.Right{access.RightOrders}})
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
			return p.Backoffice.EditPerson(ctx, here, person, office.PersonInput{Name: "吴雷", ClientID: client})
		}},
		{"CustomerTypes", access.RightCustomers, true, func(ctx context.Context, here access.Landing) error {
			_, err := p.Backoffice.CustomerTypes(ctx, here)
			return err
		}},
		{"SetCustomerTypes", access.RightManageCustomers, true, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.SetCustomerTypes(ctx, here, office.CustomerTypesInput{New: "酒店"})
		}},
		{"SetCustomerType", access.RightManageCustomers, false, func(ctx context.Context, here access.Landing) error {
			return p.Backoffice.SetCustomerType(ctx, here, client, office.CustomerTypeInput{TypeID: 2})
		}},
		{"SetApplicationSetting", access.RightSettings, true, func(ctx context.Context, here access.Landing) error {
			return p.Application.SetApplicationSetting(ctx, here, application.ApplicationSettingInput{Open: true})
		}},
	}
}
