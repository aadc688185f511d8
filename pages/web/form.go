package web

import (
	"errors"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
)

// MaxForm is the largest form that is read, in bytes, without the file in it.
const MaxForm = 32 << 10

// ReadForm parses a form strictly: it accepts one content type, at most MaxForm bytes, and no broken encoding.
func ReadForm(w http.ResponseWriter, r *http.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return access.WrongType
	}
	r.Body = http.MaxBytesReader(w, r.Body, MaxForm)
	if err := r.ParseForm(); err != nil {
		tooLarge := new(http.MaxBytesError)
		if errors.As(err, &tooLarge) {
			return access.TooLarge
		}
		return access.BadRequest
	}
	return nil
}

// Decode fills the fields of an input struct that are tagged `form:"name"` from a form that was read: strings as typed,
// numbers when they are numbers, booleans when "1" or "on". It leaves fields without a tag alone and fills embedded
// structs in the same way.
func Decode(r *http.Request, input any) {
	decodeFields(r, reflect.ValueOf(input).Elem())
}

// decodeFields does what Decode does, for a struct value.
func decodeFields(r *http.Request, v reflect.Value) {
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			if v.Field(i).Kind() == reflect.Struct {
				decodeFields(r, v.Field(i))
			}
			continue
		}
		name := v.Type().Field(i).Tag.Get("form")
		if name == "" {
			continue
		}
		value := r.PostForm.Get(name)
		switch field := v.Field(i); field.Kind() {
		case reflect.String:
			field.SetString(value)
		case reflect.Bool:
			field.SetBool(value == "1" || value == "on")
		case reflect.Int64:
			id, _ := access.DecimalID(value)
			field.SetInt(id)
		}
	}
}

// WidthOf returns the width of the browser's window in pixels, as the page's script reported it; 0 for none.
func WidthOf(r *http.Request) int {
	width, err := strconv.Atoi(strings.TrimSpace(r.PostForm.Get("width")))
	if err != nil {
		return 0
	}
	return core.ValidWidth(width)
}
