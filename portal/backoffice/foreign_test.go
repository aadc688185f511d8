package backoffice_test

import (
	"context"
	"fmt"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
)

// A refused attempt to reach the data of another company is in the audit log.
func TestARefusedAttemptOnAnotherCompanysDataIsAudited(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		invited := p.Invites(1001, "invited", portaltest.NewPhone)
		deeds := append(p.Deeds(), p.Writing(nil)...)
		deeds = append(
			deeds, portaltest.Deed{Name: "InvitingLink", Do: func(ctx context.Context, here access.Landing) error {
				_, _, err := p.Backoffice.InvitingLink(ctx, here, invited.ID)
				return err
			}}, portaltest.Deed{Name: "InviteAgain", Do: func(ctx context.Context, here access.Landing) error {
				return p.Backoffice.InviteAgain(ctx, here, invited.ID)
			}},
			portaltest.Deed{Name: "ProveDomain", Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.ProveDomain(ctx, here, "shop.example.org")
			}},
			portaltest.Deed{Name: "UseDomain", Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.UseDomain(ctx, here, "shop.example.org")
			}},
			portaltest.Deed{Name: "LicenceOf", Do: func(ctx context.Context, here access.Landing) error {
				_, err := p.Licences.LicenceOf(ctx, here, 1<<52+7)
				return err
			}},
		)
		other := p.At(p.Account("northwind"))
		for _, d := range deeds {
			if d.Own {
				continue
			}
			t.Run(d.Name, func(t *testing.T) {
				told := p.Log.Count("foreign_refused")
				portaltest.Refused(t, d.Do(p.From(portaltest.HomeAddress), other), access.NotFound)
				if p.Log.Count("foreign_refused") != told+1 ||
					p.Log.Count(
						"foreign_refused", fmt.Sprintf(`"account":%d`, other.Member.ID), portaltest.HomeAddress,
					) == 0 {
					t.Error("it is not in the log, or not whose it was")
				}
			})
		}
	})
}
