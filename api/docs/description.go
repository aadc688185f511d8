package docs

import (
	"bytes"
	"encoding/json"
	"strings"
)

func readDescription(text []byte) (*description, error) {
	d := new(description)
	return d, json.Unmarshal(text, d)
}

// description is the part of openapi.json that the page shows.
type description struct {
	Info struct {
		Version string `json:"version"`
	} `json:"info"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Common     []string                       `json:"x-common-refusals"`
	Paths      inOrder[map[string]*operation] `json:"paths"`
	Components struct {
		Security   map[string]parameter `json:"securitySchemes"`
		Parameters inOrder[parameter]   `json:"parameters"`
		Responses  map[string]struct {
			Content map[string]struct {
				Example struct {
					Status  int    `json:"status"`
					Code    string `json:"code"`
					Message string `json:"message"`
				} `json:"example"`
			} `json:"content"`
		} `json:"responses"`
		Schemas inOrder[*schema] `json:"schemas"`
	} `json:"components"`
}

// operation is one call of the API.
type operation struct {
	Tags        []string              `json:"tags"`
	ID          string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters"`
	Body        *struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Example json.RawMessage `json:"example"`
		} `json:"content"`
	} `json:"responses"`
	Refusals []string `json:"x-refusals"`
}

// parameter is a parameter of a call, or a header. If Ref is set, the parameter is described elsewhere.
type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Schema      *schema `json:"schema"`
}

// schema is a JSON Schema, as far as the description uses it.
type schema struct {
	Ref         string           `json:"$ref"`
	Type        oneOrMore        `json:"type"`
	Description string           `json:"description"`
	Enum        []any            `json:"enum"`
	Required    []string         `json:"required"`
	Properties  inOrder[*schema] `json:"properties"`
	Additional  any              `json:"additionalProperties"`
	Items       *schema          `json:"items"`
	OneOf       []*schema        `json:"oneOf"`
}

// inOrder is a JSON object that keeps the order of its names.
type inOrder[V any] struct {
	names  []string
	values map[string]V
}

// UnmarshalJSON reads the values, and then the names a second time for their order.
func (o *inOrder[V]) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &o.values); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		o.names = append(o.names, name.(string)) // otherwise Unmarshal would have failed
		var skipped json.RawMessage
		if err := decoder.Decode(&skipped); err != nil {
			return err
		}
	}
	return nil
}

// oneOrMore is a JSON Schema type: a word or a list of words.
type oneOrMore []string

// UnmarshalJSON reads a string or an array of strings.
func (t *oneOrMore) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(t))
	}
	*t = make(oneOrMore, 1)
	return json.Unmarshal(text, &(*t)[0])
}

// resolve returns the schema that a reference points at, and any other schema as it is.
func (d *description) resolve(reference *schema) *schema {
	if reference.Ref == "" {
		return reference
	}
	return d.Components.Schemas.values[reference.schemaName()]
}

// schemaName returns the last part of a reference to a schema.
func (s *schema) schemaName() string { return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:] }

// isCall reports whether a call has this operation id.
func (d *description) isCall(name string) bool {
	for _, operations := range d.Paths.values {
		for _, o := range operations {
			if o.ID == name {
				return true
			}
		}
	}
	return false
}
