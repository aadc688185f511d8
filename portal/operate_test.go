package portal_test

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

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

func TestTheOperatorsSettingsAreWhatTheyAreSaidToBe(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	noError(t, p.db.AddCompanyHost(t.Context(), 1002, "sur.test", store.At(p.clock.now())))
	noError(t, p.db.AddCompanyHost(t.Context(), 1002, "pending.test", 0))
	for _, c := range []struct {
		name, value string
		read        func(store.Company) string // nil: not accepted
		want        string
	}{
		{"name", " 新名 ", func(c store.Company) string { return c.Name }, "新名"},
		{"name", strings.Repeat("名", portal.MaxLogin), func(c store.Company) string { return c.Name }, strings.Repeat("名", portal.MaxLogin)},
		{"name", "", nil, ""}, {"name", "   ", nil, ""}, {"name", strings.Repeat("名", portal.MaxLogin+1), nil, ""}, {"name", "a\nb", nil, ""},
		{"name", "a\u202eb", nil, ""}, {"name", "a\u200bb", nil, ""}, {"name", "\xff", nil, ""}, {"name", "a\x00b", nil, ""},
		{"theme", "20ADE5", func(c store.Company) string { return c.Theme }, "20ade5"},
		{"theme", "", func(c store.Company) string { return c.Theme }, ""},
		{"theme", "20ade", nil, ""}, {"theme", "20ade55", nil, ""}, {"theme", "#20ade", nil, ""}, {"theme", "20adeg", nil, ""}, {"theme", "红色", nil, ""}, {"theme", "red;}a", nil, ""},
		{"language", "en", func(c store.Company) string { return c.Language }, "en"},
		{"language", "fr", nil, ""}, {"language", "", nil, ""}, {"language", "EN", nil, ""},
		{"mall", "not_open", func(c store.Company) string { return string(c.Mall) }, "not_open"},
		{"mall", "disabled", func(c store.Company) string { return string(c.Mall) }, "disabled"},
		{"mall", "closed", nil, ""}, {"mall", "", nil, ""},
		{"lighting", "on", func(c store.Company) string { return map[bool]string{true: "on"}[c.Lighting] }, "on"},
		{"lighting", "yes", nil, ""}, {"lighting", "true", nil, ""},
		{"contact", "Ana:13912345678", func(c store.Company) string { return c.ContactName + c.ContactPhone }, "Ana13912345678"},
		{"manager", "周宁:139 1234 5678", func(c store.Company) string { return c.ManagerName + c.ManagerPhone }, "周宁13912345678"},
		{"contact", "Ana", nil, ""}, {"contact", "Ana:12345", nil, ""}, {"contact", "A\nna:13912345678", nil, ""}, {"contact", ":13912345678", nil, ""}, {"contact", "", nil, ""},
		{"pc_domain", "https://sur.test", func(c store.Company) string { return c.PCDomain }, "https://sur.test"},
		{"pc_domain", "http://store1002.portico.test", func(c store.Company) string { return c.PCDomain }, "http://store1002.portico.test"},
		{"pc_domain", "https://SUR.test.", func(c store.Company) string { return c.PCDomain }, "https://sur.test"},
		{"pc_domain", "", func(c store.Company) string { return c.PCDomain }, ""},
		{"disabled", "true", nil, ""}, {"", "", nil, ""}, {"standing", "formal", nil, ""}, {"NAME", "x", nil, ""},
	} {
		before, err := p.Company(t.Context(), 1002)
		noError(t, err)
		err = p.SetCompany(t.Context(), 1002, c.name, c.value)
		after, readErr := p.Company(t.Context(), 1002)
		noError(t, readErr)
		if c.read == nil {
			if !errors.Is(err, portal.ErrSetting) || after != before {
				t.Errorf("%s=%q: %v, changed %v", c.name, c.value, err, after != before)
			}
		} else if err != nil || c.read(after) != c.want {
			t.Errorf("%s=%q: %v, now %q", c.name, c.value, err, c.read(after))
		}
	}
}

