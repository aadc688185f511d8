package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"portico/e2e/testscope"
	"portico/portal/access"
)

// credentialParameterCalls are the public calls whose credential is a parameter: a code or a ticket.
var credentialParameterCalls = strings.Fields(
	`getLoginUserByAuthCode bindOpenIdForLogin openIdLogin checkPhoneOrOpenId getByPhoneOrOpenId`,
)

// operationID is the name that generators give the call: the end of its path, except for the call "login", whose name
// would not say that it signs in as one account.
func (c *call) operationID() string {
	if c.name() == "login" {
		return "loginAs"
	}
	return c.name()
}

func (c *call) name() string { return path.Base(strings.TrimSuffix(c.path, "/{id}")) }

func TestCallTableHas45Calls(t *testing.T) {
	text, err := os.ReadFile("testdata/calls.txt")
	noError(t, err)
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	var got []string
	for _, c := range calls {
		got = append(got, c.method+" "+c.path)
	}
	if len(want) != 45 || !slices.Equal(got, want) {
		t.Errorf("the table differs from the 45 calls of the description:\n%s", strings.Join(got, "\n"))
	}
}

// The description has the routes, parameters and requirements of the table of calls, and nothing else.
func TestDescriptionMatchesCallTable(t *testing.T) {
	d := publishedDescription(t)
	described := map[string]bool{}
	for p, item := range d.Paths.Map() {
		for method := range item.Operations() {
			described[method+" "+p] = true
		}
	}
	for _, c := range calls {
		if !described[c.method+" "+c.path] {
			t.Errorf("%s %s is not described", c.method, c.path)
			continue
		}
		delete(described, c.method+" "+c.path)
		operation := d.Paths.Value(c.path).GetOperation(c.method)
		if operation.OperationID != c.operationID() {
			t.Errorf("%s is called %q", c.path, operation.OperationID)
		}
		checkRights(t, c, operation)
		if got, want := parametersOf(operation), slices.Sorted(maps.Keys(fieldsOf(c.input))); !slices.Equal(got, want) {
			t.Errorf("%s: described with %v, reads %v", c.name(), got, want)
		}
	}
	if len(described) > 0 {
		t.Errorf("described but not there: %v", slices.Collect(maps.Keys(described)))
	}
}

// checkRights compares the token, the Idempotency-Key and the body of a described call with the table of calls.
func checkRights(t *testing.T, c call, operation *openapi3.Operation) {
	t.Helper()
	needsToken := false
	for _, way := range *operation.Security {
		if _, signed := way["signature"]; !signed {
			t.Errorf("%s: described without signature", c.name())
		}
		_, needsToken = way["token"]
	}
	if needsToken == c.has(public) {
		t.Errorf("%s: described as needing a token %v, public is %v", c.name(), needsToken, c.has(public))
	}
	key := slices.ContainsFunc(
		operation.Parameters, func(p *openapi3.ParameterRef) bool { return p.Value.Name == "Idempotency-Key" },
	)
	if key != c.has(creates) {
		t.Errorf("%s: described with Idempotency-Key %v, creates is %v", c.name(), key, c.has(creates))
	}
	if c.method == get && operation.RequestBody != nil {
		t.Errorf("%s: a GET with a body", c.name())
	}
}

