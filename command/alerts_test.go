package command

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/deploy/deploytest"
	"portico/e2e/testscope"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/server/tracing/otlp"
	"portico/store/dberror"
	"portico/store/pool"
)

const prometheusFolder = "deploy/prometheus" // from the root of the repository

// runPromtool runs promtool in a folder. Without promtool the test is skipped, in CI it fails.
func runPromtool(t *testing.T, folder string, args ...string) {
	t.Helper()
	path := deploytest.Tool(t, "promtool")
	command := exec.CommandContext(t.Context(), path, args...)
	command.Dir = folder
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestPrometheusAcceptsTheSampleConfiguration(t *testing.T) {
	runPromtool(t, testscope.File(prometheusFolder), "check", "config", "prometheus.yml")
	runPromtool(t, testscope.File(prometheusFolder), "check", "rules", "rules.yml", "alerts.yml")
}

func TestEachAlarmFiresAndIsQuiet(t *testing.T) {
	runPromtool(t, testscope.File(prometheusFolder), "test", "rules", "alerts_test.yml")
	tests := readText(t, prometheusFolder+"/alerts_test.yml")
	for _, name := range alarmNames(t) {
		for _, end := range []string{" fires\n", " is quiet\n"} {
			if strings.Count(tests, "name: "+name+end) != 1 {
				t.Errorf("alerts_test.yml has no test %q", name+end)
			}
		}
	}
}

func alarmNames(t *testing.T) (names []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(
		readText(t, prometheusFolder+"/alerts.yml"), -1,
	) {
		names = append(names, m[1])
	}
	if len(names) < 20 {
		t.Fatalf("%d alarms", len(names))
	}
	return names
}

func TestEachAlarmIsExplained(t *testing.T) {
	alerts, document := readText(t, prometheusFolder+"/alerts.yml"), readText(t, "docs/alerts.md")
	var explained []string
	for _, section := range strings.Split(document, "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		explained = append(explained, name)
		for _, part := range []string{"**Means.**", "**People notice.**", "**Do.**\n\n1. "} {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %s", name, part)
			}
		}
		if !strings.Contains(alerts, "runbook: docs/alerts.md#"+strings.ToLower(name)+"\n") {
			t.Errorf("%s has no annotation that leads to its heading", name)
		}
	}
	if names := alarmNames(t); !slices.Equal(names, explained) {
		t.Errorf("the alarms are %q, and docs/alerts.md explains %q", names, explained)
	}
}

// dashboard is the part of a dashboard of Grafana that is tested.
type dashboard struct {
	Panels []struct {
		ID         int
		Type       string
		Title      string
		Datasource struct{ UID string }
		Targets    []struct {
			Expr       string
			Datasource struct{ UID string }
		}
	}
	Templating struct {
		List []struct{ Name, Type string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	if err := json.Unmarshal([]byte(readText(t, "deploy/grafana/portico.json")), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Panels) < 20 {
		t.Fatalf("%d panels", len(d.Panels))
	}
	return d
}

func (d dashboard) expressions() (all []string) {
	variables := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all = append(all, variables.Replace(target.Expr))
		}
	}
	return all
}

func TestDashboardIsWellFormed(t *testing.T) {
	d := readDashboard(t)
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" {
			t.Errorf("panel %d, %q: the id is used twice, or the title is missing", p.ID, p.Title)
		}
		ids[p.ID] = true
		if p.Type == "row" {
			continue
		}
		if len(p.Targets) == 0 || p.Datasource.UID != "${datasource}" {
			t.Errorf("%s has no query or not the data source that the reader chose", p.Title)
		}
		for _, target := range p.Targets {
			if target.Datasource.UID != "${datasource}" || strings.Contains(target.Expr, "${") {
				t.Errorf("%s: %+v", p.Title, target)
			}
		}
	}
	if list := d.Templating.List; len(list) == 0 || list[0].Name != "datasource" || list[0].Type != "datasource" {
		t.Errorf("the reader cannot choose the data source: %+v", list)
	}
	var rules strings.Builder
	rules.WriteString("groups:\n  - name: dashboard\n    rules:\n")
	for _, expression := range d.expressions() {
		quoted, err := json.Marshal(expression)
		if err != nil {
			t.Fatal(err)
		}
		// Two panels may show the same value: the label tells their rules apart.
		rules.WriteString("      - record: panel:" + letters(rules.Len()) + "\n        expr: " + string(quoted) + "\n")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "panels.yml"), []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	runPromtool(t, folder, "check", "rules", "panels.yml")
}

// letters writes a number in letters, for the name of a rule.
func letters(n int) (text string) {
	for ; n > 0; n /= 26 {
		text += string(rune('a' + n%26))
	}
	return text
}

