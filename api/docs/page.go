package docs

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

// What the page shows.
type (
	page struct {
		Version, Origin string
		Dev             bool
		Groups          []group
		Headers         []field
		Common          []refusal
		Shapes          []shape
		Calls           int
	}
	group struct {
		Name, ID, About string
		Calls           []call
	}
	call struct {
		ID, Method, Summary string
		Path                []string // its segments
		About               [][]span
		Token               bool
		Params              []field
		Answer              []span
		Fields              []field
		Refusals            []refusal
		Example             string // an answer
	}
	shape struct {
		Name   string
		About  []span
		Fields []field
	}
	field struct {
		Name     string
		Optional bool
		Type     []span
		About    []span
		Values   []string
	}
	refusal struct {
		Code         string
		Status, HTTP int
		Message      string
	}
	// span is a piece of running text: plain, a name from the wire, or a link.
	span struct {
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
func (d *description) page(o Options) (page, error) {
	p := page{Version: d.Info.Version, Origin: o.Origin, Dev: o.Dev}
	catalogue := d.catalogue()
	var err error
	if p.Common, err = refusalsOf(catalogue, d.Common); err != nil {
		return p, err
	}
	linked := map[string]bool{}
	for _, name := range []string{"signature", "token"} {
		scheme := d.Components.Security[name]
		p.Headers = append(p.Headers, field{
			Name: scheme.Name, About: d.markUp(scheme.Description), Optional: name == "token",
			Type: []span{{Text: "string"}},
		})
	}
	for _, name := range d.Components.Parameters.names {
		if strings.HasSuffix(onceParameter, "/"+name) {
			continue
		}
		p.Headers = append(p.Headers, d.parameter(d.Components.Parameters.values[name], linked))
	}
	for _, tag := range d.Tags {
		group := group{
			Name: tag.Name, ID: strings.ToLower(strings.ReplaceAll(tag.Name, " ", "-")), About: tag.Description,
		}
		for _, path := range d.Paths.names {
			for method, o := range d.Paths.values[path] {
				if !slices.Contains(o.Tags, tag.Name) {
					continue
				}
				call, err := d.call(strings.ToUpper(method), path, o, catalogue, linked)
				if err != nil {
					return p, err
				}
				group.Calls = append(group.Calls, call)
				p.Calls++
			}
		}
		p.Groups = append(p.Groups, group)
	}
	p.Shapes = d.shapes(linked)
	return p, nil
}

func (d *description) call(
	method, path string, o *operation, catalogue map[string]refusal, linked map[string]bool,
) (call, error) {
	call := call{
		ID: o.ID, Method: method, Summary: o.Summary, Path: strings.Split(strings.TrimPrefix(path, "/"), "/"),
	}
	_, call.Token = o.Security[0]["token"]
	for paragraph := range strings.SplitSeq(o.Description, "\n\n") {
		if paragraph != "" {
			call.About = append(call.About, d.markUp(paragraph))
		}
	}
	for _, parameter := range o.Parameters {
		if parameter.Ref == "" {
			call.Params = append(call.Params, d.parameter(parameter, linked))
		}
	}
	if o.Body != nil {
		call.Params = append(call.Params, d.fields(d.resolve(o.Body.Content["application/json"].Schema), linked)...)
	}
	for _, parameter := range o.Parameters {
		if parameter.Ref == onceParameter {
			call.Params = append(call.Params, d.parameter(d.Components.Parameters.values["IdempotencyKey"], linked))
		}
	}
	name := strings.ToUpper(o.ID[:1]) + o.ID[1:] + "Answer"
	response := d.Components.Schemas.values[name]
	if response == nil || len(response.OneOf) == 0 {
		return call, fmt.Errorf("%s has no %s", o.ID, name)
	}
	call.Answer, call.Fields = d.answer(d.resolve(response.OneOf[0]).Properties.values["data"], linked)
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
func (d *description) answer(data *schema, linked map[string]bool) (kind []span, fields []field) {
	shape := data
	if len(shape.OneOf) > 0 {
		shape = shape.OneOf[0]
	}
	if shape.Items != nil {
		shape = shape.Items
	}
	shape = d.resolve(shape)
	if len(shape.Properties.names) > inlineFields {
		return d.typeOf(data, linked), nil
	}
	return d.typeOf(data, nil), d.fields(shape, linked)
}

// shapes returns the objects that the calls link to, and the objects that those link to.
func (d *description) shapes(linked map[string]bool) []shape {
	linked["RefusalDetail"], linked["ServerTime"] = true, true
	shown := map[string]shape{}
	for more := true; more; {
		more = false
		for _, name := range d.Components.Schemas.names {
			if _, done := shown[name]; linked[name] && !done {
				schema := d.Components.Schemas.values[name]
				shown[name] = shape{Name: name, About: d.markUp(schema.Description), Fields: d.fields(schema, linked)}
				more = true
			}
		}
	}
	var all []shape
	for _, name := range d.Components.Schemas.names {
		if shape, ok := shown[name]; ok {
			all = append(all, shape)
		}
	}
	return all
}

func (d *description) parameter(p parameter, linked map[string]bool) field {
	f := d.field(p.Name, p.Schema, linked)
	f.Optional, f.About = !p.Required, d.markUp(p.Description)
	if p.In == "path" {
		f.Type = append(f.Type, span{Text: ", in the path"})
	} else if p.Name == "Idempotency-Key" { // the other headers have a section of their own
		f.Type = append(f.Type, span{Text: ", in a header"})
	}
	return f
}

func (d *description) fields(schema *schema, linked map[string]bool) []field {
	var all []field
	for _, name := range schema.Properties.names {
		f := d.field(name, schema.Properties.values[name], linked)
		f.Optional = !slices.Contains(schema.Required, name)
		all = append(all, f)
	}
	return all
}

func (d *description) field(name string, schema *schema, linked map[string]bool) field {
	f := field{Name: name, Type: d.typeOf(schema, linked), About: d.markUp(schema.Description)}
	for _, value := range schema.Enum {
		if text, ok := value.(string); ok { // numbers are explained in the description
			f.Values = append(f.Values, text)
		}
	}
	return f
}

// typeOf writes the type of a schema. It links objects that have a name and adds them to linked; when linked is nil,
// it only names them.
func (d *description) typeOf(schema *schema, linked map[string]bool) []span {
	switch {
	case schema.Ref != "":
		name := schema.schemaName()
		if linked == nil {
			return []span{{Text: name}}
		}
		linked[name] = true
		return []span{{Text: name, Href: "#" + name}}
	case len(schema.OneOf) > 0:
		var all []span
		for i, one := range schema.OneOf {
			if i > 0 {
				all = append(all, span{Text: " or "})
			}
			all = append(all, d.typeOf(one, linked)...)
		}
		return all
	case schema.Items != nil:
		return append([]span{{Text: "array of "}}, d.typeOf(schema.Items, linked)...)
	case len(schema.Properties.names) == 0 && schema.Additional != nil && schema.Additional != false:
		return []span{{Text: "object of strings"}}
	}
	return []span{{Text: strings.Join(schema.Type, " or ")}}
}

// catalogue returns every refusal with its number and English text: those of package portal, and those that only the
// description has, whose text is its example.
func (d *description) catalogue() map[string]refusal {
	all := map[string]refusal{}
	for _, response := range d.Components.Responses {
		if e := response.Content["application/json"].Example; e.Code != "" {
			all[e.Code] = refusal{Code: e.Code, Status: e.Status, HTTP: e.Status % 1000, Message: e.Message}
		}
	}
	for _, row := range access.Catalogue {
		code := string(row.Refusal)
		all[code] = refusal{
			Code: code, Status: row.Status, HTTP: row.HTTP, Message: locale.English.T("error." + code),
		}
	}
	return all
}

func refusalsOf(catalogue map[string]refusal, codes []string) ([]refusal, error) {
	var all []refusal
	for _, code := range codes {
		r, ok := catalogue[code]
		if !ok {
			return nil, fmt.Errorf("no refusal is called %s", code)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b refusal) int { return cmp.Compare(a.Status, b.Status) })
	return all, nil
}

// wireNames finds settings, headers, parameters, codes and calls within running text.
var wireNames = regexp.MustCompile(
	`PORTICO_[A-Z]+=[a-z]+|wx\.[A-Za-z]+|X-[A-Z][A-Za-z-]*[a-z]|Idempotency-Key|Accept-Language|If-None-Match|ETag|` +
		`\b[a-z]+(?:_[a-z]+)*_\b|\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z][A-Za-z]+\b`,
)

// markUp marks the names of the wire within running text, and links the names of calls.
func (d *description) markUp(text string) []span {
	var spans []span
	from := 0
	for _, at := range wireNames.FindAllStringIndex(text, -1) {
		if at[0] > from {
			spans = append(spans, span{Text: text[from:at[0]]})
		}
		name := span{Text: text[at[0]:at[1]], Code: true}
		if d.isCall(name.Text) {
			name.Href = "#" + name.Text
		}
		spans = append(spans, name)
		from = at[1]
	}
	if from < len(text) {
		spans = append(spans, span{Text: text[from:]})
	}
	return spans
}
