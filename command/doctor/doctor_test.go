package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/config"
	"portico/config/configtest"
	"portico/e2e/testscope"
	"portico/gateway"
	"portico/server"
	"portico/store"
	"portico/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// states runs an area and returns the state of each check, by name.
func states(t *testing.T, area Area) map[string]State {
	t.Helper()
	all := map[string]State{}
	for _, r := range area.Check(t.Context()) {
		all[r.Name] = r.State
		if r.Text == "" || r.State != OK && r.Do == "" {
			t.Errorf("%s %s says nothing to do: %+v", area.Name, r.Name, r)
		}
	}
	return all
}

// want compares the states of some checks.
func want(t *testing.T, got map[string]State, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got[pairs[i]] != State(pairs[i+1]) {
			t.Errorf("%s: %q, want %q, in %v", pairs[i], got[pairs[i]], pairs[i+1], got)
		}
	}
}

func TestRunPrintsALineForEachCheckAndWhatToDo(t *testing.T) {
	var out strings.Builder
	area := Area{"area", func(context.Context) []Result {
		return []Result{
			{Name: "one", State: OK, Text: "fine"}, {Name: "two", State: Warn, Text: "odd", Do: "look"},
			{Name: "three", State: Failed, Text: "bad\nthing", Do: "mend it"},
		}
	}}
	if Run(t.Context(), &out, []Area{area}) {
		t.Error("a failed check passed")
	}
	if text := out.String(); strings.Count(text, "\n") != 3 || !strings.Contains(text, "bad thing: mend it") {
		t.Errorf("printed:\n%s", text)
	}
}

func TestSettingsThatProductionRefusesFail(t *testing.T) {
	dev, err := config.Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	want(t, states(t, Settings(dev)), "production", "FAIL")
	good, err := config.Read(configtest.Production("PORTICO_METRICS=0.0.0.0:9090", "PORTICO_LOG=debug"))
	if err != nil {
		t.Fatal(err)
	}
	want(t, states(t, Settings(good)), "production", "ok", "metrics", "warn", "log", "warn", "support", "warn")
}

func TestDatabaseProblemsAreFound(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.db")
	want(t, states(t, Database("sqlite:"+path, "", 16)), "file", "FAIL")
	db, err := store.Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, states(t, Database("sqlite:"+path, "", 16)), "file", "ok", "content", "ok", "schema", "ok")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, path)
	if got := states(t, Database("sqlite:"+path, "", 16)); got["content"] != Failed && got["file"] != Failed {
		t.Errorf("a damaged file: %v", got)
	}
	address := storetest.PostgresURL(t)
	want(t, states(t, Database(address, "", 16)), "server", "ok", "writes", "ok", "durability", "FAIL", "role", "warn",
		"connections", "ok")
	want(t, states(t, Database(address, "", 500)), "connections", "FAIL")
	want(t, states(t, Database("postgres://nobody@127.0.0.1:1/none", "", 16)), "server", "FAIL")
}