// domainTricks are values of pc_domain that would send people, with their auth code, to someone else.
var domainTricks = []string{
	"https://evil.test", "https://store1003.evil", "https://store1003.portico.test.evil.test", "https://store1003.portico.test@evil.test",
	"https://evil.test@store1003.portico.test", "https://user:secret@store1003.portico.test", "https://store1002.portico.test", "https://mgr.portico.test",
	"https://portico.test", "https://account.portico.test", "https://xstore1003.portico.test", "https://store1003.sub.portico.test", "https://store01003.portico.test",
	"https://store1003.portico.test/path", "https://store1003.portico.test/", "https://store1003.portico.test?x=1", "https://store1003.portico.test#x",
	"https://store1003.portico.test:8443", "https://store1003.portico.test:80:80", "https://store1003.portico.test%2eevil.test", "https://store1003.portico.test\\@evil.test",
	"https://*.portico.test", "https://store1003.portico.test\r\nSet-Cookie: a=b", "https://127.0.0.1", "https://[::1]", "https://xn--stre1003-n4a.portico.test",
	"https:store1003.portico.test", "https:///store1003.portico.test", "//store1003.portico.test", "store1003.portico.test", "javascript:alert(1)", "data:text/html,x",
	"ftp://store1003.portico.test", "HTTPS//store1003.portico.test", "https://jinsui.test", "https://pending.test", "https://store１００３.portico.test", " https://store1003.portico.test",
}

func TestADesktopDomainThatIsNotTheCompanysIsNeitherSavedNorUsed(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		noError(t, p.db.AddCompanyHost(t.Context(), 1003, "pending.test", 0))
		signed := p.signIn(accountHost, "northwind")
		tricks := append([]string{"http://store1003.portico.test"}, domainTricks...)
		p.restart(production)
		for _, trick := range tricks {
			if err := p.SetCompany(t.Context(), 1003, "pc_domain", trick); !errors.Is(err, portal.ErrSetting) {
				t.Errorf("saving %q: %v", trick, err)
			}
			p.updateCompany(1003, func(c *store.Company) { c.PCDomain = trick })
			destination, err := p.Enter(t.Context(), portal.EnterInput{Session: signed.Session, AccountID: p.account("northwind").ID, Place: p.place(accountHost), Device: desktop})
			if !errors.Is(err, portal.RedirectFailed) || destination != (portal.Destination{}) {
				t.Errorf("using %q: %v, %.60s…", trick, err, destination.URL)
			}
		}
	})
}

func TestADesktopDomainTheCompanyOwnsIsUsedInItsOneSpelling(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t), production)
	noError(t, p.db.AddCompanyHost(t.Context(), 1003, "lights.test", store.At(p.clock.now())))
	signed := p.signIn(accountHost, "northwind")
	for value, want := range map[string]string{
		"https://lights.test": "https://lights.test/mgr?", "https://LIGHTS.test.": "https://lights.test/mgr?", "https://astore1003.portico.test": "https://astore1003.portico.test/mgr?",
	} {
		p.updateCompany(1003, func(c *store.Company) { c.PCDomain = value })
		if got := p.enter(signed, accountHost, "northwind", desktop).URL; !strings.HasPrefix(got, want) {
			t.Errorf("%s leads to %.60s…", value, got)
		}
	}
}

func TestDisablingAndEnablingACompanyBiteAtOnce(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		noError(t, p.DisableCompany(t.Context(), 1001))
		_, err := p.login(p.as("buyer1"))
		refused(t, err, portal.CompanyDisabled)
		noError(t, p.EnableCompany(t.Context(), 1001))
		p.signIn(accountHost, "buyer1")
		if p.events(1001, "company_disabled") != 1 || p.events(1001, "company_enabled") != 1 {
			t.Error("the audit log misses a change")
		}
	})
}

func TestRenewingMakesACompanyFormalUntilThen(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		if err := p.RenewCompany(t.Context(), 1005, p.clock.now()); !errors.Is(err, portal.ErrSetting) {
			t.Errorf("an end that is no future: %v", err)
		}
		_, err := p.login(p.as("13800000008"))
		refused(t, err, portal.TrialEnded)
		noError(t, p.RenewCompany(t.Context(), 1005, p.clock.in(time.Hour)))
		p.signIn(accountHost, "13800000008")
		p.clock.advance(time.Hour)
		_, err = p.login(p.as("13800000008"))
		refused(t, err, portal.CompanyExpired)
	})
}

