// Package scale tests what takes minutes: roll-outs, fail-overs and growth. `make scale` runs it.
package scale

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"portico/deploy/deploytest"
	"portico/e2e/testscope"
	"portico/store/storetest"
)

// mainTest removes the built program when the tests have run.
type mainTest struct{ *testing.M }

// Run runs the tests.
func (m mainTest) Run() int {
	defer deploytest.Clean()
	return m.M.Run()
}

func TestMain(m *testing.M) { storetest.Main(mainTest{m}) }

// previousFile names the commit of the previous release. Whoever makes a release writes its commit there.
const previousFile = "deploy/previous-release"

// buildPrevious builds the previous release from the repository's history.
func buildPrevious(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(testscope.File(previousFile))
	if err != nil {
		t.Fatal(err)
	}
	commit, root, dir := strings.TrimSpace(string(text)), testscope.Root(), t.TempDir()
	archive := exec.Command("bash", "-c", fmt.Sprintf("git -C %q archive %s | tar -x -C %q", root, commit, dir))
	if out, err := archive.CombinedOutput(); err != nil {
		t.Fatalf("the previous release %s is not in the history of this clone; fetch it: %v\n%s", commit, err, out)
	}
	file := filepath.Join(t.TempDir(), "portico-previous")
	if err := deploytest.Build(dir, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// answersTLSAsk says whether an instance knows the question of a proxy that gets certificates on demand.
func answersTLSAsk(t *testing.T, i *deploytest.Instance) bool {
	t.Helper()
	const ask = "http://127.0.0.1:%d/tls/ask?domain=account.%s"
	answer, err := http.Get(fmt.Sprintf(ask, i.MetricsPort, deploytest.Host))
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// TestRollOutAndRollBackBehindAProxyFailNoRequest runs the previous release, then this program beside it, then this one
// alone, then the previous one again, on one database.
func TestRollOutAndRollBackBehindAProxyFailNoRequest(t *testing.T) {
	previous, program := buildPrevious(t), deploytest.Program(t)
	for name, start := range deploytest.Proxies {
		t.Run(name, func(t *testing.T) {
			p := deploytest.NewPlatform(t, storetest.PostgresURL(t), "PORTICO_TRUSTED_PROXIES=127.0.0.1/32")
			instances := [2]*deploytest.Instance{p.StartInstance(t, previous), p.StartInstance(t, previous)}
			if name == "caddy" && !answersTLSAsk(t, instances[0]) {
				t.Skip("the previous release does not answer /tls/ask, with which Caddy gets its certificates")
			}
			front := start(t, instances)
			deploytest.AwaitProxy(t, front.NewPerson())
			load, people := deploytest.StartMixedLoad(t, p, front.Front)
			deploytest.Run(t, p.Command(program, "migrate"))
			for _, next := range []string{program, previous} {
				for _, i := range instances {
					deploytest.Restart(t, p, i, next)
				}
				registerMeanwhile(t, p, front)
			}
			result := load.Stop()
			t.Log(result)
			if len(result.Failed) > 0 || len(result.Times) < deploytest.MixedRate {
				t.Error(result)
			}
			for _, person := range people {
				answer, err := person.Get(t.Context(), "account", "/company")
				if err := deploytest.WantPage(answer, err); err != nil {
					t.Errorf("%s is signed out: %v", person.Phone, err)
				}
			}
		})
	}
}

// registerMeanwhile registers a company during a roll-out and signs its founder in.
func registerMeanwhile(t *testing.T, p *deploytest.Platform, front deploytest.Proxy) {
	t.Helper()
	person := front.NewPerson()
	if err := person.Register(t.Context(), p.Messages); err != nil {
		t.Error(err)
	}
	if _, err := person.SignIn(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestRotatingTheKeysUnderLoadSignsNobodyOut follows docs/operating.md, "Secrets", for the master key and the secret of
// the signature.
func TestRotatingTheKeysUnderLoadSignsNobodyOut(t *testing.T) {
	p := deploytest.NewPlatform(t, storetest.PostgresURL(t), "PORTICO_TRUSTED_PROXIES=127.0.0.1/32")
	program := deploytest.Program(t)
	instances := [2]*deploytest.Instance{p.StartInstance(t, program), p.StartInstance(t, program)}
	front := deploytest.StartNginx(t, instances)
	deploytest.AwaitProxy(t, front.NewPerson())
	load, people := deploytest.StartMixedLoad(t, p, front.Front)
	deploytest.Run(t, p.Command(program, "company", "set", companyOf(t, p, program), "wechat",
		"wx520c15f417810387:"+deploytest.NewSecret()))
	former, formerSign := p.Settings["PORTICO_SECRET"], p.Settings["PORTICO_SIGN_SECRET"]
	next, nextSign := deploytest.NewSecret(), deploytest.NewSecret()

	// Every instance must open what the new key seals before one of them seals with it.
	for _, keys := range [][2]string{
		{former + "," + next, formerSign + "," + nextSign}, {next + "," + former, nextSign + "," + formerSign},
	} {
		p.Set("PORTICO_SECRET="+keys[0], "PORTICO_SIGN_SECRET="+keys[1])
		for _, i := range instances {
			deploytest.Restart(t, p, i, program)
		}
	}
	if out := deploytest.Run(t, p.Command(program, "reseal")); !strings.Contains(out, "1 credentials of companies") {
		t.Error(out)
	}
	p.Set("PORTICO_SECRET="+next, "PORTICO_SIGN_SECRET="+nextSign)
	for _, i := range instances {
		deploytest.Restart(t, p, i, program)
	}
	result := load.Stop()
	t.Log(result)
	if len(result.Failed) > 0 || len(result.Times) < deploytest.MixedRate {
		t.Error(result)
	}
	for _, person := range people {
		answer, err := person.Get(t.Context(), "account", "/company")
		if err := deploytest.WantPage(answer, err); err != nil {
			t.Errorf("%s is signed out: %v", person.Phone, err)
		}
	}
	// The command fails when the new key alone does not open a credential.
	if out := deploytest.Run(t, p.Command(program, "reseal")); !strings.Contains(out, "1 credentials of companies") {
		t.Errorf("the credential is lost: %s", out)
	}
}

// companyOf returns the id of a company.
func companyOf(t *testing.T, p *deploytest.Platform, program string) string {
	t.Helper()
	out := deploytest.Run(t, p.Command(program, "company", "list", "--limit", "1"))
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Fields(lines[len(lines)-1])[0]
}
