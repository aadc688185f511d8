package portal_test

import (
	"context"
	"fmt"
	"testing"

	"portico/portal"
)

// Requirement 113.
func TestWhatIsAnotherCompanysIsWrittenDownAsRefused(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		invited := p.invites(1001, "invited", newPhone)
		deeds := append(p.deeds(), p.writing(nil)...)
		deeds = append(deeds, deed{"InvitingLink", "", false, func(ctx context.Context, here portal.Landing) error {
			_, _, err := p.InvitingLink(ctx, here, invited.ID)
			return err
		}}, deed{"InviteAgain", "", false, func(ctx context.Context, here portal.Landing) error { return p.InviteAgain(ctx, here, invited.ID) }},
			deed{"ProveDomain", "", false, func(ctx context.Context, here portal.Landing) error {
				return p.ProveDomain(ctx, here, "shop.example.org")
			}},
			deed{"UseDomain", "", false, func(ctx context.Context, here portal.Landing) error {
				return p.UseDomain(ctx, here, "shop.example.org")
			}},
			deed{"LicenceOf", "", false, func(ctx context.Context, here portal.Landing) error {
				_, err := p.LicenceOf(ctx, here, 1<<52+7)
				return err
			}})
		other := p.at(p.account("northwind"))
		for _, d := range deeds {
			if d.own {
				continue
			}
			t.Run(d.name, func(t *testing.T) {
				told := p.log.count("foreign_refused")
				refused(t, d.do(p.from(homeAddress), other), portal.NotFound)
				if p.log.count("foreign_refused") != told+1 || p.log.count("foreign_refused", fmt.Sprintf(`"account":%d`, other.Member.ID), homeAddress) == 0 {
					t.Error("it is not in the log, or not whose it was")
				}
			})
		}
	})
}
