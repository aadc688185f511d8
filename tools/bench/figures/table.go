// Package figures collects the figures of a run and prints them with their targets.
package figures

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table collects figures in the order in which they are measured.
type Table struct{ rows []row }

// row is one figure and its target. Unit is empty for a ratio.
type row struct {
	what   string
	got    float64
	unit   string
	target float64
	bound  Bound
	load   string // the machine's, when it was measured
	from   string // the two figures of a ratio, or what went into it
}

// Bound is how a figure is compared with its target.
type Bound string

// The bounds.
const (
	AtMost  Bound = "≤"
	AtLeast Bound = "≥"
	Exactly Bound = "="
)

// Add adds a figure and its target. The unit is "" for a ratio. from and args, as of fmt.Sprintf, say which two figures
// a ratio compares or what went into the figure.
func (t *Table) Add(what string, got float64, unit string, bound Bound, target float64, from string, args ...any) {
	t.rows = append(t.rows, row{what, got, unit, target, bound, loadAverage(), fmt.Sprintf(from, args...)})
}

func (r row) isMet() bool {
	switch r.bound {
	case AtMost:
		return r.got <= r.target
	case AtLeast:
		return r.got >= r.target
	}
	return r.got == r.target
}

// Print writes the table and how many targets are met.
func (t *Table) Print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "FIGURE\tMEASURED\tTARGET\tMET\tLOAD\tFROM")
	met := 0
	for _, r := range t.rows {
		verdict := "no"
		if r.isMet() {
			verdict, met = "yes", met+1
		}
		fmt.Fprintf(
			w, "%s\t%s\t%s %s\t%s\t%s\t%s\n", r.what, amount(r.got, r.unit), r.bound, amount(r.target, r.unit), verdict,
			r.load, r.from,
		)
	}
	_ = w.Flush()
	fmt.Fprintf(out, "%d of %d targets met\n", met, len(t.rows))
}

// amount writes whole numbers without digits behind the point, others with two.
func amount(n float64, unit string) string {
	digits := 2
	if n == float64(int64(n)) || n >= 100 {
		digits = 0
	}
	return strings.TrimSpace(strconv.FormatFloat(n, 'f', digits, 64) + " " + unit)
}

// loadAverage is the load of the machine in the last minute, "?" where there is no /proc.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}

// Median returns the middle value of a list, 0 for an empty one.
func Median(list []float64) float64 { return Percentile(list, 50) }

// Percentile returns the smallest value that p percent of the list do not exceed, 0 for an empty list.
func Percentile(list []float64, p int) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[(len(sorted)*p+99)/100-1]
}

// Ratio returns the median of the ratios of all turns, so that a disturbance of one turn does not count.
func Ratio(ours, bare []float64) float64 {
	var quotients []float64
	for i := range ours {
		quotients = append(quotients, ours[i]/bare[i])
	}
	return Median(quotients)
}