// parametersOf returns the parameters of the query, or of the body.
func parametersOf(operation *openapi3.Operation) []string {
	names := []string{}
	for _, p := range operation.Parameters {
		if p.Value.In == "query" {
			names = append(names, p.Value.Name)
		}
	}
	if operation.RequestBody != nil {
		for name := range operation.RequestBody.Value.Content.Get("application/json").Schema.Value.Properties {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// The refusals of the description are rows of the error catalogue, with the same statuses.
func TestDescribedRefusalsMatchErrorCatalogue(t *testing.T) {
	d := publishedDescription(t)
	rows := map[string]access.CatalogueRow{}
	for _, row := range access.Catalogue {
		rows[string(row.Refusal)] = row
	}
	for _, c := range calls {
		operation := d.Paths.Value(c.path).GetOperation(c.method)
		own := stringsOf(operation.Extensions["x-refusals"])
		if needed := !c.has(public) ||
			slices.Contains(credentialParameterCalls, c.name()); needed != slices.Contains(
			own,
			"login_required",
		) {
			t.Errorf("%s: public %v, but login_required is among %v", c.name(), c.has(public), own)
		}
		for _, code := range append(slices.Clone(own), d.common...) {
			row, known := rows[code]
			if !known {
				t.Errorf("%s: %q is not in the catalogue", c.name(), code)
				continue
			}
			if operation.Responses.Value(strconv.Itoa(row.HTTP)) == nil {
				t.Errorf("%s may answer %s, but %d is not described", c.name(), code, row.HTTP)
			}
		}
	}
}

// Each place of the description that lists all refusals has those of the catalogue that are answered with HTTP 200.
// PORTICO_WRITE_DOCS=1 writes them there.
func TestDescriptionNamesEveryRefusal(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	noError(t, err)
	want := withRefusals(string(text))
	if os.Getenv("PORTICO_WRITE_DOCS") != "" {
		noError(t, os.WriteFile("openapi.json", []byte(want), 0o644))
	} else if want != string(text) {
		t.Error("openapi.json lacks refusals: PORTICO_WRITE_DOCS=1 go test ./api -run NamesEveryRefusal")
	}
}

var (
	answerMapping   = regexp.MustCompile(`("mapping": \{\n( +)"ok": "[^"]+")[^}]*\n( +)\}`)
	refusalStatuses = regexp.MustCompile(`(?s)("BusinessRefusal": \{.*?"status": \{.*?"enum": )\[[^\]]*\]`)
	refusalCodes    = regexp.MustCompile(`(?s)("BusinessRefusal": \{.*?"code": \{.*?"enum": \[\n( +))[^\]]*?(\n *\])`)
)

// withRefusals is the description with the refusals of the catalogue.
func withRefusals(description string) string {
	var mapping, codes, statuses strings.Builder
	for _, row := range access.Catalogue {
		if row.HTTP != http.StatusOK {
			continue
		}
		fmt.Fprintf(&mapping, ",\n${2}\"%s\": \"#/components/schemas/BusinessRefusal\"", row.Refusal)
		fmt.Fprintf(&codes, ",\n${2}\"%s\"", row.Refusal)
		fmt.Fprintf(&statuses, ", %d", row.Status)
	}
	description = answerMapping.ReplaceAllString(description, "${1}"+mapping.String()+"\n${3}}")
	allCodes, allStatuses := strings.TrimPrefix(codes.String(), ",\n${2}"), strings.TrimPrefix(statuses.String(), ", ")
	description = refusalCodes.ReplaceAllString(description, "${1}"+allCodes+"${3}")
	return refusalStatuses.ReplaceAllString(description, "${1}["+allStatuses+"]")
}

// Generators tell success from refusal by code, and TypeScript narrows an answer by status as well.
func TestEveryDescribedAnswerIsSuccessOrRefusal(t *testing.T) {
	d := publishedDescription(t)
	const refusal = "#/components/schemas/BusinessRefusal"
	want, statuses := map[string]string{}, []any{}
	for _, row := range access.Catalogue {
		if row.HTTP == http.StatusOK {
			want[string(row.Refusal)] = refusal
			statuses = append(statuses, float64(row.Status))
		}
	}
	byNumber := func(a, b any) int { return cmp.Compare(a.(float64), b.(float64)) }
	slices.SortFunc(statuses, byNumber)
	described := slices.Clone(d.Components.Schemas["BusinessRefusal"].Value.Properties["status"].Value.Enum)
	slices.SortFunc(described, byNumber)
	if !slices.Equal(described, statuses) {
		t.Errorf("the statuses of refusals are %v, want %v", described, statuses)
	}
	for _, c := range calls {
		name := strings.ToUpper(c.operationID()[:1]) + c.operationID()[1:]
		success := "#/components/schemas/" + name + "Success"
		operation := d.Paths.Value(c.path).GetOperation(c.method)
		answer := operation.Responses.Value("200").Value.Content.Get("application/json").Schema
		if answer.Ref != "#/components/schemas/"+name+"Answer" || len(answer.Value.OneOf) != 2 {
			t.Errorf("%s answers %s", name, answer.Ref)
			continue
		}
		if alternatives := answer.Value.OneOf; alternatives[0].Ref != success || alternatives[1].Ref != refusal {
			t.Errorf("%s answers %s or %s", name, alternatives[0].Ref, alternatives[1].Ref)
		}
		want["ok"] = success
		if by := answer.Value.Discriminator; by == nil || by.PropertyName != "code" ||
			!maps.EqualFunc(by.Mapping, want, func(a openapi3.MappingRef, b string) bool { return a.Ref == b }) {
			t.Errorf("%s: %+v", name, by)
		}
		if status := answer.Value.OneOf[0].Value.Properties["status"].Value.Enum; len(status) != 1 || status[0] != 1.0 {
			t.Errorf("%s: the status of success is %v", name, status)
		}
	}
}

// A client that is generated today accepts the fields that answers get tomorrow.
func TestDescriptionAllowsAdditionalFields(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	noError(t, err)
	if n := strings.Count(string(text), `"additionalProperties": false`); n > 0 {
		t.Errorf("%d objects are closed", n)
	}
}

func TestDescriptionNamesPublisherAndServers(t *testing.T) {
	d := publishedDescription(t)
	numbered := regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(d.Info.Version)
	if !numbered || d.Info.Description == "" || d.Info.Contact == nil || d.Info.Contact.Name == "" {
		t.Errorf("%+v", d.Info)
	}
	if _, err := os.Stat("../LICENSE"); (err == nil) != (d.Info.License != nil) {
		t.Errorf("the description has the licence %v, and the repository: %v", d.Info.License, err)
	}
	for i, want := range []string{"https://api.example.com", "http://api.localhost:8080"} {
		address := d.Servers[i].URL
		for name, v := range d.Servers[i].Variables {
			address = strings.ReplaceAll(address, "{"+name+"}", v.Default)
		}
		if address != want {
			t.Errorf("%s, want %s", address, want)
		}
	}
}

// The generator is a tool of a separate module in testdata/generators, so that the program does not depend on it.
func TestOapiCodegenClientDistinguishesSuccessFromRefusal(t *testing.T) {
	testscope.OnlyInAll(t, "it builds a generator of clients")
	t.Parallel()
	description, err := filepath.Abs("openapi.json")
	noError(t, err)
	dir := t.TempDir()
	noError(t, os.CopyFS(dir, os.DirFS("testdata/generators")))
	for _, args := range [][]string{
		{"tool", "oapi-codegen", "-generate", "models,client", "-package", "client", "-o", "client.go", description},
		{"test", "."},
	} {
		if out, err := testscope.Go(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%.4000s", strings.Join(args, " "), err, out)
		}
	}
}

// Code generators make a type of every list of values in the description, so each list stands there once, with a name.
func TestEachListOfValuesHasOneName(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	noError(t, err)
	var d any
	noError(t, json.Unmarshal(text, &d))
	seen := map[string]string{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if values, ok := v["enum"].([]any); ok && len(values) > 1 {
				list := fmt.Sprint(values)
				if first := seen[list]; first != "" {
					t.Errorf("%s is at %s and at %s", list, first, at)
				}
				seen[list] = at
			}
			for name, inner := range v {
				walk(at+"/"+name, inner)
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprint(at, "/", i), inner)
			}
		}
	}
	walk("", d)
	for _, name := range []string{"TokenType", "AppSource", "Edition"} {
		if schema := publishedDescription(t).Components.Parameters[name].Value.Schema; schema.Ref == "" {
			t.Errorf("the values of %s have no name", name)
		}
	}
}
