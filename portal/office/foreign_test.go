package office_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
)

// A refused attempt to reach the data of another company is in the audit log.
func TestARefusedAttemptOnAnotherCompanysDataIsAudited(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		invited := companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		operations := append(companytest.Operations(p.Platform), writingOperations(p, nil)...)
		operations = append(
			operations,
			companytest.Operation{Name: "InvitingLink", Do: func(ctx context.Context, here access.Landing) error {
				_, _, err := p.Backoffice.InvitingLink(ctx, here, invited.ID)
				return err
			}},
			companytest.Operation{Name: "InviteAgain", Do: func(ctx context.Context, here access.Landing) error {
				return p.Backoffice.InviteAgain(ctx, here, invited.ID)
			}},
			companytest.Operation{Name: "ProveDomain", Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.ProveDomain(ctx, here, "shop.example.org")
			}},
			companytest.Operation{Name: "UseDomain", Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.UseDomain(ctx, here, "shop.example.org")
			}},
			companytest.Operation{Name: "LicenceOf", Do: func(ctx context.Context, here access.Landing) error {
				_, err := p.Licences.LicenceOf(ctx, here, 1<<52+7)
				return err
			}},
		)
		other := p.LandingFor(p.Account("northwind"))
		for _, d := range operations {
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

// writingOperations returns the operations of the back office that change something, except those of people and
// customers.
func writingOperations(p *portaltest.SMSPlatform, all []companytest.Operation) []companytest.Operation {
	p.T.Helper()
	operations := []companytest.Operation{
		{
			Name:  "SetAppearance",
			Right: access.RightSettings,
			Own:   true,
			Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.SetAppearance(ctx, here, branding.AppearanceInput{Name: "新名字", Language: "zh"})
			},
		},
		{
			Name:  "SetIcon",
			Right: access.RightSettings,
			Own:   true,
			Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.SetIcon(ctx, here, bytes.NewReader(picturetest.PNG(60, 60)))
			},
		},
		{
			Name:  "KeepLook",
			Right: access.RightSettings,
			Own:   true,
			Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.KeepLook(ctx, here, branding.AppearanceInput{Name: "新名字"})
			},
		},
		{
			Name:  "UndoAppearance",
			Right: access.RightSettings,
			Own:   true,
			Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.UndoAppearance(ctx, here, "0")
			},
		},
		{
			Name:  "RemoveIcon",
			Right: access.RightSettings,
			Own:   true,
			Do:    func(ctx context.Context, here access.Landing) error { return p.Branding.RemoveIcon(ctx, here) },
		},
		{
			Name:  "ClaimDomain",
			Right: access.RightSettings,
			Own:   true,
			Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.ClaimDomain(ctx, here, "tienda.example.org")
			},
		},
		{
			Name:  "RemoveDomain",
			Right: access.RightSettings,
			Own:   false,
			Do: func(ctx context.Context, here access.Landing) error {
				return p.Branding.RemoveDomain(ctx, here, "shop.example.org")
			},
		},
		{
			Name:  "UseDomain",
			Right: access.RightSettings,
			Own:   true,
			Do:    func(ctx context.Context, here access.Landing) error { return p.Branding.UseDomain(ctx, here, "") },
		},
	}
	portaltest.NoError(
		p.T, p.Branding.ClaimDomain(p.From(portaltest.HomeAddress), p.Administrator(), "shop.example.org"),
	)
	for _, d := range all {
		if strings.HasPrefix(d.Name, "Set") || d.Name == "Review" || d.Name == "ClearSamples" ||
			d.Name == "ConfirmOrder" {
			operations = append(operations, d)
		}
	}
	return operations
}
