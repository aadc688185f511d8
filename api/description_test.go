package api

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"portico/store/storetest"
)

// TestMain fails a whole run in which a call never answered a refusal that its description lists: the description must
// not promise what cannot happen.
func TestMain(m *testing.M) {
	flag.Parse()
	storetest.Main(testRun{m})
}

// testRun is the run of all tests, followed by the check of the description.
type testRun struct{ *testing.M }

// Run runs the tests. After a successful run without a filter it reports the refusals that no test saw.
func (m testRun) Run() int {
	code := m.M.Run()
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && !testing.Short() &&
		flag.Lookup("test.list").Value.String() == "" {
		code = returnedCodes.reportMissing()
	}
	return code
}

// returnedCodes are the codes that each operation answered in this run.
var returnedCodes = &codeRecord{codes: map[string]map[string]bool{}}

type codeRecord struct {
	mu    sync.Mutex
	codes map[string]map[string]bool
}

// add records that an operation answered a code.
func (a *codeRecord) add(operation, code string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.codes[operation] == nil {
		a.codes[operation] = map[string]bool{}
	}
	a.codes[operation][code] = true
}

// reportMissing prints the described codes that were never answered. It returns 1 if there is one, else 0.
func (a *codeRecord) reportMissing() (exit int) {
	d, err := loadDescription()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, c := range calls {
		operation := d.Paths.Value(c.path).GetOperation(c.method)
		for _, code := range append(stringsOf(operation.Extensions["x-refusals"]), "ok") {
			if !a.codes[operation.OperationID][code] {
				fmt.Printf("%s is described with %s, which no test saw\n", operation.OperationID, code)
				exit = 1
			}
		}
	}
	return exit
}

// description is the published description of the API.
type description struct {
	*openapi3.T
	common  []string                      // refusals that every call may answer
	schemas map[string]*jsonschema.Schema // by reference
}

var loadDescription = sync.OnceValues(func() (*description, error) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err == nil {
		err = doc.Validate(context.Background(), openapi3.IsOpenAPI31OrLater())
	}
	if err != nil {
		return nil, err
	}
	for _, schema := range doc.Components.Schemas {
		joinParts(schema.Value)
		closeObjects(schema.Value)
	}
	schemas, err := compileSchemas(doc.Components)
	return &description{doc, stringsOf(doc.Extensions["x-common-refusals"]), schemas}, err
})

// publishedDescription returns the content of openapi.json, with closed objects.
func publishedDescription(t testing.TB) *description {
	t.Helper()
	d, err := loadDescription()
	noError(t, err)
	return d
}

// joinParts merges the parts of an allOf schema into one object, so that closeObjects can close it.
func joinParts(s *openapi3.Schema) {
	if len(s.AllOf) == 0 {
		return
	}
	s.Type, s.Properties = &openapi3.Types{"object"}, openapi3.Schemas{}
	for _, part := range s.AllOf {
		maps.Copy(s.Properties, part.Value.Properties)
		s.Required = append(s.Required, part.Value.Required...)
	}
	s.AllOf = nil
}

// closeObjects forbids the fields that an object does not describe. The description lets clients accept further fields,
// but the server sends none.
func closeObjects(s *openapi3.Schema) {
	if s.Type.Is("object") && len(s.Properties) > 0 {
		s.AdditionalProperties.Has = new(false)
	}
	for _, inner := range s.Properties {
		if inner.Ref == "" {
			closeObjects(inner.Value)
		}
	}
	if s.Items != nil && s.Items.Ref == "" {
		closeObjects(s.Items.Value)
	}
	for _, inner := range s.OneOf {
		if inner.Ref == "" {
			closeObjects(inner.Value)
		}
	}
}

// stringsOf returns the strings of a list in an extension of the description.
func stringsOf(extension any) []string {
	var list []string
	values, _ := extension.([]any)
	for _, value := range values {
		text, _ := value.(string)
		list = append(list, text)
	}
	return list
}

// operation returns the described operation of a request, or nil. An id at the end of a path stands for {id}.
func (d *description) operation(r *http.Request) *openapi3.Operation {
	item := d.Paths.Value(r.URL.Path)
	if _, err := strconv.ParseInt(path.Base(r.URL.Path), 10, 64); item == nil && err == nil {
		item = d.Paths.Value(path.Dir(r.URL.Path) + "/{id}")
	}
	if item == nil {
		return nil
	}
	return item.GetOperation(r.Method)
}

// checkResponse checks that the description has the status and the shape of a response, and lists its code for the
// call.
func (d *description) checkResponse(t testing.TB, r *http.Request, got apiResponse) {
	t.Helper()
	operation := d.operation(r)
	if strings.HasPrefix(r.URL.Path, "/test/") {
		return
	}
	if operation == nil {
		if got.http != http.StatusNotFound && got.http != http.StatusMethodNotAllowed {
			t.Errorf("%s %s is not described and answers %d", r.Method, r.URL.Path, got.http)
		}
		return
	}
	returnedCodes.add(operation.OperationID, got.Code)
	response := operation.Responses.Value(strconv.Itoa(got.http))
	if response == nil {
		t.Errorf("%s %s: %d is not described: %s", r.Method, r.URL.Path, got.http, got.body)
		return
	}
	if got.Code != "ok" && !slices.Contains(d.common, got.Code) &&
		!slices.Contains(stringsOf(operation.Extensions["x-refusals"]), got.Code) {
		t.Errorf("%s %s: the refusal %s is not described", r.Method, r.URL.Path, got.Code)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(got.body))
	noError(t, err)
	reference := response.Value.Content.Get("application/json").Schema.Ref
	schema := d.schemas[reference]
	if schema == nil {
		t.Fatalf("%s %s: the response %d has no named schema: %q", r.Method, r.URL.Path, got.http, reference)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s %s answers %s: %v", r.Method, r.URL.Path, got.body, err)
	}
}

// compileSchemas makes the named schemas of a description ready to check values, once: compiling one takes longer than
// most calls. The map is by reference.
func compileSchemas(named *openapi3.Components) (map[string]*jsonschema.Schema, error) {
	text, err := json.Marshal(named)
	if err != nil {
		return nil, err
	}
	components, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	const name = "https://portico.test/description.json"
	compiler := jsonschema.NewCompiler()
	compiler.RegisterFormat(&jsonschema.Format{Name: "int64", Validate: validateInt64})
	compiler.AssertFormat()
	if err := compiler.AddResource(name, map[string]any{"components": components}); err != nil {
		return nil, err
	}
	all := map[string]*jsonschema.Schema{}
	for schema := range named.Schemas {
		reference := "#/components/schemas/" + schema
		if all[reference], err = compiler.Compile(name + reference); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// validateInt64 returns an error for a number that is not in the range of an int64.
func validateInt64(value any) error {
	number, ok := value.(json.Number)
	if !ok {
		return nil // the schema's type says whether it must be a number
	}
	_, err := number.Int64()
	return err
}
