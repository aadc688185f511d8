package branding_test

import (
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/portaltest"
)

func TestAChangedAppearanceShowsEverywhereAtOnce(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Office("sur")
		p.Place("store1002.portico.test") // remembered for a moment
		portaltest.NoError(
			t,
			p.Branding.SetAppearance(p.From(portaltest.HomeAddress), here, branding.AppearanceInput{
				Name: " Mar Azul ", Theme: "#1C7ED6", Language: "en",
			}),
		)
		c := p.Place("store1002.portico.test").Company
		if c.Name != "Mar Azul" || c.Theme != "1c7ed6" || c.Language != "en" ||
			p.CountEvents(1002, "appearance_set") != 1 {
			t.Errorf("%+v", c)
		}
		portaltest.NoError(
			t, p.Branding.SetAppearance(t.Context(), here, branding.AppearanceInput{Name: "Mar Azul", Language: "zh"}),
		)
		if c := p.Company(1002); c.Theme != "" || c.Language != "zh" {
			t.Errorf("%+v", c)
		}
	})
}

func TestAMalformedAppearanceChangesNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, before := p.Office("sur"), p.DumpRows()
		for _, c := range []struct {
			in    branding.AppearanceInput
			field string
			want  access.Problem
		}{
			{branding.AppearanceInput{Theme: "1c7ed6", Language: "en"}, "name", access.CompanyRequired},
			{branding.AppearanceInput{Name: "a\u0007b", Language: "en"}, "name", access.CompanyMalformed},
			{branding.AppearanceInput{Name: "a\u001bb", Language: "en"}, "name", access.CompanyMalformed},
			{
				branding.AppearanceInput{Name: strings.Repeat("店", access.MaxCompanyName+1), Language: "en"}, "name",
				access.CompanyMalformed,
			},
			{branding.AppearanceInput{Name: "Sur", Theme: "1c7ed", Language: "en"}, "theme", access.ThemeMalformed},
			{branding.AppearanceInput{Name: "Sur", Theme: "##1c7ed6", Language: "en"}, "theme", access.ThemeMalformed},
			{branding.AppearanceInput{Name: "Sur", Theme: "}body{", Language: "en"}, "theme", access.ThemeMalformed},
			{branding.AppearanceInput{Name: "Sur", Theme: "red", Language: "en"}, "theme", access.ThemeMalformed},
			{branding.AppearanceInput{Name: "Sur", Language: "fr"}, "language", access.ChoiceRequired},
			{branding.AppearanceInput{Name: "Sur"}, "language", access.ChoiceRequired},
		} {
			if with := portaltest.Refused(
				t, p.Branding.SetAppearance(t.Context(), here, c.in), access.ValidationFailed,
			); with.Fields[c.field] != c.want || len(with.Fields) != 1 {
				t.Errorf("%+v: %v", c.in, with.Fields)
			}
		}
		good := branding.AppearanceInput{Name: "Sur", Language: "en"}
		for login, want := range map[string]access.Refusal{"li.manager": access.Forbidden, "buyer1": access.NotFound} {
			portaltest.Refused(t, p.Branding.SetAppearance(t.Context(), p.Office(login), good), want)
			_, err := p.Branding.AppearanceOf(t.Context(), p.Office(login))
			portaltest.Refused(t, err, want)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}
