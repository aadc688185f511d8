// Package regions has the provinces, cities and districts of China.
package regions

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Region is a province, a city or a district of China with all below it. Code is the six digits of GB/T 2260
// ("110101"), Name its name in Chinese, Children in the order of their codes: empty, never nil, for a district.
type Region struct {
	Code     string   `json:"code_"`
	Name     string   `json:"name_"`
	Children []Region `json:"children_"`
}

// RegionEntry is a region in a list of one level. Leaf says that there is nothing below it to choose.
type RegionEntry struct {
	Code string `json:"code_"`
	Name string `json:"name_"`
	Leaf bool   `json:"leaf_"`
}

// RegionTree is every current region: 34 provinces with their cities and districts. It is shared: callers must not
// change it.
func RegionTree() []Region { return regions().provinces }

// RegionTreeJSON is RegionTree as JSON in UTF-8, made once, some 200 KB. It is shared: callers must not change it.
func RegionTreeJSON() []byte { return regionTreeJSON() }

// RegionsUnder lists the provinces ("" for parent), a province's cities or a city's districts, by code. ok is false
// for a code that is unknown, retired or a district's.
func RegionsUnder(parent string) (entries []RegionEntry, ok bool) {
	children := regions().provinces
	if parent != "" {
		path := currentRegions(parent)
		if path == nil {
			return nil, false
		}
		children = path[len(path)-1].Children
	}
	for _, r := range children {
		entries = append(entries, RegionEntry{Code: r.Code, Name: r.Name, Leaf: len(r.Children) == 0})
	}
	return entries, len(entries) > 0
}

// RegionName is the name of a region, current or retired: 江北区 for 500105, which an application filed before
// November 2025 may hold.
func RegionName(code string) (name string, ok bool) {
	path, ok := RegionPath(code)
	if !ok {
		return "", false
	}
	return path[len(path)-1], true
}

// RegionPath is the names from the province down to the region: one to three. It answers for retired codes too.
func RegionPath(code string) (names []string, ok bool) {
	if name, retired := regions().retired[code]; retired {
		names, _ = RegionPath(regionParent(code))
		return append(names, name), true
	}
	for _, r := range currentRegions(code) {
		names = append(names, r.Name)
	}
	return names, len(names) > 0
}

// ValidRegion says whether the codes are current, belong together and go down as far as one can choose: district is
// "" only where the city has none. Today every city has some.
func ValidRegion(province, city, district string) bool {
	chosen := []string{province, city}
	if district != "" {
		chosen = append(chosen, district)
	}
	path := currentRegions(chosen[len(chosen)-1])
	return slices.EqualFunc(path, chosen, func(r *Region, code string) bool { return r.Code == code }) &&
		len(path[len(path)-1].Children) == 0
}

// currentRegions is the path from the province down to a current region; nil for any other code.
func currentRegions(code string) []*Region {
	if len(code) != 6 {
		return nil
	}
	var path []*Region
	level := regions().provinces
	for _, step := range []string{code[:2] + "0000", code[:4] + "00", code}[:regionDepth(code)+1] {
		i, found := slices.BinarySearchFunc(
			level, step, func(r Region, code string) int { return strings.Compare(r.Code, code) },
		)
		if !found {
			return nil
		}
		path = append(path, &level[i])
		level = level[i].Children
	}
	return path
}

// regionLines is what regions.mjs makes of @vant/area-data and regions-overrides.json: "110101 东城区", one line a
// region, by code, so that parents precede their children; "-500105 江北区" is a code no longer given out.
//
// Every path has three steps, which people know from other forms. 北京市 is a province and its only city. Counties
// directly under a province stand below a city the source calls 省直辖县, in Chongqing 县. Cities without
// districts (东莞市, 中山市, 儋州市, 嘉峪关市) have towns and streets, as addresses there do, as their third
// level. Those, Taiwan's districts and some development zones have codes of the source's own.
//
//go:embed regions.txt
var regionLines string

type regionSet struct {
	provinces []Region
	retired   map[string]string // name by code
}

var regions = sync.OnceValue(func() regionSet {
	set := regionSet{retired: map[string]string{}}
	for line := range strings.Lines(regionLines) {
		code, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if old, ok := strings.CutPrefix(code, "-"); ok {
			set.retired[old] = name
			continue
		}
		siblings := &set.provinces
		for range regionDepth(code) {
			siblings = &(*siblings)[len(*siblings)-1].Children
		}
		*siblings = append(*siblings, Region{Code: code, Name: name, Children: []Region{}})
	}
	return set
})

var regionTreeJSON = sync.OnceValue(func() []byte {
	b, err := json.Marshal(regions().provinces)
	if err != nil {
		panic(err) // strings and slices always marshal
	}
	return b
})

// regionDepth is 0 for a province's code, 1 for a city's, 2 for a district's.
func regionDepth(code string) int {
	switch {
	case strings.HasSuffix(code, "0000"):
		return 0
	case strings.HasSuffix(code, "00"):
		return 1
	}
	return 2
}

// regionParent is the code one level up: "" above a province.
func regionParent(code string) string {
	return []string{"", code[:2] + "0000", code[:4] + "00"}[regionDepth(code)]
}
