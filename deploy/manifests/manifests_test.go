// Package manifests checks the samples for Kubernetes and Compose against the types of those programs. It is a module
// of its own, because these types are large.
package manifests

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

const (
	kubernetesFile = "../kubernetes/portico.yaml"
	composeFile    = "../compose/compose.yaml"
)

// kubernetes reads every object of the sample, strictly: a field that Kubernetes does not know is an error.
func kubernetes(t *testing.T) map[string]any {
	t.Helper()
	data, err := os.ReadFile(kubernetesFile)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(data)))
	for {
		text := make([]byte, len(data))
		n, err := documents.Read(text)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		kind := regexp.MustCompile(`(?m)^kind: (\w+)$`).FindSubmatch(text[:n])
		if kind == nil {
			t.Fatalf("an object without a kind:\n%s", text[:n])
		}
		object := map[string]any{
			"ConfigMap": &corev1.ConfigMap{}, "Secret": &corev1.Secret{}, "Job": &batchv1.Job{},
			"Deployment": &appsv1.Deployment{}, "PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
			"Service": &corev1.Service{}, "Ingress": &networkingv1.Ingress{},
		}[string(kind[1])]
		if err := strict.UnmarshalStrict(text[:n], object); err != nil {
			t.Errorf("%s: %v", kind[1], err)
		}
		all[string(kind[1])] = object
	}
}

func TestKubernetesSampleHasOnlyKnownFields(t *testing.T) {
	if all := kubernetes(t); len(all) != 7 {
		t.Errorf("%d kinds of objects", len(all))
	}
}

func TestKubernetesPodsStopWithoutFailingRequests(t *testing.T) {
	pod := kubernetes(t)["Deployment"].(*appsv1.Deployment).Spec.Template.Spec
	const drain, finish = 5, 20 // seconds, of a stopping instance in production
	if *pod.TerminationGracePeriodSeconds < drain+finish {
		t.Error("a pod is killed before it has finished")
	}
	ready := pod.Containers[0].ReadinessProbe
	if seen := ready.PeriodSeconds*ready.FailureThreshold + ready.TimeoutSeconds; seen >= drain {
		t.Errorf("a stopping pod is noticed after %d s, it serves for %d s", seen, drain)
	}
	if pod.Containers[0].LivenessProbe.HTTPGet.Path != "/livez" || ready.HTTPGet.Path != "/readyz" {
		t.Error("the probes ask for other pages")
	}
}

func TestSamplesNameOnlySettingsThatExist(t *testing.T) {
	example, err := os.ReadFile("../portico.env.example")
	if err != nil {
		t.Fatal(err)
	}
	known := regexp.MustCompile(`(?m)^(?:# )?(PORTICO_\w+)=`).FindAllStringSubmatch(string(example), -1)
	var names []string
	for _, k := range known {
		names = append(names, k[1])
	}
	for _, file := range []string{kubernetesFile, composeFile} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		used := regexp.MustCompile(`(?m)^\s+(PORTICO_\w+):`).FindAllStringSubmatch(string(text), -1)
		if len(used) < 8 {
			t.Errorf("%s: only %d settings", file, len(used))
		}
		for _, u := range used {
			if !slices.Contains(names, u[1]) {
				t.Errorf("%s: there is no setting %s", file, u[1])
			}
		}
		for _, secret := range []string{"PORTICO_SECRET", "PORTICO_SIGN_SECRET", "PORTICO_SMS_WEBHOOK_SECRET"} {
			if !strings.Contains(string(text), secret+": REPLACE\n") {
				t.Errorf("%s: %s is not a placeholder", file, secret)
			}
		}
	}
}

func TestComposeSampleIsAcceptedByCompose(t *testing.T) {
	options, err := cli.NewProjectOptions([]string{composeFile})
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two", "migrate", "postgres", "caddy"} {
		if _, err := project.GetService(name); err != nil {
			t.Error(err)
		}
	}
}
