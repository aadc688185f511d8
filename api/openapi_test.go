package api

import (
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"portico/portal"
)

// byParameter are the public calls whose credential is a parameter: a code or a ticket.
var byParameter = strings.Fields(`getLoginUserByAuthCode bindOpenIdForLogin openIdLogin checkPhoneOrOpenId getByPhoneOrOpenId`)

func (c *call) name() string { return path.Base(strings.TrimSuffix(c.path, "/{id}")) }

func TestTheTableIsTheSpecifications(t *testing.T) {
	text, err := os.ReadFile("testdata/calls.txt")
	noError(t, err)
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	var got []string
	for _, c := range calls {
		got = append(got, c.method+" "+c.path)
	}
	if len(want) != 45 || !slices.Equal(got, want) {
		t.Errorf("the table differs from the 45 calls of the specification:\n%s", strings.Join(got, "\n"))
	}
}

// A route, a parameter and what a call needs stand in the description as in the table, and nothing else stands there.
func TestTheDescriptionIsTheTables(t *testing.T) {
	d := published(t)
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
		if operation.OperationID != c.name() {
			t.Errorf("%s is called %q", c.path, operation.OperationID)
		}
		holdRights(t, c, operation)
		if got, want := parametersOf(operation), slices.Sorted(maps.Keys(fieldsOf(c.input))); !slices.Equal(got, want) {
			t.Errorf("%s: described with %v, reads %v", c.name(), got, want)
		}
	}
	if len(described) > 0 {
		t.Errorf("described but not there: %v", slices.Collect(maps.Keys(described)))
	}
}

func holdRights(t *testing.T, c call, operation *openapi3.Operation) {
	t.Helper()
	needsToken := false
	for _, way := range *operation.Security {
		if _, signed := way["signature"]; !signed {
			t.Errorf("%s: described without signature", c.name())
		}
		_, needsToken = way["token"]
	}
	if needsToken == c.is(public) {
		t.Errorf("%s: described as needing a token %v, public is %v", c.name(), needsToken, c.is(public))
	}
	key := slices.ContainsFunc(operation.Parameters, func(p *openapi3.ParameterRef) bool { return p.Value.Name == "Idempotency-Key" })
	if key != c.is(creates) {
		t.Errorf("%s: described with Idempotency-Key %v, creates is %v", c.name(), key, c.is(creates))
	}
	if c.method == get && operation.RequestBody != nil {
		t.Errorf("%s: a GET with a body", c.name())
	}
}

// parametersOf are the names of the query, or of the body in both its forms.
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

// The description's refusals are rows of the error catalogue, with the catalogue's statuses.
func TestTheDescribedRefusalsAreTheCatalogues(t *testing.T) {
	d := published(t)
	rows := map[string]portal.CatalogueRow{}
	for _, row := range portal.Catalogue {
		rows[string(row.Refusal)] = row
	}
	for _, c := range calls {
		operation := d.Paths.Value(c.path).GetOperation(c.method)
		own := texts(operation.Extensions["x-refusals"])
		if needed := !c.is(public) || slices.Contains(byParameter, c.name()); needed != slices.Contains(own, "login_required") {
			t.Errorf("%s: public %v, but login_required is among %v", c.name(), c.is(public), own)
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
