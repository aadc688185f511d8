// Command report measures how the Go code of a repository is built and prints the figures beside those of well-known
// programs. Nothing fails because of them: whoever reads them decides.
//
//	cd tools && go run ./report [FOLDER]
//
// FOLDER is the root of a Go module, by default this repository. The figures of the other programs were measured by
// these rules at the commits that anchors names.
package main

import (
	"fmt"
	"os"
	"text/tabwriter"
)

func main() {
	folder := ".."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	module, err := readModule(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	if err := printFigures(module.measure()); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	printLargest(module)
}

// anchors are the programs whose figures stand beside ours: miniflux 106cdd09, pkgsite ac4376fe, pocketbase 5d217ddb
// and kratos b86338da.
var anchors = []string{"miniflux", "pkgsite", "pocketbase", "kratos"}

// figure is a row of the report.
type figure struct {
	name    string
	value   string
	anchors [4]string // in the order of anchors
	aim     string    // "": none
}

func printFigures(figures []figure) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "figure\there")
	for _, name := range anchors {
		fmt.Fprint(table, "\t", name)
	}
	fmt.Fprintln(table, "\taim")
	for _, f := range figures {
		fmt.Fprint(table, f.name, "\t", f.value)
		for _, value := range f.anchors {
			fmt.Fprint(table, "\t", value)
		}
		fmt.Fprintln(table, "\t"+f.aim)
	}
	return table.Flush()
}

// printLargest prints what is largest of each kind.
func printLargest(m *module) {
	m.printList("the longest way of imports", m.longestWay())
	m.printList("folders with the most lines", m.mostLines())
	m.printList("types with the most methods", m.mostMethods())
	m.printList("functions with the most parameters", m.mostParameters())
	m.printList("the longest functions", m.longestFunctions())
	m.printList("packages with the most imports", m.mostImports())
}

func (m *module) printList(title string, rows []string) {
	fmt.Printf("\n%s\n", title)
	for _, row := range rows {
		fmt.Println("  " + row)
	}
}
