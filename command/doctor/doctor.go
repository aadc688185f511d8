// Package doctor checks an installation: the settings, the database, the file store, the providers, the names and the
// proxy. Each check says that all is well, or what is wrong and what to do.
package doctor

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// State is how a check ended.
type State string

// The states. Only Failed makes the command fail.
const (
	OK     State = "ok"
	Warn   State = "warn" // it works, and may not be what was intended
	Failed State = "FAIL"
)

// Result is the result of one check. Do is what to do unless State is OK.
type Result struct {
	Area, Name string
	State      State
	Text, Do   string
}

// Area is a group of checks.
type Area struct {
	Name  string
	Check func(ctx context.Context) []Result
}

// areaTime is how long the checks of one area may take together.
const areaTime = 30 * time.Second

// Run runs the checks of areas one after the other, prints a line for each, and returns whether none failed.
func Run(ctx context.Context, out io.Writer, areas []Area) bool {
	good := true
	for _, area := range areas {
		limited, cancel := context.WithTimeout(ctx, areaTime)
		results := area.Check(limited)
		cancel()
		for _, r := range results {
			good = good && r.State != Failed
			text := r.Text
			if r.State != OK && r.Do != "" {
				text += ": " + r.Do
			}
			fmt.Fprintf(out, "%-4s  %-8s  %-20s  %s\n", r.State, area.Name, r.Name, oneLine(text))
		}
	}
	return good
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// list collects the results of one area.
type list []Result

func (l *list) ok(name, text string, args ...any) {
	*l = append(*l, Result{Name: name, State: OK, Text: fmt.Sprintf(text, args...)})
}

func (l *list) warn(name, text, do string) {
	*l = append(*l, Result{Name: name, State: Warn, Text: text, Do: do})
}

func (l *list) fail(name, text, do string) {
	*l = append(*l, Result{Name: name, State: Failed, Text: text, Do: do})
}

// Requests sends requests to the platform's public addresses.
type Requests interface {
	Do(r *http.Request) (*http.Response, error)
}
