package portal_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"portico/portal"
	"portico/portal/picturetest"
	"portico/store"
)

// writing are the operations of the back office that change something, beside those of people and customers.
func (p *carer) writing(all []deed) []deed {
	p.t.Helper()
	deeds := []deed{
		{"SetAppearance", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			return p.SetAppearance(ctx, here, portal.AppearanceInput{Name: "新名字", Language: "zh"})
		}},
		{"SetIcon", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			return p.SetIcon(ctx, here, bytes.NewReader(picturetest.PNG(60, 60)))
		}},
		{"KeepLook", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			return p.KeepLook(ctx, here, portal.AppearanceInput{Name: "新名字"})
		}},
		{"UndoAppearance", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			return p.UndoAppearance(ctx, here, "0")
		}},
		{"RemoveIcon", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error { return p.RemoveIcon(ctx, here) }},
		{"ClaimDomain", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			return p.ClaimDomain(ctx, here, "tienda.example.org")
		}},
		{"RemoveDomain", portal.RightSettings, false, func(ctx context.Context, here portal.Landing) error {
			return p.RemoveDomain(ctx, here, "shop.example.org")
		}},
		{"UseDomain", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error { return p.UseDomain(ctx, here, "") }},
	}
	noError(p.t, p.ClaimDomain(p.from(homeAddress), p.boss(), "shop.example.org"))
	for _, d := range all {
		if strings.HasPrefix(d.name, "Set") || d.name == "Review" || d.name == "ClearSamples" || d.name == "ConfirmOrder" {
			deeds = append(deeds, d)
		}
	}
	return deeds
}

func TestWhoWasDisabledAMomentAgoWritesNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		deeds, boss := p.writing(p.deeds()), p.boss()
		employee := p.employeeWith(portal.RightOrders)
		p.setAccountState("jinsui", store.AccountDisabled)
		p.employeeWith()
		without := []string{"attempts", "uploads"} // what was sent in and is not used is removed later
		before := p.rows(without...)
		for _, d := range deeds {
			t.Run(d.name, func(t *testing.T) {
				refused(t, d.do(p.from(homeAddress), boss), portal.AccountDisabled)
				if d.right == portal.RightOrders {
					refused(t, d.do(p.from(homeAddress), employee), portal.Forbidden)
				}
				if p.rows(without...) != before {
					t.Error("something was written")
				}
			})
		}
	})
}
