package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"portico/locale"
	"portico/portal/access"
)

// docSource is the part of openapi.json that the page shows.
type docSource struct {
	Info struct {
		Version string `json:"version"`
	} `json:"info"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Common     []string                                `json:"x-common-refusals"`
	Paths      inOrder[map[string]*docSourceOperation] `json:"paths"`
	Components struct {
		Security   map[string]docSourceParameter `json:"securitySchemes"`
		Parameters inOrder[docSourceParameter]   `json:"parameters"`
		Responses  map[string]struct {
			Content map[string]struct {
				Example struct {
					Status  int    `json:"status"`
					Code    string `json:"code"`
					Message string `json:"message"`
				} `json:"example"`
			} `json:"content"`
		} `json:"responses"`
		Schemas inOrder[*docSchema] `json:"schemas"`
	} `json:"components"`
}

type docSourceOperation struct {
	Tags        []string              `json:"tags"`
	ID          string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Security    []map[string][]string `json:"security"`
	Parameters  []docSourceParameter  `json:"parameters"`
	Body        *struct {
		Content map[string]struct {
			Schema *docSchema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Example json.RawMessage `json:"example"`
		} `json:"content"`
	} `json:"responses"`
	Refusals []string `json:"x-refusals"`
}

type docSourceParameter struct {
	Ref         string     `json:"$ref"`
	Name        string     `json:"name"`
	In          string     `json:"in"`
	Description string     `json:"description"`
	Required    bool       `json:"required"`
	Schema      *docSchema `json:"schema"`
}

type docSchema struct {
	Ref         string              `json:"$ref"`
	Type        oneOrMore           `json:"type"`
	Description string              `json:"description"`
	Enum        []any               `json:"enum"`
	Required    []string            `json:"required"`
	Properties  inOrder[*docSchema] `json:"properties"`
	Additional  any                 `json:"additionalProperties"`
	Items       *docSchema          `json:"items"`
	OneOf       []*docSchema        `json:"oneOf"`
}

// inOrder is a JSON object that keeps the order of its names.
type inOrder[V any] struct {
	names  []string
	values map[string]V
}

func (o *inOrder[V]) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &o.values); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		o.names = append(o.names, name.(string)) // otherwise Unmarshal would have failed
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
	}
	return nil
}

// oneOrMore is a JSON Schema type: a word or a list of words.
type oneOrMore []string

func (t *oneOrMore) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(t))
	}
	*t = make(oneOrMore, 1)
	return json.Unmarshal(text, &(*t)[0])
}

func readDocSource() (*docSource, error) {
	s := new(docSource)
	return s, json.Unmarshal(embedded("openapi.json"), s)
}

// What the page shows.
type (
	docPage struct {
		Version, Origin string
		Dev             bool
		Groups          []docGroup
		Headers         []docField
		Common          []docRefusal
		Shapes          []docShape
		Calls           int
	}
	docGroup struct {
		Name, ID, About string
		Calls           []docCall
	}
	docCall struct {
		ID, Method, Summary string
		Path                []string // its segments
		About               [][]docSpan
		Token               bool
		Params              []docField
		Answer              []docSpan
		Fields              []docField
		Refusals            []docRefusal
		Example             string // an answer
	}
	docShape struct {
		Name   string
		About  []docSpan
		Fields []docField
	}
	docField struct {
		Name     string
		Optional bool
		Type     []docSpan
		About    []docSpan
		Values   []string
	}
	docRefusal struct {
		Code         string
		Status, HTTP int
		Message      string
	}
	// docSpan is a piece of running text: plain, a name from the wire, or a link.
	docSpan struct {
		Text, Href string
		Code       bool
	}
)

// onceParameter is the header of calls that must take effect once.
const onceParameter = "#/components/parameters/IdempotencyKey"

// inlineFields is how many fields an answer may have to be shown with its call. Larger answers are shown among the
// shapes.
const inlineFields = 8

// page arranges the description for reading: calls by tag, in the order of the file.
func (s *docSource) page(dev bool, origin string) (docPage, error) {
	p := docPage{Version: s.Info.Version, Origin: origin, Dev: dev}
	catalogue := s.catalogue()
	var err error
	if p.Common, err = refusalsOf(catalogue, s.Common); err != nil {
		return p, err
	}
	linked := map[string]bool{}
	for _, name := range []string{"signature", "token"} {
		scheme := s.Components.Security[name]
		p.Headers = append(p.Headers, docField{
			Name: scheme.Name, About: s.prose(scheme.Description), Optional: name == "token",
			Type: []docSpan{{Text: "string"}},
		})
	}
	for _, name := range s.Components.Parameters.names {
		if strings.HasSuffix(onceParameter, "/"+name) {
			continue
		}
		p.Headers = append(p.Headers, s.parameter(s.Components.Parameters.values[name], linked))
	}
	for _, tag := range s.Tags {
		group := docGroup{
			Name: tag.Name, ID: strings.ToLower(strings.ReplaceAll(tag.Name, " ", "-")), About: tag.Description,
		}
		for _, path := range s.Paths.names {
			for method, o := range s.Paths.values[path] {
				if !slices.Contains(o.Tags, tag.Name) {
					continue
				}
				call, err := s.call(strings.ToUpper(method), path, o, catalogue, linked)
				if err != nil {
					return p, err
				}
				group.Calls = append(group.Calls, call)
				p.Calls++
			}
		}
		p.Groups = append(p.Groups, group)
	}
	p.Shapes = s.shapes(linked)
	return p, nil
}

func (s *docSource) call(
	method, path string, o *docSourceOperation, catalogue map[string]docRefusal, linked map[string]bool,
) (docCall, error) {
	call := docCall{
		ID: o.ID, Method: method, Summary: o.Summary, Path: strings.Split(strings.TrimPrefix(path, "/"), "/"),
	}
	_, call.Token = o.Security[0]["token"]
	for paragraph := range strings.SplitSeq(o.Description, "\n\n") {
		if paragraph != "" {
			call.About = append(call.About, s.prose(paragraph))
		}
	}
	for _, parameter := range o.Parameters {
		if parameter.Ref == "" {
			call.Params = append(call.Params, s.parameter(parameter, linked))
		}
	}
	if o.Body != nil {
		call.Params = append(call.Params, s.fields(s.resolve(o.Body.Content["application/json"].Schema), linked)...)
	}
	for _, parameter := range o.Parameters {
		if parameter.Ref == onceParameter {
			call.Params = append(call.Params, s.parameter(s.Components.Parameters.values["IdempotencyKey"], linked))
		}
	}
	name := strings.ToUpper(o.ID[:1]) + o.ID[1:] + "Answer"
	response := s.Components.Schemas.values[name]
	if response == nil || len(response.OneOf) == 0 {
		return call, fmt.Errorf("%s has no %s", o.ID, name)
	}
	call.Answer, call.Fields = s.answer(s.resolve(response.OneOf[0]).Properties.values["data"], linked)
	var example bytes.Buffer
	_ = json.Indent(
		&example, o.Responses["200"].Content["application/json"].Example, "", "  ",
	) // fails where there is none
	call.Example = example.String()
	var err error
	call.Refusals, err = refusalsOf(catalogue, o.Refusals)
	return call, err
}

// answer describes the data of a call: small shapes by their fields, large ones by a link.
func (s *docSource) answer(data *docSchema, linked map[string]bool) (kind []docSpan, fields []docField) {
	shape := data
	if len(shape.OneOf) > 0 {
		shape = shape.OneOf[0]
	}
	if shape.Items != nil {
		shape = shape.Items
	}
	shape = s.resolve(shape)
	if len(shape.Properties.names) > inlineFields {
		return s.typeOf(data, linked), nil
	}
	return s.typeOf(data, nil), s.fields(shape, linked)
}

// shapes returns the objects that the calls link to, and the objects that those link to.
func (s *docSource) shapes(linked map[string]bool) []docShape {
	linked["RefusalDetail"], linked["ServerTime"] = true, true
	shown := map[string]docShape{}
	for more := true; more; {
		more = false
		for _, name := range s.Components.Schemas.names {
			if _, done := shown[name]; linked[name] && !done {
				schema := s.Components.Schemas.values[name]
				shown[name] = docShape{Name: name, About: s.prose(schema.Description), Fields: s.fields(schema, linked)}
				more = true
			}
		}
	}
	var all []docShape
	for _, name := range s.Components.Schemas.names {
		if shape, ok := shown[name]; ok {
			all = append(all, shape)
		}
	}
	return all
}

func (s *docSource) parameter(p docSourceParameter, linked map[string]bool) docField {
	f := s.field(p.Name, p.Schema, linked)
	f.Optional, f.About = !p.Required, s.prose(p.Description)
	if p.In == "path" {
		f.Type = append(f.Type, docSpan{Text: ", in the path"})
	} else if p.Name == "Idempotency-Key" { // the other headers have a section of their own
		f.Type = append(f.Type, docSpan{Text: ", in a header"})
	}
	return f
}

func (s *docSource) fields(schema *docSchema, linked map[string]bool) []docField {
	var all []docField
	for _, name := range schema.Properties.names {
		f := s.field(name, schema.Properties.values[name], linked)
		f.Optional = !slices.Contains(schema.Required, name)
		all = append(all, f)
	}
	return all
}

func (s *docSource) field(name string, schema *docSchema, linked map[string]bool) docField {
	f := docField{Name: name, Type: s.typeOf(schema, linked), About: s.prose(schema.Description)}
	for _, value := range schema.Enum {
		if text, ok := value.(string); ok { // numbers are explained in the description
			f.Values = append(f.Values, text)
		}
	}
	return f
}

// typeOf writes the type of a schema. It links objects that have a name and adds them to linked; when linked is nil,
// it only names them.
func (s *docSource) typeOf(schema *docSchema, linked map[string]bool) []docSpan {
	switch {
	case schema.Ref != "":
		name := schema.Ref[strings.LastIndexByte(schema.Ref, '/')+1:]
		if linked == nil {
			return []docSpan{{Text: name}}
		}
		linked[name] = true
		return []docSpan{{Text: name, Href: "#" + name}}
	case len(schema.OneOf) > 0:
		var all []docSpan
		for i, one := range schema.OneOf {
			if i > 0 {
				all = append(all, docSpan{Text: " or "})
			}
			all = append(all, s.typeOf(one, linked)...)
		}
		return all
	case schema.Items != nil:
		return append([]docSpan{{Text: "array of "}}, s.typeOf(schema.Items, linked)...)
	case len(schema.Properties.names) == 0 && schema.Additional != nil && schema.Additional != false:
		return []docSpan{{Text: "object of strings"}}
	}
	return []docSpan{{Text: strings.Join(schema.Type, " or ")}}
}

// resolve follows a reference to a schema of the description.
func (s *docSource) resolve(schema *docSchema) *docSchema {
	if schema.Ref == "" {
		return schema
	}
	return s.Components.Schemas.values[schema.Ref[strings.LastIndexByte(schema.Ref, '/')+1:]]
}

// catalogue returns every refusal with its number and English text: those of package portal, and those that only the
// description has, whose text is its example.
func (s *docSource) catalogue() map[string]docRefusal {
	all := map[string]docRefusal{}
	for _, response := range s.Components.Responses {
		if e := response.Content["application/json"].Example; e.Code != "" {
			all[e.Code] = docRefusal{Code: e.Code, Status: e.Status, HTTP: e.Status % 1000, Message: e.Message}
		}
	}
	for _, row := range access.Catalogue {
		code := string(row.Refusal)
		all[code] = docRefusal{
			Code: code, Status: row.Status, HTTP: row.HTTP, Message: locale.English.T("error." + code),
		}
	}
	return all
}

func refusalsOf(catalogue map[string]docRefusal, codes []string) ([]docRefusal, error) {
	var all []docRefusal
	for _, code := range codes {
		r, ok := catalogue[code]
		if !ok {
			return nil, fmt.Errorf("no refusal is called %s", code)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b docRefusal) int { return cmp.Compare(a.Status, b.Status) })
	return all, nil
}

// wireNames finds settings, headers, parameters, codes and calls within running text.
var wireNames = regexp.MustCompile(
	`PORTICO_[A-Z]+=[a-z]+|wx\.[A-Za-z]+|X-[A-Z][A-Za-z-]*[a-z]|Idempotency-Key|Accept-Language|If-None-Match|ETag|` +
		`\b[a-z]+(?:_[a-z]+)*_\b|\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z][A-Za-z]+\b`,
)

// prose marks the names of the wire within running text, and links the names of calls.
func (s *docSource) prose(text string) []docSpan {
	var spans []docSpan
	from := 0
	for _, at := range wireNames.FindAllStringIndex(text, -1) {
		if at[0] > from {
			spans = append(spans, docSpan{Text: text[from:at[0]]})
		}
		name := docSpan{Text: text[at[0]:at[1]], Code: true}
		if s.isCall(name.Text) {
			name.Href = "#" + name.Text
		}
		spans = append(spans, name)
		from = at[1]
	}
	if from < len(text) {
		spans = append(spans, docSpan{Text: text[from:]})
	}
	return spans
}

func (s *docSource) isCall(name string) bool {
	for _, operations := range s.Paths.values {
		for _, o := range operations {
			if o.ID == name {
				return true
			}
		}
	}
	return false
}
