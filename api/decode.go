package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"portico/portal/access"
)

// decode fills the fields of an input struct by their json tags: from the query and the form, or from a JSON
// object. A parameter has one value and one place. Unknown names are ignored, in the query and in the body: the
// signature covers every parameter, so none can have been added or changed on the way.
func (sent *request) decode(input any) error {
	if len(sent.query)+len(sent.form) == 0 && sent.json == nil {
		return nil
	}
	values := map[string]value{}
	for _, p := range append(sent.query, sent.form...) {
		if _, repeated := values[p.name]; repeated {
			return access.BadRequest
		}
		values[p.name] = value{text: p.value}
	}
	fields := fieldsOf(reflect.TypeOf(input).Elem())
	if sent.json != nil {
		if err := readObject(sent.json, fields, values); err != nil {
			return err
		}
	}
	v := reflect.ValueOf(input).Elem()
	for name, index := range fields {
		if given, ok := values[name]; ok {
			if err := given.setField(v.FieldByIndex(index)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldsOf are the parameters of an input struct and of the structs embedded in it: name and position of each.
func fieldsOf(t reflect.Type) map[string][]int {
	fields := map[string][]int{}
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			fields[name] = field.Index
		}
	}
	return fields
}

// value is what the caller sent for one parameter. JSON numbers become text, as in a form.
type value struct {
	text    string
	boolean bool // the caller sent JSON true or false, stored as "1" or "0"
}

// readObject reads a JSON object into values. It refuses a name that occurs twice, known or not,
// and anything after the object.
func readObject(body []byte, fields map[string][]int, values map[string]value) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return access.BadRequest
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return access.BadRequest
		}
		name, _ := key.(string)
		if _, elsewhere := values[name]; elsewhere || seen[name] || len(seen) == maxParameters {
			return access.BadRequest
		}
		seen[name] = true
		if _, known := fields[name]; !known {
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return access.BadRequest
			}
			continue
		}
		given, err := d.Token()
		if err != nil {
			return access.BadRequest
		}
		switch given := given.(type) {
		case nil:
			continue
		case string:
			values[name] = value{text: given}
		case json.Number:
			values[name] = value{text: given.String()}
		case bool:
			values[name] = value{text: map[bool]string{true: "1", false: "0"}[given], boolean: true}
		default: // an object or a list, and no parameter is either
			return access.BadRequest
		}
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return access.BadRequest
	}
	if d.More() || len(bytes.TrimSpace(body[d.InputOffset():])) > 0 {
		return access.BadRequest
	}
	return nil
}

// setField sets a field. A value that no client sends on purpose is a bad request. Anything that a person may have
// typed is left to the operation, which checks it.
func (v value) setField(field reflect.Value) error {
	switch field.Kind() {
	case reflect.String:
		if v.boolean || strings.Contains(v.text, "\x00") {
			return access.BadRequest
		}
		field.SetString(v.text)
	case reflect.Int64:
		if v.boolean {
			return access.BadRequest
		}
		if v.text == "" || v.text == "0" {
			return nil
		}
		id, err := strconv.ParseInt(v.text, 10, 64)
		if err != nil || id < 0 || v.text[0] < '1' {
			return access.BadRequest
		}
		field.SetInt(id)
	case reflect.Bool:
		switch v.text {
		case "1", "true":
			field.SetBool(true)
		case "0", "false", "":
			field.SetBool(false)
		default:
			return access.BadRequest
		}
	default:
		panic("api: no parameter is a " + field.Kind().String())
	}
	return nil
}
