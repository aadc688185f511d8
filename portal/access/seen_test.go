package access_test

import (
	"slices"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/branding"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store"
)

// Changer changes one kind of setting of company 1001. Seen returns the tag of the stored values, as a form shows it.
// Save saves the setting with such a tag; each number of way gives other values. Event is the kind of the audit event,
// and Problem the refusal when the tag is outdated.
type Changer struct {
	Name, Event string
	Seen        func(t *testing.T, p *portaltest.Platform) string
	Save        func(p *portaltest.Platform, way int, seen string) error
	Problem     access.Problem
}

var Changers = []Changer{
	{
		"registration", "registration_set",
		func(t *testing.T, p *portaltest.Platform) string {
			in, err := p.Application.ApplicationSettingOf(t.Context(), p.Office("jinsui"))
			portaltest.NoError(t, err)
			return in.Seen
		},
		func(p *portaltest.Platform, way int, seen string) error {
			in := application.ApplicationSettingInput{
				Open:     true,
				Review:   way != 0,
				Required: []string{"reason"},
				Seen:     seen,
			}
			in.ContactName, in.ContactPhone = "周洁", "13700000001"
			return p.Application.SetApplicationSetting(p.From(portaltest.HomeAddress), p.Office("jinsui"), in)
		},
		access.ApplicationSettingChanged,
	},
	{
		"employees' rights", "employee_rights_set",
		func(t *testing.T, p *portaltest.Platform) string {
			in, err := p.Backoffice.EmployeeRights(t.Context(), p.Office("jinsui"))
			portaltest.NoError(t, err)
			return in.Seen
		},
		func(p *portaltest.Platform, way int, seen string) error {
			rights := []access.Right{access.RightOrders, access.RightAudit}
			in := office.EmployeeRightsInput{Rights: rights[:1+way], Seen: seen}
			return p.Backoffice.SetEmployeeRights(p.From(portaltest.HomeAddress), p.Office("jinsui"), in)
		},
		access.RightsChanged,
	},
}

func TestTheSecondToSaveAChangedSettingIsAskedFirst(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range Changers {
			p.UpdateCompany(1001, func(k *store.Company) { k.ApplicationsOpen, k.EmployeeRights = false, "people" })
			seen := c.Seen(t, p)
			portaltest.NoError(t, c.Save(p, 0, seen))
			stored, now := p.Company(1001), c.Seen(t, p)
			portaltest.WantField(t, c.Save(p, 1, seen), "seen", c.Problem)
			if p.Company(1001) != stored || p.CountEvents(1001, c.Event) != 1 || now == seen {
				t.Errorf("%s: it was written without a question", c.Name)
			}
			portaltest.NoError(t, c.Save(p, 1, now))
			portaltest.NoError(t, c.Save(p, 0, "")) // without a tag nothing is compared
			if p.CountEvents(1001, c.Event) != 3 {
				t.Errorf("%s: %d events", c.Name, p.CountEvents(1001, c.Event))
			}
		}
	})
}

func TestSavingStoredValuesWritesNothingWhateverTheTag(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range Changers {
			before := c.Seen(t, p)
			portaltest.NoError(t, c.Save(p, 0, before))
			p.Clock.Advance(time.Second)
			stored := p.Company(1001)
			for _, seen := range []string{before, c.Seen(t, p), "", "of nothing"} {
				portaltest.NoError(t, c.Save(p, 0, seen))
			}
			if p.Company(1001) != stored || p.CountEvents(1001, c.Event) != 1 {
				t.Errorf("%s: %d events", c.Name, p.CountEvents(1001, c.Event))
			}
		}
	})
}

func TestOnlyOneOfManyConcurrentSavesOfASettingSucceeds(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range Changers {
			seen := c.Seen(t, p)
			results := make([]error, 2)
			portaltest.Together(len(results), func(i int) { results[i] = c.Save(p, i, seen) })
			asked := slices.DeleteFunc(results, func(err error) bool { return err == nil })
			if len(asked) != 1 || p.CountEvents(1001, c.Event) != 1 {
				t.Fatalf("%s: %d were asked, %d events", c.Name, len(asked), p.CountEvents(1001, c.Event))
			}
			portaltest.WantField(t, asked[0], "seen", c.Problem)
		}
	})
}

func TestASettingsTagDependsOnItsOwnValuesOnly(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range Changers {
			seen := c.Seen(t, p)
			portaltest.NoError(t, p.Branding.SetAppearance(t.Context(), p.Office("jinsui"), branding.AppearanceInput{
				Name: c.Name, Language: "zh",
			}))
			if c.Seen(t, p) != seen {
				t.Errorf("%s: a changed appearance counts as a change of this setting", c.Name)
			}
		}
		seen := Changers[0].Seen(t, p)
		portaltest.NoError(t, Changers[1].Save(p, 0, ""))
		if Changers[0].Seen(t, p) != seen {
			t.Error("changed rights count as a change of the registration")
		}
	})
}

func TestPublishingTheSameLookTwiceLogsOneEvent(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in, err := p.Branding.AppearanceOf(t.Context(), p.Office("sur"))
		portaltest.NoError(t, err)
		mine := companytest.Look("Uno")
		mine.Seen = in.Seen
		first, mark := companytest.PublishLook(p, mine), companytest.UndoMark(p)
		p.Clock.Advance(time.Second)
		if again := companytest.PublishLook(p, mine); again != first || companytest.UndoMark(p) != mark ||
			p.CountEvents(1002, "appearance_set") != 1 {
			t.Errorf("%d events, %+v", p.CountEvents(1002, "appearance_set"), again)
		}
		p.UpdateCompany(1002, func(c *store.Company) { c.Name = "Otro" })
		portaltest.WantField(
			t, p.Branding.SetAppearance(t.Context(), p.Office("sur"), mine), "seen", access.LookChanged,
		)
	})
}

func TestUsingTheSameDesktopAddressTwiceLogsOneEvent(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, host := range []string{"jinsui.test", ""} {
			portaltest.NoError(t, p.Branding.UseDomain(t.Context(), p.Office("jinsui"), host))
			stored, events := p.Company(1001), p.CountEvents(1001, "desktop_domain_set")
			p.Clock.Advance(time.Second)
			portaltest.NoError(t, p.Branding.UseDomain(t.Context(), p.Office("jinsui"), host))
			if p.Company(1001) != stored || p.CountEvents(1001, "desktop_domain_set") != events {
				t.Errorf("%q is noted again", host)
			}
		}
	})
}
