package operator_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestTheOperatorsSettingsTakeEffect(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	portaltest.NoError(t, p.DB.Hosts.Add(t.Context(), 1002, "sur.test", store.At(p.Clock.Now())))
	portaltest.NoError(t, p.DB.Hosts.Add(t.Context(), 1002, "pending.test", 0))
	for _, c := range []struct {
		name, value string
		read        func(store.Company) string // nil: not accepted
		want        string
	}{
		{"name", " 新名 ", func(c store.Company) string { return c.Name }, "新名"},
		{
			"name", strings.Repeat("名", access.MaxLogin), func(c store.Company) string { return c.Name },
			strings.Repeat("名", access.MaxLogin),
		},
		{"name", "", nil, ""}, {"name", "   ", nil, ""}, {"name", strings.Repeat("名", access.MaxLogin+1), nil, ""},
		{"name", "a\nb", nil, ""},
		{"name", "a\u0007b", nil, ""}, {"name", "a\u001bb", nil, ""}, {"name", "\xff", nil, ""},
		{"name", "a\x00b", nil, ""},
		{"theme", "20ADE5", func(c store.Company) string { return c.Theme }, "20ade5"},
		{"theme", "", func(c store.Company) string { return c.Theme }, ""},
		{"theme", "20ade", nil, ""}, {"theme", "20ade55", nil, ""}, {"theme", "#20ade", nil, ""},
		{"theme", "20adeg", nil, ""}, {"theme", "红色", nil, ""}, {"theme", "red;}a", nil, ""},
		{"language", "en", func(c store.Company) string { return c.Language }, "en"},
		{"language", "fr", nil, ""}, {"language", "", nil, ""}, {"language", "EN", nil, ""},
		{"mall", "not_open", func(c store.Company) string { return string(c.Mall) }, "not_open"},
		{"mall", "disabled", func(c store.Company) string { return string(c.Mall) }, "disabled"},
		{"mall", "closed", nil, ""}, {"mall", "", nil, ""},
		{"lighting", "on", func(c store.Company) string { return map[bool]string{true: "on"}[c.Lighting] }, "on"},
		{"lighting", "yes", nil, ""}, {"lighting", "true", nil, ""},
		{
			"contact", "Ana:13912345678", func(c store.Company) string { return c.ContactName + c.ContactPhone },
			"Ana13912345678",
		},
		{
			"manager", "周宁:139 1234 5678", func(c store.Company) string { return c.ManagerName + c.ManagerPhone },
			"周宁13912345678",
		},
		{"contact", "Ana", nil, ""}, {"contact", "Ana:12345", nil, ""}, {"contact", "A\nna:13912345678", nil, ""},
		{"contact", ":13912345678", nil, ""}, {"contact", "", nil, ""},
		{"pc_domain", "https://sur.test", func(c store.Company) string { return c.PCDomain }, "https://sur.test"},
		{
			"pc_domain", "http://store1002.portico.test", func(c store.Company) string { return c.PCDomain },
			"http://store1002.portico.test",
		},
		{"pc_domain", "https://SUR.test.", func(c store.Company) string { return c.PCDomain }, "https://sur.test"},
		{"pc_domain", "", func(c store.Company) string { return c.PCDomain }, ""},
		{"disabled", "true", nil, ""}, {"", "", nil, ""}, {"standing", "formal", nil, ""}, {"NAME", "x", nil, ""},
	} {
		before, err := p.Operator.Company(t.Context(), 1002)
		portaltest.NoError(t, err)
		err = p.Operator.SetCompany(t.Context(), 1002, c.name, c.value)
		after, readErr := p.Operator.Company(t.Context(), 1002)
		portaltest.NoError(t, readErr)
		if c.read == nil {
			if !errors.Is(err, office.ErrSetting) || after != before {
				t.Errorf("%s=%q: %v, changed %v", c.name, c.value, err, after != before)
			}
		} else if err != nil || c.read(after) != c.want {
			t.Errorf("%s=%q: %v, now %q", c.name, c.value, err, c.read(after))
		}
	}
}