// ownMetrics are the series that the program exposes once each of them has happened, with their labels.
func ownMetrics(t *testing.T) map[string]map[string]bool {
	t.Helper()
	s, _ := testServer(t)
	if err := s.Portal.Onboarding.LoadDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx := access.WithCaller(t.Context(), access.Caller{Address: "203.0.113.7"})
	in := signin.ClientLoginInput{Login: "13800000001", Password: onboarding.DemoPassword, Client: signin.Clients[0]}
	if _, err := s.Portal.Signin.ClientLogin(ctx, in); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Portal.AskCode(ctx, core.AskCodeInput{
		Purpose: core.ForLogin, Phone: "13800000001", Flow: "a",
	}); err != nil {
		t.Fatal(err)
	}
	if r := request(s, http.MethodGet, "http://account.localhost:8080/login"); r.StatusCode != http.StatusOK {
		t.Fatal(r.StatusCode)
	}
	counted := s.Metrics.Counted()
	counted.Limited("address")
	counted.Upload("ok")
	counted.Swept(errors.New("failed"))
	traces := new(otlp.Exporter)
	count := func() int64 { return traces.Counts().Sent }
	s.Metrics.WatchTraces(count, count, count)
	s.Metrics.WatchBackups()
	standby, err := pool.OpenReplica("postgres://standby/portico", pool.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Metrics.WatchReplica(standby)
	series := map[string]map[string]bool{}
	for name, family := range scrape(t, s) {
		labels := map[string]bool{"instance": true, "job": true} // Prometheus adds these
		for _, metric := range family.GetMetric() {
			for _, l := range metric.GetLabel() {
				labels[l.GetName()] = true
			}
		}
		series[name] = labels
		if family.GetMetric()[0].GetHistogram() != nil {
			bucket := maps.Clone(labels)
			bucket["le"] = true
			series[name+"_bucket"], series[name+"_count"], series[name+"_sum"] = bucket, labels, labels
		}
	}
	return series
}

// othersMetrics come from Prometheus, the blackbox exporter, and the recording rules.
var othersMetrics = []string{
	"up", "probe_success", "probe_ssl_earliest_cert_expiry",
	"portico:errors:ratio_rate5m", "portico:errors:ratio_rate30m", "portico:errors:ratio_rate1h",
	"portico:errors:ratio_rate6h", "portico:slow:ratio_rate5m", "portico:slow:ratio_rate30m",
	"portico:slow:ratio_rate1h", "portico:slow:ratio_rate6h",
}

var (
	metricUse   = regexp.MustCompile(`\b((?:portico|go|process|probe)[a-z0-9]*[_:][a-zA-Z0-9_:]+|up)\b(\{[^}]*\})?`)
	labelOfUse  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)\s*"`)
	labelGroups = regexp.MustCompile(`by \(([^)]*)\)`)
)

// A refusal or class of errors that does not exist would make an alarm that never fires.
func TestAlarmsUseResultsThatExist(t *testing.T) {
	known := map[string][]string{
		"portico_sign_ins_total":        {"ok", "error", "cancelled"},
		"portico_codes_total":           {"accepted", "unsure", "temporary", "refused", "bad_phone"},
		"portico_database_errors_total": dberror.Classes,
	}
	for _, row := range access.Catalogue {
		known["portico_sign_ins_total"] = append(known["portico_sign_ins_total"], string(row.Refusal))
	}
	value := regexp.MustCompile(`(?:result|class)(?:=~|!~|!=|=)"([^"]+)"`)
	text := readText(t, prometheusFolder+"/alerts.yml") + strings.Join(readDashboard(t).expressions(), "\n")
	checked := 0
	for _, use := range metricUse.FindAllStringSubmatch(text, -1) {
		for _, m := range value.FindAllStringSubmatch(use[2], -1) {
			for one := range strings.SplitSeq(m[1], "|") {
				if values := known[use[1]]; values != nil {
					checked++
					if !slices.Contains(values, one) {
						t.Errorf("%s never has %q", use[1], one)
					}
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d values are compared", checked)
	}
}

// A renamed metric or label must not leave an alarm that never fires, or an empty panel.
func TestAlarmsAndDashboardUseMetricsThatExist(t *testing.T) {
	existing := ownMetrics(t)
	for _, name := range othersMetrics {
		if existing[name] == nil {
			existing[name] = map[string]bool{"instance": true, "job": true}
		}
	}
	expressions := readDashboard(t).expressions()
	for _, file := range []string{"rules.yml", "alerts.yml"} {
		text := readText(t, filepath.Join(prometheusFolder, file))
		for _, m := range regexp.MustCompile(`(?m)expr: \|\n((?: {10}.*\n)+)`).FindAllStringSubmatch(text, -1) {
			expressions = append(expressions, m[1])
		}
	}
	used, anyLabel := map[string]bool{}, map[string]bool{}
	for _, labels := range existing {
		maps.Copy(anyLabel, labels)
	}
	for _, expression := range expressions {
		for _, use := range metricUse.FindAllStringSubmatch(expression, -1) {
			used[use[1]] = true
			if existing[use[1]] == nil {
				t.Errorf("%s does not exist: %s", use[1], expression)
			}
			for _, l := range labelOfUse.FindAllStringSubmatch(use[2], -1) {
				if existing[use[1]] != nil && !existing[use[1]][l[1]] {
					t.Errorf("%s has no label %s: %s", use[1], l[1], expression)
				}
			}
		}
		for _, group := range labelGroups.FindAllStringSubmatch(expression, -1) {
			for label := range strings.SplitSeq(group[1], ", ") {
				if !anyLabel[label] {
					t.Errorf("no metric has the label %s: %s", label, expression)
				}
			}
		}
	}
	if len(used) < 40 {
		t.Errorf("only %d metrics are used", len(used))
	}
	for name := range existing {
		isOwn := strings.HasPrefix(name, "portico_") && !slices.Contains(othersMetrics, name)
		base := name
		for _, end := range []string{"_bucket", "_count", "_sum"} {
			base = strings.TrimSuffix(base, end)
		}
		if isOwn && !used[name] && !used[base+"_bucket"] && !used[base+"_count"] {
			t.Errorf("no alarm and no panel uses %s", name)
		}
	}
}
