package structure

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// floors are the tables of docs/structure.md that say who may import whom, with the heading above each of them. A row
// has the floor, the package, its subject, and the packages of its own floor that it imports. The highest floor comes
// first.
var floors = map[string]string{"portal": "### Floors of portal", "pages": "### Floors of pages"}

// room is a package of a table of floors.
type room struct {
	floor    int      // 0 is the highest
	siblings []string // of the same floor, that it imports
}

var codeName = regexp.MustCompile("`([^`]+)`")

// readFloors returns the rooms of the table below a heading.
func readFloors(document, heading string) map[string]room {
	rooms := map[string]room{}
	_, rest, _ := strings.Cut(document, heading+"\n")
	floor, last := -1, ""
	for line := range strings.Lines(rest) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if strings.HasPrefix(line, "#") {
			break
		}
		if len(cells) != 6 || !codeName.MatchString(cells[2]) {
			continue
		}
		if name := strings.TrimSpace(cells[1]); name != last {
			floor, last = floor+1, name
		}
		r := room{floor: floor}
		for _, found := range codeName.FindAllStringSubmatch(cells[4], -1) {
			r.siblings = append(r.siblings, found[1])
		}
		rooms[codeName.FindStringSubmatch(cells[2])[1]] = r
	}
	return rooms
}

// floorBreaches returns the imports of a package that its table does not allow, and the siblings of its row that it
// does not import.
func floorBreaches(name string, imported []string, rooms map[string]room) (found []string) {
	own, known := rooms[name]
	if !known {
		return []string{"it has no row in the table of floors"}
	}
	for _, other := range imported {
		theirs, isRoom := rooms[other]
		switch {
		case !isRoom:
		case theirs.floor < own.floor:
			found = append(found, "it imports "+other+" of a higher floor: take what is needed as an argument, or move"+
				" the rule up")
		case theirs.floor == own.floor && !slices.Contains(own.siblings, other):
			found = append(found, "it imports "+other+" of its own floor, which its row does not name")
		}
	}
	for _, sibling := range own.siblings {
		if !slices.Contains(imported, sibling) {
			found = append(found, "its row names "+sibling+", which it does not import")
		}
	}
	return found
}

func TestPackagesImportOnlyLowerFloors(t *testing.T) {
	document, err := os.ReadFile("docs/structure.md")
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{} // by package, the last parts of what it imports of the same parent
	for line := range strings.Lines(listImports(t, ".")) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), ":")
		for parent := range floors {
			if !isBelow(name, parent) {
				continue
			}
			all := []string{}
			for _, imported := range strings.Fields(list) {
				if isBelow(imported, parent) {
					all = append(all, path.Base(imported))
				}
			}
			imports[strings.TrimPrefix(name, "portico/")] = all
		}
	}
	for parent, heading := range floors {
		rooms := readFloors(string(document), heading)
		if len(rooms) < 10 {
			t.Fatalf("only %d packages stand below %q", len(rooms), heading)
		}
		for name := range rooms {
			if imports[parent+"/"+name] == nil {
				t.Errorf("%s/%s has a row in the table of floors and does not exist", parent, name)
			}
		}
		for name, all := range imports {
			if path.Dir(name) != parent {
				continue
			}
			for _, breach := range floorBreaches(path.Base(name), all, rooms) {
				t.Errorf("%s: %s", name, breach)
			}
		}
	}
}

func TestEachBreachOfTheFloorsIsReported(t *testing.T) {
	rooms := readFloors("## Other\n\n| top | `no` | x | |\n\n### Floors\n\n| floor | package | subject | siblings |\n"+
		"|---|---|---|---|\n| top | `office` | work, also `x` | `shop` |\n| top | `shop` | sales | |\n"+
		"| ground | `words` | texts | |\n\n### Next\n\n| top | `later` | x | |\n", "### Floors")
	if len(rooms) != 3 {
		t.Fatalf("%d rooms: %v", len(rooms), rooms)
	}
	for name, c := range map[string]struct {
		room    string
		imports []string
		want    int
	}{
		"a lower floor":           {"shop", []string{"words", "elsewhere"}, 0},
		"a sibling of the row":    {"office", []string{"shop", "words"}, 0},
		"a sibling not in a row":  {"shop", []string{"office"}, 1},
		"a sibling not imported":  {"office", []string{"words"}, 1},
		"a higher floor":          {"words", []string{"shop"}, 1},
		"a package without a row": {"later", nil, 1},
	} {
		if found := floorBreaches(c.room, c.imports, rooms); len(found) != c.want {
			t.Errorf("%s: %q", name, found)
		}
	}
}
