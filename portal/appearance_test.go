package portal_test

import (
	"strings"
	"testing"

	"portico/portal"
)

func TestAnAppearanceIsSeenEverywhereAtOnce(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.office("sur")
		p.place("store1002.portico.test") // remembered for a moment
		noError(t, p.SetAppearance(p.from(homeAddress), here, portal.AppearanceInput{Name: " Mar Azul ", Theme: "#1C7ED6", Language: "en"}))
		c := p.place("store1002.portico.test").Company
		if c.Name != "Mar Azul" || c.Theme != "1c7ed6" || c.Language != "en" || p.events(1002, "appearance_set") != 1 {
			t.Errorf("%+v", c)
		}
		noError(t, p.SetAppearance(t.Context(), here, portal.AppearanceInput{Name: "Mar Azul", Language: "zh"}))
		if c := p.company(1002); c.Theme != "" || c.Language != "zh" {
			t.Errorf("%+v", c)
		}
	})
}

func TestAMalformedAppearanceChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here, before := p.office("sur"), p.rows()
		for _, c := range []struct {
			in    portal.AppearanceInput
			field string
			want  portal.Problem
		}{
			{portal.AppearanceInput{Theme: "1c7ed6", Language: "en"}, "name", portal.CompanyRequired},
			{portal.AppearanceInput{Name: "a\u202eb", Language: "en"}, "name", portal.CompanyMalformed},
			{portal.AppearanceInput{Name: "a\u200bb", Language: "en"}, "name", portal.CompanyMalformed},
			{portal.AppearanceInput{Name: strings.Repeat("店", portal.MaxCompanyName+1), Language: "en"}, "name", portal.CompanyMalformed},
			{portal.AppearanceInput{Name: "Sur", Theme: "1c7ed", Language: "en"}, "theme", portal.ThemeMalformed},
			{portal.AppearanceInput{Name: "Sur", Theme: "##1c7ed6", Language: "en"}, "theme", portal.ThemeMalformed},
			{portal.AppearanceInput{Name: "Sur", Theme: "}body{", Language: "en"}, "theme", portal.ThemeMalformed},
			{portal.AppearanceInput{Name: "Sur", Theme: "red", Language: "en"}, "theme", portal.ThemeMalformed},
			{portal.AppearanceInput{Name: "Sur", Language: "fr"}, "language", portal.ChoiceRequired},
			{portal.AppearanceInput{Name: "Sur"}, "language", portal.ChoiceRequired},
		} {
			if with := refused(t, p.SetAppearance(t.Context(), here, c.in), portal.ValidationFailed); with.Fields[c.field] != c.want || len(with.Fields) != 1 {
				t.Errorf("%+v: %v", c.in, with.Fields)
			}
		}
		good := portal.AppearanceInput{Name: "Sur", Language: "en"}
		for login, want := range map[string]portal.Refusal{"li.manager": portal.Forbidden, "buyer1": portal.NotFound} {
			refused(t, p.SetAppearance(t.Context(), p.office(login), good), want)
			_, err := p.AppearanceOf(t.Context(), p.office(login))
			refused(t, err, want)
		}
		if p.rows() != before {
			t.Error("something was written")
		}
	})
}
