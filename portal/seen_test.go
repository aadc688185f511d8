package portal_test

import (
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// changer saves a setting of 1001 in one of several ways, with the tag of what was seen.
type changer struct {
	name, event string
	seen        func(t *testing.T, p *platform) string
	save        func(p *platform, way int, seen string) error
	problem     portal.Problem
}

var changers = []changer{
	{
		"registration", "registration_set",
		func(t *testing.T, p *platform) string {
			in, err := p.ApplicationSettingOf(t.Context(), p.office("jinsui"))
			noError(t, err)
			return in.Seen
		},
		func(p *platform, way int, seen string) error {
			in := portal.ApplicationSettingInput{Open: true, Review: way != 0, Required: []string{"reason"}, Seen: seen}
			in.ContactName, in.ContactPhone = "周洁", "13700000001"
			return p.SetApplicationSetting(p.from(homeAddress), p.office("jinsui"), in)
		},
		portal.ApplicationSettingChanged,
	},
	{
		"employees' rights", "employee_rights_set",
		func(t *testing.T, p *platform) string {
			in, err := p.EmployeeRights(t.Context(), p.office("jinsui"))
			noError(t, err)
			return in.Seen
		},
		func(p *platform, way int, seen string) error {
			rights := []portal.Right{portal.RightOrders, portal.RightAudit}
			in := portal.EmployeeRightsInput{Rights: rights[:1+way], Seen: seen}
			return p.SetEmployeeRights(p.from(homeAddress), p.office("jinsui"), in)
		},
		portal.RightsChanged,
	},
}

func TestTheSecondToSaveAChangedSettingIsAskedFirst(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range changers {
			p.updateCompany(1001, func(k *store.Company) { k.ApplicationsOpen, k.EmployeeRights = false, "people" })
			seen := c.seen(t, p)
			noError(t, c.save(p, 0, seen))
			stored, now := p.company(1001), c.seen(t, p)
			field(t, c.save(p, 1, seen), "seen", c.problem)
			if p.company(1001) != stored || p.events(1001, c.event) != 1 || now == seen {
				t.Errorf("%s: it was written without a question", c.name)
			}
			noError(t, c.save(p, 1, now))
			noError(t, c.save(p, 0, "")) // without a tag nothing is compared
			if p.events(1001, c.event) != 3 {
				t.Errorf("%s: %d events", c.name, p.events(1001, c.event))
			}
		}
	})
}

func TestSavingStoredValuesWritesNothingWhateverTheTag(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range changers {
			before := c.seen(t, p)
			noError(t, c.save(p, 0, before))
			p.clock.advance(time.Second)
			stored := p.company(1001)
			for _, seen := range []string{before, c.seen(t, p), "", "of nothing"} {
				noError(t, c.save(p, 0, seen))
			}
			if p.company(1001) != stored || p.events(1001, c.event) != 1 {
				t.Errorf("%s: %d events", c.name, p.events(1001, c.event))
			}
		}
	})
}

func TestOfManySavesOfASettingAtOnceOneSucceeds(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		for _, c := range changers {
			seen := c.seen(t, p)
			results := make([]error, 2)
			together(len(results), func(i int) { results[i] = c.save(p, i, seen) })
			asked := slices.DeleteFunc(results, func(err error) bool { return err == nil })
			if len(asked) != 1 || p.events(1001, c.event) != 1 {
				t.Fatalf("%s: %d were asked, %d events", c.name, len(asked), p.events(1001, c.event))
			}
			field(t, asked[0], "seen", c.problem)
		}
	})
}

func TestASettingsTagDependsOnItsOwnValuesOnly(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range changers {
			seen := c.seen(t, p)
			noError(t, p.SetAppearance(t.Context(), p.office("jinsui"), portal.AppearanceInput{Name: c.name,
				Language: "zh"}))
			if c.seen(t, p) != seen {
				t.Errorf("%s: a changed appearance counts as a change of this setting", c.name)
			}
		}
		seen := changers[0].seen(t, p)
		noError(t, changers[1].save(p, 0, ""))
		if changers[0].seen(t, p) != seen {
			t.Error("changed rights count as a change of the registration")
		}
	})
}

func TestPublishingTheSameLookTwiceLogsOneEvent(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in, err := p.AppearanceOf(t.Context(), p.office("sur"))
		noError(t, err)
		mine := look("Uno")
		mine.Seen = in.Seen
		first, mark := p.publish(mine), p.mark()
		p.clock.advance(time.Second)
		if again := p.publish(mine); again != first || p.mark() != mark || p.events(1002, "appearance_set") != 1 {
			t.Errorf("%d events, %+v", p.events(1002, "appearance_set"), again)
		}
		p.updateCompany(1002, func(c *store.Company) { c.Name = "Otro" })
		field(t, p.SetAppearance(t.Context(), p.office("sur"), mine), "seen", portal.LookChanged)
	})
}

func TestUsingTheSameDesktopAddressTwiceLogsOneEvent(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, host := range []string{"jinsui.test", ""} {
			noError(t, p.UseDomain(t.Context(), p.office("jinsui"), host))
			stored, events := p.company(1001), p.events(1001, "desktop_domain_set")
			p.clock.advance(time.Second)
			noError(t, p.UseDomain(t.Context(), p.office("jinsui"), host))
			if p.company(1001) != stored || p.events(1001, "desktop_domain_set") != events {
				t.Errorf("%q is noted again", host)
			}
		}
	})
}