// MaliciousDomains are values of pc_domain that would send people, with their auth code, to someone else.
var MaliciousDomains = []string{
	"https://evil.test", "https://store1003.evil", "https://store1003.portico.test.evil.test",
	"https://store1003.portico.test@evil.test",
	"https://evil.test@store1003.portico.test", "https://user:secret@store1003.portico.test",
	"https://store1002.portico.test", "https://mgr.portico.test",
	"https://portico.test", "https://account.portico.test", "https://xstore1003.portico.test",
	"https://store1003.sub.portico.test", "https://store01003.portico.test",
	"https://store1003.portico.test/path", "https://store1003.portico.test/", "https://store1003.portico.test?x=1",
	"https://store1003.portico.test#x",
	"https://store1003.portico.test:8443", "https://store1003.portico.test:80:80",
	"https://store1003.portico.test%2eevil.test", "https://store1003.portico.test\\@evil.test",
	"https://*.portico.test", "https://store1003.portico.test\r\nSet-Cookie: a=b", "https://127.0.0.1", "https://[::1]",
	"https://xn--stre1003-n4a.portico.test",
	"https:store1003.portico.test", "https:///store1003.portico.test", "//store1003.portico.test",
	"store1003.portico.test", "javascript:alert(1)", "data:text/html,x",
	"ftp://store1003.portico.test", "HTTPS//store1003.portico.test", "https://jinsui.test", "https://pending.test",
	"https://store１００３.portico.test", " https://store1003.portico.test",
}

func TestADesktopDomainThatIsNotTheCompanysIsNeitherSavedNorUsed(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.DB.Hosts.Add(t.Context(), 1003, "pending.test", 0))
		signed := p.SignIn(portaltest.AccountHost, "northwind")
		tricks := append([]string{"http://store1003.portico.test"}, MaliciousDomains...)
		p.Restart(portaltest.Production)
		for _, trick := range tricks {
			if err := p.Operator.SetCompany(t.Context(), 1003, "pc_domain", trick); !errors.Is(err, office.ErrSetting) {
				t.Errorf("saving %q: %v", trick, err)
			}
			p.UpdateCompany(1003, func(c *store.Company) { c.PCDomain = trick })
			destination, err := p.Entry.Enter(t.Context(), access.EnterInput{
				Session: signed.Session, AccountID: p.Account("northwind").ID, Place: p.Place(portaltest.AccountHost),
				Device: portaltest.Desktop,
			})
			if !errors.Is(err, access.RedirectFailed) || destination != (signin.Redirect{}) {
				t.Errorf("using %q: %v, %.60s…", trick, err, destination.URL)
			}
		}
	})
}

func TestADesktopDomainTheCompanyOwnsIsUsedInItsOneSpelling(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t), portaltest.Production)
	portaltest.NoError(t, p.DB.Hosts.Add(t.Context(), 1003, "lights.test", store.At(p.Clock.Now())))
	signed := p.SignIn(portaltest.AccountHost, "northwind")
	for value, want := range map[string]string{
		"https://lights.test": "https://lights.test/mgr?", "https://LIGHTS.test.": "https://lights.test/mgr?",
		"https://astore1003.portico.test": "https://astore1003.portico.test/mgr?",
	} {
		p.UpdateCompany(1003, func(c *store.Company) { c.PCDomain = value })
		if got := p.Enter(
			signed, portaltest.AccountHost, "northwind", portaltest.Desktop,
		).URL; !strings.HasPrefix(got, want) {
			t.Errorf("%s leads to %.60s…", value, got)
		}
	}
}

func TestDisablingAndEnablingACompanyTakeEffectAtOnce(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.Operator.DisableCompany(t.Context(), 1001))
		_, err := p.Login(p.LoginInput("buyer1"))
		portaltest.Refused(t, err, access.CompanyDisabled)
		portaltest.NoError(t, p.Operator.EnableCompany(t.Context(), 1001))
		p.SignIn(portaltest.AccountHost, "buyer1")
		if p.CountEvents(1001, "company_disabled") != 1 || p.CountEvents(1001, "company_enabled") != 1 {
			t.Error("the audit log misses a change")
		}
	})
}

func TestRenewingMakesACompanyFormalUntilTheGivenDate(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		if err := p.Operator.RenewCompany(t.Context(), 1005, p.Clock.Now()); !errors.Is(err, office.ErrSetting) {
			t.Errorf("an end that is no future: %v", err)
		}
		_, err := p.Login(p.LoginInput("13800000008"))
		portaltest.Refused(t, err, access.TrialEnded)
		portaltest.NoError(t, p.Operator.RenewCompany(t.Context(), 1005, p.Clock.In(time.Hour)))
		p.SignIn(portaltest.AccountHost, "13800000008")
		p.Clock.Advance(time.Hour)
		_, err = p.Login(p.LoginInput("13800000008"))
		portaltest.Refused(t, err, access.CompanyExpired)
	})
}

