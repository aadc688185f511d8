package program

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"portico/e2e/testscope"
)

// FillIn replaces the placeholder name of a text by a value.
func FillIn(text, name string, value any) string {
	return strings.ReplaceAll(text, "{"+name+"}", fmt.Sprint(value))
}

// Texts returns a function that looks up the texts of a language by key, those of error messages by "error." and the
// code. Tests use it, so that they still pass when a text is reworded.
func Texts(t *testing.T, lang string) func(key string) string {
	t.Helper()
	all := map[string]string{}
	for file, prefix := range map[string]string{lang: "", "errors." + lang: "error."} {
		text, err := os.ReadFile(testscope.File("locale/" + file + ".json"))
		if err != nil {
			t.Fatal(err)
		}
		messages := map[string]string{}
		if err := json.Unmarshal(text, &messages); err != nil {
			t.Fatal(err)
		}
		for key, message := range messages {
			all[prefix+key] = message
		}
	}
	return func(key string) string {
		if all[key] == "" {
			t.Errorf("no text %q in %s", key, lang)
		}
		return all[key]
	}
}

// Languages are the languages of the pages.
var Languages = []string{"zh", "es", "en"}
