package config

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// Source says where the value of a setting comes from.
type Source string

// The sources of values.
const (
	FromDefault     Source = "default"
	FromEnvironment Source = "environment"
	FromFile        Source = "file"
)

// Value is a setting as it is in force. It can be printed: it contains no secret.
type Value struct {
	Name   string `json:"name"`
	Value  string `json:"value"` // without the secret parts of addresses; "" when the whole value is secret
	Source Source `json:"source"`
	File   string `json:"file,omitempty"`   // path of the file that the value was read from
	Hidden bool   `json:"hidden,omitempty"` // Value leaves out a secret, so it cannot be used as it stands
	Note   string `json:"note,omitempty"`   // what the program uses when the setting is empty
}

// hiddenText stands for what printable leaves out.
const hiddenText = "…"

// inForce describes a setting for people. value is what was read.
func (s setting) inForce(given map[string]string, value string) Value {
	v := Value{Name: s.name, Value: s.printable(value), Source: FromDefault}
	v.Hidden = v.Value != value
	if v.Value == hiddenText {
		v.Value = ""
	}
	switch {
	case given[s.name+fileSuffix] != "" && s.secret:
		v.Source, v.File = FromFile, given[s.name+fileSuffix]
	case given[s.name] != "":
		v.Source = FromEnvironment
	case value == "":
		v.Note = cmp.Or(s.shown, "empty")
	}
	return v
}

// PrintInForce prints settings as the lines of an environment file: first what is set, then the defaults as comments.
// Values with a secret are comments too, because the secret is left out.
func PrintInForce(out io.Writer, all []Value) error {
	var text strings.Builder
	text.WriteString("# set\n")
	for _, v := range all {
		if v.Source != FromDefault {
			text.WriteString(v.line() + "\n")
		}
	}
	text.WriteString("\n# not set: the default is in force\n")
	for _, v := range all {
		if v.Source == FromDefault {
			text.WriteString(v.line() + "\n")
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func (v Value) line() string {
	switch {
	case v.Source == FromFile:
		return v.Name + fileSuffix + "=" + v.File
	case v.Note != "":
		return fmt.Sprintf("# %s= (%s)", v.Name, v.Note)
	case v.Hidden && v.Value != "":
		return fmt.Sprintf("# %s=%s (a secret is left out)", v.Name, v.Value)
	case v.Hidden:
		return fmt.Sprintf("# %s=… (secret)", v.Name)
	case v.Source == FromDefault:
		return fmt.Sprintf("# %s=%s", v.Name, v.Value)
	}
	return v.Name + "=" + v.Value
}