func TestReplicaThatIsAwayOrIsNoStandbyIsFound(t *testing.T) {
	testscope.OnlyInAll(t, "it needs two Postgres servers")
	address := storetest.Server(t)
	standby := storetest.Standby(t, address)
	db, err := store.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Migrate(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		replica string
		state   State
		says    string
	}{
		"standby":     {standby, OK, "a standby"},
		"main server": {address, Warn, "accepts writes"},
		"other":       {storetest.PostgresURL(t), Warn, "not a copy"},
		"away":        {"postgres://nobody@127.0.0.1:1/none", Warn, "does not answer"},
	} {
		var l list
		l.replica(t.Context(), address, row.replica)
		if len(l) != 1 || l[0].State != row.state || !strings.Contains(l[0].Text, row.says) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// damage overwrites the middle of a file.
func damage(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(data) / 3; i < len(data)/3+40_000 && i < len(data); i++ {
		data[i] = 0xAB
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// forgetful is a file store that loses what it is given.
type forgetful struct{}

func (forgetful) Put(context.Context, string, string, []byte) error { return nil }

func (forgetful) Get(context.Context, string, int64) ([]byte, error) { return nil, fs.ErrNotExist }

func (forgetful) Delete(context.Context, string) error { return errors.New("not allowed") }

// busy is a store that refuses to write because it is busy.
type busy struct{ FileStore }

func (busy) Put(context.Context, string, string, []byte) error {
	return fmt.Errorf("%w: status 503, SlowDown", gateway.ErrBusy)
}

func TestABusyStoreIsNotSaidToLackRights(t *testing.T) {
	results := Storage(func() (FileStore, error) { return busy{}, nil }).Check(t.Context())
	if len(results) != 1 || results[0].State != Failed || !strings.Contains(results[0].Text, "busy") ||
		!strings.Contains(results[0].Do, "try again") || strings.Contains(results[0].Do, "right") {
		t.Errorf("%+v", results)
	}
}

func TestStorageThatLosesFilesFails(t *testing.T) {
	dir, err := gateway.NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want(t, states(t, Storage(func() (FileStore, error) { return dir, nil })),
		"write", "ok", "read", "ok", "delete", "ok")
	want(t, states(t, Storage(func() (FileStore, error) { return forgetful{}, nil })), "read", "FAIL", "delete", "FAIL")
	want(t, states(t, Storage(func() (FileStore, error) { return nil, errors.New("no such bucket") })), "open", "FAIL")
}

func TestNamesThatLeadElsewhereAreFound(t *testing.T) {
	addresses := map[string]string{
		"p.test": "192.0.2.1", "account.p.test": "192.0.2.1", "m.p.test": "192.0.2.1", "mgr.p.test": "192.0.2.9",
		"api.p.test": "192.0.2.1", "store1.p.test": "192.0.2.1", "shop.sur.test": "192.0.2.1",
	}
	lookUp := func(_ context.Context, host string) ([]string, error) {
		if a := addresses[host]; a != "" {
			return []string{a}, nil
		}
		return nil, errors.New("no such host")
	}
	domains := func(context.Context) ([]Own, error) { return []Own{{"shop.sur.test", 7}, {"gone.test", 8}}, nil }
	want(t, states(t, DNS("p.test", lookUp, domains)), "p.test", "ok", "account.p.test", "ok", "mgr.p.test", "warn",
		"astore987654.p.test", "FAIL", "shop.sur.test", "ok", "gone.test", "FAIL")
	want(t, states(t, DNS("nothing.test", lookUp, domains)), "nothing.test", "FAIL")
}

func TestMessagesAreSentOnlyToAPhoneThatWasNamed(t *testing.T) {
	sent := 0
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sent++; sent > 1 {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer sink.Close()
	webhook := SMSProvider{"webhook", gateway.NewWebhook(gateway.WebhookOptions{URL: sink.URL, Secret: "canary"})}
	if want(t, states(t, SMS([]SMSProvider{webhook}, nil)), "webhook", "ok"); sent != 0 {
		t.Error("a message was sent without a phone")
	}
	message := func() gateway.SMS { return gateway.SMS{ID: "1", Phone: "13912345678", Code: "000000"} }
	want(t, states(t, SMS([]SMSProvider{webhook}, message)), "webhook", "ok")
	want(t, states(t, SMS([]SMSProvider{webhook}, message)), "webhook", "FAIL")
	want(t, states(t, SMS([]SMSProvider{{Name: "inbox"}}, message)), "inbox", "warn")
}

// asked is a provider that answers the check of credentials.
type asked struct {
	gateway.Sender
	err error
}

func (a asked) Check(context.Context) error { return a.err }

func TestCredentialsOfSMSProvidersAreCheckedWithoutAMessage(t *testing.T) {
	for want, err := range map[State]error{
		OK:     nil,
		Failed: &gateway.Failure{Provider: "aliyun", Code: "SignatureDoesNotMatch", Kind: gateway.Refused},
	} {
		results := SMS([]SMSProvider{{"aliyun", asked{err: err}}}, nil).Check(t.Context())
		if len(results) != 1 || results[0].State != want || (want == Failed) != strings.Contains(
			results[0].Text, "SignatureDoesNotMatch") {
			t.Errorf("%v: %+v", err, results)
		}
	}
	if r := SMS([]SMSProvider{{"aliyun", asked{err: gateway.ErrMayNotAsk}}}, nil).Check(t.Context()); r[0].State != OK {
		t.Errorf("%+v", r)
	}
}

func TestKnownErrorsOfChatAppsSayWhatToDo(t *testing.T) {
	apps := func(context.Context) ([]ChatApp, error) {
		return []ChatApp{
			{"good", "account.p.test", func(context.Context) error { return nil }},
			{"bad", "account.p.test", func(context.Context) error {
				return fmt.Errorf("provider: 40164: invalid ip 192.0.2.1")
			}},
		}, nil
	}
	results := Chat(apps).Check(t.Context())
	if len(results) != 2 || results[0].State != OK || results[1].State != Failed ||
		!strings.Contains(results[1].Do, "white list") {
		t.Errorf("%+v", results)
	}
}

func TestProxyProblemsAreFound(t *testing.T) {
	good := server.Seen{Host: "account.p.test", Address: "198.51.100.4", Peer: "192.0.2.2", RequestID: "1"}
	ask := func(now time.Time) (string, error) { return server.DoctorQuestion(fixedSealer{}, now) }
	for name, c := range map[string]struct {
		change func(*server.Seen)
		limit  int64
		check  string
		want   State
	}{
		"all is well":        {func(*server.Seen) {}, 16 << 20, "caller", OK},
		"host replaced":      {func(s *server.Seen) { s.Host = "127.0.0.1" }, 16 << 20, "host", Failed},
		"believes visitors":  {func(s *server.Seen) { s.Address = spoofedAddress }, 16 << 20, "caller", Failed},
		"caller unknown":     {func(s *server.Seen) { s.Address = "" }, 16 << 20, "caller", Failed},
		"proxy is caller":    {func(s *server.Seen) { s.Address = s.Peer }, 16 << 20, "caller", Failed},
		"small forms only":   {func(*server.Seen) {}, 1 << 20, "uploads", Failed},
		"not Portico at all": {func(s *server.Seen) { *s = server.Seen{} }, 16 << 20, "reach", Failed},
	} {
		t.Run(name, func(t *testing.T) {
			seen := good
			c.change(&seen)
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.ContentLength > c.limit {
					w.WriteHeader(http.StatusRequestEntityTooLarge)
					return
				}
				w.Header().Set("X-Request-Id", "1")
				fmt.Fprintf(w, `{"host":%q,"address":%q,"peer":%q}`, seen.Host, seen.Address, seen.Peer)
			}))
			defer proxy.Close()
			area := Proxy(&url.URL{Scheme: "http", Host: "p.test"}, through{proxy.URL}, elsewhere, ask)
			want(t, states(t, area), c.check, string(c.want))
		})
	}
}

// elsewhere finds every name on another machine.
func elsewhere(context.Context, string) ([]string, error) { return []string{"192.0.2.1"}, nil }

func TestCallerIsNotJudgedFromTheProxysOwnMachine(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"host":"account.p.test","address":%q,"peer":"127.0.0.1"}`, spoofedAddress)
	}))
	defer proxy.Close()
	here := func(context.Context, string) ([]string, error) { return []string{"127.0.0.1"}, nil }
	ask := func(now time.Time) (string, error) { return server.DoctorQuestion(fixedSealer{}, now) }
	area := Proxy(&url.URL{Scheme: "http", Host: "p.test"}, through{proxy.URL}, here, ask)
	want(t, states(t, area), "reach", "ok", "caller", "warn")
}

// fixedSealer seals everything alike.
type fixedSealer struct{}

// Seal returns a fixed text.
func (fixedSealer) Seal(string, any) (string, error) { return "sealed", nil }

// Unseal accepts everything.
func (fixedSealer) Unseal(string, string, any) error { return nil }

// through sends every request to one address, whatever its host.
type through struct{ address string }

// Do sends a request.
func (s through) Do(r *http.Request) (*http.Response, error) {
	u, err := url.Parse(s.address)
	if err != nil {
		return nil, err
	}
	r.URL.Scheme, r.URL.Host = u.Scheme, u.Host
	return http.DefaultClient.Do(r)
}

// checkNamed finds the name of a check in the source, rowNamed that of its area and its own in the document.
var (
	checkNamed = regexp.MustCompile(`\b\w+\.(?:ok|warn|fail)\(\s*"([^"]+)"`)
	rowNamed   = regexp.MustCompile("(?m)^\\| `([a-z]+)` `([a-z ]+)` \\|")
)

// TestCheckListOfTheDocumentHasEveryCheck compares the check list of docs/operating.md with the checks that have a name
// of their own. Those of providers and hosts are named after them.
func TestCheckListOfTheDocumentHasEveryCheck(t *testing.T) {
	document, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range rowNamed.FindAllSubmatch(document, -1) {
		listed[string(row[1])+" "+string(row[2])] = true
	}
	checks := map[string]bool{}
	for file, area := range map[string]string{
		"settings.go": "settings", "database.go": "database", "storage.go": "storage", "providers.go": "wechat",
		"dns.go": "dns", "proxy.go": "proxy",
	} {
		source, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(source), `Area{"`+area+`"`) {
			t.Fatalf("%s does not make the area %s: %v", file, area, err)
		}
		for _, check := range checkNamed.FindAllSubmatch(source, -1) {
			checks[area+" "+string(check[1])] = true
		}
	}
	if len(checks) < 20 {
		t.Fatalf("only %d checks were found", len(checks))
	}
	for check := range checks {
		if !listed[check] {
			t.Errorf("docs/operating.md does not list the check %q", check)
		}
	}
	for row := range listed {
		if !checks[row] {
			t.Errorf("docs/operating.md lists %q, and the doctor has no such check", row)
		}
	}
}