func TestATrialIsExtendedFromItsEndOrFromTodayWhenThatIsPast(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		const day = 24 * time.Hour
		noError(t, p.ExtendTrial(t.Context(), 1005, 3)) // ended yesterday
		noError(t, p.ExtendTrial(t.Context(), 1008, 3)) // 12 days left
		for id, left := range map[int64]time.Duration{1005: 3 * day, 1008: 15 * day} {
			c, err := p.Company(t.Context(), id)
			noError(t, err)
			if got := c.EndsAt.Time().Sub(p.clock.now()); got != left || c.Standing != store.Trial {
				t.Errorf("company %d is %s for %v more, want %v", id, c.Standing, got, left)
			}
		}
		for _, days := range []int{0, -1, 366, 1 << 40} {
			if err := p.ExtendTrial(t.Context(), 1008, days); !errors.Is(err, portal.ErrSetting) {
				t.Errorf("%d days: %v", days, err)
			}
		}
		if err := p.ExtendTrial(t.Context(), 1001, 3); !errors.Is(err, portal.ErrSetting) {
			t.Errorf("a formal company: %v", err)
		}
	})
}

func TestACompanyThatDoesNotExistIsNotFound(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx := t.Context()
		_, err := p.Company(ctx, 7)
		for name, err := range map[string]error{
			"read": err, "disable": p.DisableCompany(ctx, 7), "enable": p.EnableCompany(ctx, 7), "set": p.SetCompany(ctx, 7, "name", "x"),
			"renew": p.RenewCompany(ctx, 7, p.clock.in(time.Hour)), "extend": p.ExtendTrial(ctx, 7, 1),
		} {
			if !errors.Is(err, portal.NotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestACopyOfTheDatabaseOpensNothing(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	in := p.as("13800000001")
	in.Place = p.place("store1001.portico.test")
	signed, err := p.login(in)
	noError(t, err)
	destination := p.enter(signed, "store1001.portico.test", "buyer1", desktop)
	landed, err := p.redeem(destination, signed.Token)
	noError(t, err)
	unused := p.enter(p.signIn(accountHost, "jinsui"), accountHost, "jinsui", phoneScreen)

	path := filepath.Join(t.TempDir(), "copy.db")
	noError(t, p.Backup(t.Context(), path))
	dump, err := os.ReadFile(path)
	noError(t, err)
	if !bytes.Contains(dump, []byte("13800000001")) || !bytes.Contains(dump, []byte(signed.Device)) {
		t.Fatal("the copy holds nothing of the platform: this test would see no leak")
	}
	secrets := map[string]string{
		"first cookie": signed.Token, "landing cookie": landed.Token, "device cookie": p.DeviceCookie(signed.Device), "password": portal.DemoPassword,
		"used code": destination.Code, "unused code": unused.Code,
	}
	for name, secret := range secrets {
		if bytes.Contains(dump, []byte(secret)) {
			t.Errorf("the copy holds the %s", name)
		}
		if raw, err := base64.RawURLEncoding.DecodeString(secret); err == nil && len(raw) > 15 && bytes.Contains(dump, raw) {
			t.Errorf("the copy holds the bytes of the %s", name)
		}
	}
	_, err = p.Session(t.Context(), signed.Session.ID, p.place("store1001.portico.test"))
	refused(t, err, portal.LoginRequired)
}

func TestABackupNeverReplacesAFile(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	path := filepath.Join(t.TempDir(), "copy.db")
	noError(t, os.WriteFile(path, []byte("precious"), 0o600))
	if err := p.Backup(t.Context(), path); err == nil {
		t.Error("the file was replaced")
	}
	if kept, _ := os.ReadFile(path); string(kept) != "precious" {
		t.Errorf("the file now reads %q", kept)
	}
}

func TestReadyFollowsTheDatabase(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		noError(t, p.Ready(t.Context()))
		noError(t, p.db.Close())
		if err := p.Ready(t.Context()); err == nil {
			t.Error("ready without a database")
		}
	})
}

func TestTheOperatorLeavesWhatAnAdministratorChangesMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		operated := make(chan error, 1)
		noError(t, p.db.Tx(t.Context(), func(tx *store.DB) error {
			if err := tx.LockCompany(t.Context(), 1001); err != nil {
				return err
			}
			c, err := tx.CompanyByID(t.Context(), 1001)
			if err != nil {
				return err
			}
			go func() { operated <- p.SetCompany(context.WithoutCancel(t.Context()), 1001, "theme", "112233") }()
			time.Sleep(200 * time.Millisecond)
			c.Name = "另一个名字"
			return tx.UpdateCompany(t.Context(), c)
		}))
		noError(t, <-operated)
		if c := p.company(1001); c.Name != "另一个名字" || c.Theme != "112233" {
			t.Errorf("%+v", c)
		}
	})
}
