package office_test

import (
	"slices"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/shop"
)

// openSteps returns the names of the first steps that are open for an account, "-" when it is shown none at all.
func openSteps(p *portaltest.Platform, login string) (open []office.SetupName) {
	p.T.Helper()
	shown, err := p.Overview.Office(p.T.Context(), p.Office(login))
	portaltest.NoError(p.T, err)
	if len(shown.Setup) == 0 {
		return []office.SetupName{"-"}
	}
	for _, step := range shown.Setup {
		if !step.IsDone {
			open = append(open, step.Name)
		}
	}
	return open
}

func TestANewCompanySeesItsFirstStepsUntilAllAreTaken(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		const id, login = 1008, "trial" // it has one member of staff
		want := func(why string, steps ...office.SetupName) {
			t.Helper()
			if got := openSteps(p, login); !slices.Equal(got, steps) {
				t.Errorf("%s: %q, want %q", why, got, steps)
			}
		}
		want("a new company", office.SetupProducts, office.SetupApplications, office.SetupLook,
			office.SetupBank, office.SetupStaff, office.SetupSamples)
		_, err := p.Shop.Add(t.Context(), p.Office(login), shop.ProductInput{
			Name: "Own rice", Category: "Rice", Unit: "bag", Price: "12.50", Stock: "4", Form: shop.NewForm(),
		})
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), id, "theme", "1c7ed6"))
		want("with a colour", office.SetupApplications, office.SetupBank, office.SetupStaff,
			office.SetupSamples)
		portaltest.NoError(t, p.Backoffice.SetBankAccount(t.Context(), p.Office(login), office.BankAccountInput{
			Holder: "Trial", Bank: "Bank", Card: "6222020200112233",
		}))
		want("with a bank account", office.SetupApplications, office.SetupStaff, office.SetupSamples)
		_, err = p.Onboarding.ClearSamples(t.Context(), p.Office(login))
		portaltest.NoError(t, err)
		want("without samples", office.SetupApplications, office.SetupStaff)
		shown, err := p.Overview.Office(t.Context(), p.Office(login))
		portaltest.NoError(t, err)
		for _, step := range shown.Setup {
			if step.Name == office.SetupSamples {
				t.Error("a company without samples is told to clear them")
			}
		}
		ends := p.Company(id).CreatedAt.Time().Add(30 * 24 * time.Hour)
		p.Clock.Advance(ends.Sub(p.Clock.Now()) - time.Millisecond)
		want("at the end of its first month", office.SetupApplications, office.SetupStaff)
		p.Clock.Advance(time.Millisecond)
		want("after its first month", "-")
	})
}

func TestOnlyThoseWhoMayTakeTheFirstStepsSeeThem(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		if got := openSteps(p, "jinsui"); got[0] == "-" {
			t.Error("the administrator does not see them")
		}
		shown, err := p.Overview.Office(t.Context(), companytest.EmployeeWithRights(p, access.RightPeople))
		portaltest.NoError(t, err)
		if len(shown.Setup) != 0 {
			t.Errorf("an employee sees %v", shown.Setup)
		}
	})
}
