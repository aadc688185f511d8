package docs

import (
	"bytes"
	"encoding/json"
	"path"
)

func readDescription(text []byte) (*description, error) {
	d := new(description)
	return d, json.Unmarshal(text, d)
}

// description is the part of openapi.json that the page shows without scripts.
type description struct {
	Info struct {
		Version     string `json:"version"`
		Description string `json:"description"`
	} `json:"info"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Common     []string                       `json:"x-common-refusals"`
	Paths      inOrder[map[string]*operation] `json:"paths"`
	Components struct {
		Responses map[string]struct {
			Content map[string]struct {
				Example struct {
					Status  int    `json:"status"`
					Code    string `json:"code"`
					Message string `json:"message"`
				} `json:"example"`
			} `json:"content"`
		} `json:"responses"`
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

// operation is one call of the API.
type operation struct {
	Tags       []string              `json:"tags"`
	ID         string                `json:"operationId"`
	Summary    string                `json:"summary"`
	Security   []map[string][]string `json:"security"`
	Parameters []struct {
		Ref      string `json:"$ref"` // set for the headers that many calls have
		Name     string `json:"name"`
		Required bool   `json:"required"`
	} `json:"parameters"`
	Body struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			} `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Refusals []string `json:"x-refusals"`
}

// schema is the JSON Schema of an object.
type schema struct {
	Required   []string                 `json:"required"`
	Properties inOrder[json.RawMessage] `json:"properties"`
}

// bodyOf returns the schema of a call's body. Without a body it has no properties.
func (d *description) bodyOf(o *operation) schema {
	return d.Components.Schemas[path.Base(o.Body.Content["application/json"].Schema.Ref)]
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