func TestATrialIsExtendedFromItsEndOrFromTodayIfItHasEnded(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		const day = 24 * time.Hour
		portaltest.NoError(t, p.Operator.ExtendTrial(t.Context(), 1005, 3)) // ended yesterday
		portaltest.NoError(t, p.Operator.ExtendTrial(t.Context(), 1008, 3)) // 12 days left
		for id, left := range map[int64]time.Duration{1005: 3 * day, 1008: 15 * day} {
			c, err := p.Operator.Company(t.Context(), id)
			portaltest.NoError(t, err)
			if got := c.EndsAt.Time().Sub(p.Clock.Now()); got != left || c.Standing != store.Trial {
				t.Errorf("company %d is %s for %v more, want %v", id, c.Standing, got, left)
			}
		}
		for _, days := range []int{0, -1, 366, 1 << 40} {
			if err := p.Operator.ExtendTrial(t.Context(), 1008, days); !errors.Is(err, office.ErrSetting) {
				t.Errorf("%d days: %v", days, err)
			}
		}
		if err := p.Operator.ExtendTrial(t.Context(), 1001, 3); !errors.Is(err, office.ErrSetting) {
			t.Errorf("a formal company: %v", err)
		}
	})
}

func TestACompanyThatDoesNotExistIsNotFound(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx := t.Context()
		_, err := p.Operator.Company(ctx, 7)
		for name, err := range map[string]error{
			"read": err, "disable": p.Operator.DisableCompany(ctx, 7), "enable": p.Operator.EnableCompany(ctx, 7),
			"set":    p.Operator.SetCompany(ctx, 7, "name", "x"),
			"renew":  p.Operator.RenewCompany(ctx, 7, p.Clock.In(time.Hour)),
			"extend": p.Operator.ExtendTrial(ctx, 7, 1),
		} {
			if !errors.Is(err, access.NotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestACopyOfTheDatabaseContainsNoUsableSecret(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	in := p.LoginInput("13800000001")
	in.Place = p.Place("store1001.portico.test")
	signed, err := p.Login(in)
	portaltest.NoError(t, err)
	destination := p.Enter(signed, "store1001.portico.test", "buyer1", portaltest.Desktop)
	landed, err := p.Redeem(destination, signed.Token)
	portaltest.NoError(t, err)
	unused := p.Enter(
		p.SignIn(portaltest.AccountHost, "jinsui"), portaltest.AccountHost, "jinsui", portaltest.PhoneScreen,
	)

	path := filepath.Join(t.TempDir(), "copy.db")
	portaltest.NoError(t, p.DB.Backup(t.Context(), path))
	dump, err := os.ReadFile(path)
	portaltest.NoError(t, err)
	if !bytes.Contains(dump, []byte("13800000001")) || !bytes.Contains(dump, []byte(signed.Device)) {
		t.Fatal("the copy holds nothing of the platform: this test would see no leak")
	}
	secrets := map[string]string{
		"first cookie": signed.Token, "landing cookie": landed.Token,
		"device cookie": p.Sessions.DeviceCookie(signed.Device), "password": onboarding.DemoPassword,
		"used code": destination.Code, "unused code": unused.Code,
	}
	for name, secret := range secrets {
		if bytes.Contains(dump, []byte(secret)) {
			t.Errorf("the copy holds the %s", name)
		}
		if raw, err := base64.RawURLEncoding.DecodeString(secret); err == nil && len(raw) > 15 &&
			bytes.Contains(dump, raw) {
			t.Errorf("the copy holds the bytes of the %s", name)
		}
	}
	_, err = p.Session(t.Context(), signed.Session.ID, p.Place("store1001.portico.test"))
	portaltest.Refused(t, err, access.LoginRequired)
}

func TestABackupNeverReplacesAFile(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	path := filepath.Join(t.TempDir(), "copy.db")
	portaltest.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
	if err := p.DB.Backup(t.Context(), path); err == nil {
		t.Error("the file was replaced")
	}
	if kept, _ := os.ReadFile(path); string(kept) != "precious" {
		t.Errorf("the file now reads %q", kept)
	}
}

func TestReadyReportsWhetherTheDatabaseAnswers(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.Ready(t.Context()))
		portaltest.NoError(t, p.DB.Close())
		if err := p.Ready(t.Context()); err == nil {
			t.Error("ready without a database")
		}
	})
}

func TestTheOperatorDoesNotOverwriteAnAdministratorsConcurrentChange(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		operated := make(chan error, 1)
		portaltest.NoError(t, p.DB.Tx(t.Context(), func(tx *store.DB) error {
			if err := tx.Companies.Lock(t.Context(), 1001); err != nil {
				return err
			}
			c, err := tx.Companies.ByID(t.Context(), 1001)
			if err != nil {
				return err
			}
			go func() {
				operated <- p.Operator.SetCompany(context.WithoutCancel(t.Context()), 1001, "theme", "112233")
			}()
			time.Sleep(200 * time.Millisecond)
			c.Name = "另一个名字"
			return tx.Companies.Update(t.Context(), c)
		}))
		portaltest.NoError(t, <-operated)
		if c := p.Company(1001); c.Name != "另一个名字" || c.Theme != "112233" {
			t.Errorf("%+v", c)
		}
	})
}
