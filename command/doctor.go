package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"portico/command/doctor"
	"portico/config"
	"portico/gateway"
	"portico/locale"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/server"
	"portico/store"
)

// errUnwell means that a check failed.
var errUnwell = errors.New("doctor: a check failed")

// doctorAreas are the areas that the words of the command name, in the order in which they are checked.
var doctorAreas = []string{"settings", "database", "storage", "sms", "wechat", "dns", "proxy"}

func runDoctor(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	name, word := "", ""
	if len(args) > 0 {
		name = args[0]
		if !slices.Contains(doctorAreas, name) {
			return usage("doctor: there is no area %q; the areas are %v", name, doctorAreas)
		}
	}
	if len(args) > 1 {
		word = args[1]
	}
	if len(args) > 2 || word != "" && name != "sms" && name != "wechat" {
		return usage("doctor: too many words; see portico doctor -h")
	}
	areas := []doctor.Area{doctor.Settings(c)} // with a wrong setting, nothing else can be checked
	if len(c.Wrong) == 0 {
		var err error
		if areas, err = checks(ctx, c, name, word); err != nil {
			return err
		}
	}
	if !doctor.Run(ctx, out, areas) {
		return errUnwell
	}
	return nil
}

// checks returns the areas to check: the named one, or all of them. word is the phone of sms, or the company of wechat.
func checks(ctx context.Context, c config.Config, name, word string) ([]doctor.Area, error) {
	var phone string
	var company int64
	switch {
	case name == "sms" && word != "":
		var ok bool
		if phone, ok = access.NormalPhone(word); !ok {
			return nil, usage("doctor sms: %q is not a phone", word)
		}
	case name == "wechat" && word != "":
		var ok bool
		if company, ok = access.DecimalID(word); !ok {
			return nil, usage("doctor wechat: %q is not the id of a company", word)
		}
	}
	var providers []doctor.SMSProvider
	for _, provider := range c.SMS.Providers {
		p := doctor.SMSProvider{Name: provider}
		if provider != "inbox" {
			p.Sender = newProvider(c.SMS, provider)
		}
		providers = append(providers, p)
	}
	all := []doctor.Area{
		doctor.Settings(c),
		doctor.Database(c.Database.Address, c.Database.Replica, c.Database.Pool.Max),
		doctor.Storage(func() (doctor.FileStore, error) { return openFiles(c.Uploads) }),
		doctor.SMS(providers, testMessage(c, phone)),
		doctor.Chat(func(ctx context.Context) ([]doctor.ChatApp, error) { return doctorChatApps(ctx, c, company) }),
		doctor.DNS(c.Base.Hostname(), net.DefaultResolver.LookupHost, func(ctx context.Context) ([]doctor.Own, error) {
			return ownDomains(ctx, c)
		}),
		doctor.Proxy(c.Base, &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}, net.DefaultResolver.LookupHost, func(now time.Time) (string, error) { return doctorQuestion(ctx, c, now) }),
	}
	if name != "" {
		i := slices.Index(doctorAreas, name)
		all = all[i : i+1]
	}
	return all, nil
}

// testMessage returns a function that makes a message with a code that opens nothing, as the product makes those that
// it sends; nil without a phone.
func testMessage(c config.Config, phone string) func() gateway.SMS {
	if phone == "" {
		return nil
	}
	return func() gateway.SMS {
		return toSMS(core.Message{
			ID: access.RandomString(), Phone: phone, Purpose: core.ForLogin, Code: "000000",
			Lang: string(locale.Chinese), Host: "account." + c.Base.Host,
		})
	}
}

// withPortal calls use with a portal on the database.
func withPortal(ctx context.Context, c config.Config, use func(db *store.DB, p *portal.Portal) error) error {
	db, p, err := openMigrated(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return use(db, p)
}

func doctorQuestion(ctx context.Context, c config.Config, now time.Time) (sealed string, err error) {
	err = withPortal(ctx, c, func(_ *store.DB, p *portal.Portal) error {
		sealed, err = server.DoctorQuestion(p.Sealing, now)
		return err
	})
	return sealed, err
}

// maxDomains is how many of companies' domains are checked.
const maxDomains = 500

// ownDomains returns the domains that companies have proven.
func ownDomains(ctx context.Context, c config.Config) (all []doctor.Own, err error) {
	err = withPortal(ctx, c, func(db *store.DB, _ *portal.Portal) error {
		hosts, err := db.Hosts.ToCheck(ctx, store.At(time.Now().AddDate(1, 0, 0)), maxDomains)
		for _, h := range hosts {
			all = append(all, doctor.Own{Host: h.Host, CompanyID: h.CompanyID})
		}
		return err
	})
	return all, err
}

// doctorChatApps returns the credentials of a company, or with 0 those of the platform.
func doctorChatApps(ctx context.Context, c config.Config, company int64) (all []doctor.ChatApp, err error) {
	if c.ChatApps.StandIn {
		return nil, nil
	}
	providers := chatApps(c.ChatApps)
	apps := providers.Apps
	host := "account." + c.Base.Host
	if company != 0 {
		host = fmt.Sprintf("store%d.%s", company, c.Base.Host)
		err := withPortal(ctx, c, func(_ *store.DB, p *portal.Portal) error {
			apps, err = companyApps(ctx, p, company)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, app := range apps {
		if app.ID == "" || app.Kind == store.WeChatMobile {
			continue // a mobile application has no tokens of its own
		}
		provider := providers.WeChat
		if app.Kind == store.WeComCorp {
			provider = providers.WeCom
		}
		all = append(all, doctor.ChatApp{
			Name: string(app.Kind), Host: host,
			Token: func(ctx context.Context) error { return chatToken(ctx, provider, app) },
		})
	}
	return all, nil
}

// companyApps returns a company's own applications.
func companyApps(ctx context.Context, p *portal.Portal, id int64) (apps []signin.ProviderApp, err error) {
	c, err := p.Operator.Company(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("company %d: %w", id, err)
	}
	for _, kind := range []store.CredentialKind{store.WeChatAccount, store.WeChatOpen, store.WeComCorp} {
		if !slices.Contains(strings.Fields(c.ChatDoors), string(kind)) {
			continue
		}
		app, err := p.Chatapps.AppFor(ctx, &c, kind)
		if err != nil {
			return nil, fmt.Errorf("the credentials of company %d for %s cannot be opened: %w", id, kind, err)
		}
		apps = append(apps, app)
	}
	return apps, nil
}

func chatToken(ctx context.Context, provider signin.Provider, app signin.ProviderApp) error {
	_, err := provider.Token(ctx, app)
	if failure, ok := errors.AsType[*signin.ProviderFailure](err); ok && failure.Message != "" {
		return fmt.Errorf("%w: %s", err, failure.Message)
	}
	return err
}
