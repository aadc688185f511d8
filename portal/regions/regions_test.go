package regions_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portico/portal/portaltest"
	"portico/portal/regions"
)

func TestTheRegionsFileMatchesItsGenerator(t *testing.T) {
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat("../../node_modules/@vant/area-data")
	}
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("regions.mjs cannot run: %v", err)
	}
	portaltest.NoError(t, err)
	written := filepath.Join(t.TempDir(), "regions.txt")
	if out, err := exec.Command(node, "regions.mjs", written).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(written)
	portaltest.NoError(t, err)
	got, err := os.ReadFile("regions.txt")
	portaltest.NoError(t, err)
	if !bytes.Equal(got, want) {
		t.Error("regions.txt is stale: npm run regions")
	}
}

// EachRegion calls visit with every region of the tree and the codes above it, the province's first.
func EachRegion(visit func(r regions.Region, above []string)) {
	var walk func(level []regions.Region, above []string)
	walk = func(level []regions.Region, above []string) {
		for _, r := range level {
			visit(r, above)
			walk(r.Children, append(slices.Clone(above), r.Code))
		}
	}
	walk(regions.RegionTree(), nil)
}

func TestTheRegionTreeHasThreeLevelsAndEveryCodeOnceUnderItsParent(t *testing.T) {
	var counts [3]int
	seen := map[string]bool{}
	EachRegion(func(r regions.Region, above []string) {
		if len(above) > 2 {
			t.Fatalf("%s lies too deep", r.Code)
		}
		counts[len(above)]++
		if seen[r.Code] {
			t.Errorf("%s is listed twice", r.Code)
		}
		seen[r.Code] = true
		if len(r.Code) != 6 || strings.Trim(r.Code, "0123456789") != "" {
			t.Errorf("%q is no code", r.Code)
		}
		want := []string{r.Code[:2] + "0000", r.Code[:4] + "00"}[:len(above)]
		if !slices.Equal(above, want) {
			t.Errorf("%s is under %v, want %v", r.Code, above, want)
		}
		if r.Children == nil || (len(r.Children) == 0) != (len(above) == 2) {
			t.Errorf("%s %s has %d regions below it (nil: %t)", r.Code, r.Name, len(r.Children), r.Children == nil)
		}
	})
	if counts != [3]int{34, 369, 3480} {
		t.Errorf("%v regions a level", counts)
	}
}

func TestEveryRegionHasAPrintableName(t *testing.T) {
	EachRegion(func(r regions.Region, _ []string) {
		if r.Name == "" || !norm.NFC.IsNormalString(r.Name) ||
			strings.ContainsFunc(r.Name, func(c rune) bool { return !unicode.Is(unicode.Han, c) }) {
			t.Errorf("%s is called %q", r.Code, r.Name)
		}
	})
}

func TestRegionsThatChangedSinceTheSourceAreCurrent(t *testing.T) {
	for code, want := range map[string]string{
		"500157": "重庆市 重庆市 两江新区",
		"653132": "新疆维吾尔自治区 喀什地区 岑岭县",
		"659013": "新疆维吾尔自治区 自治区直辖县级行政区划 草湖市",
	} {
		if path, _ := regions.RegionPath(code); strings.Join(path, " ") != want {
			t.Errorf("%s is %v, want %s", code, path, want)
		}
		if !regions.ValidRegion(code[:2]+"0000", code[:4]+"00", code) {
			t.Errorf("%s cannot be chosen", code)
		}
	}
}

func TestARetiredRegionIsReadableButCannotBeChosen(t *testing.T) {
	for code, want := range map[string]string{"500105": "江北区", "500112": "渝北区"} {
		if name, ok := regions.RegionName(code); !ok || name != want {
			t.Errorf("%s is called %q", code, name)
		}
		if path, ok := regions.RegionPath(code); !ok || !slices.Equal(path, []string{"重庆市", "重庆市", want}) {
			t.Errorf("%s is %v", code, path)
		}
		if regions.ValidRegion("500000", "500100", code) {
			t.Errorf("%s can be chosen", code)
		}
		if _, ok := regions.RegionsUnder(code); ok {
			t.Errorf("%s has regions below it", code)
		}
		EachRegion(func(r regions.Region, _ []string) {
			if r.Code == code {
				t.Errorf("%s is in the tree", code)
			}
		})
	}
}

func TestRegionPathNamesEveryLevelDownToTheRegion(t *testing.T) {
	for code, want := range map[string]string{
		"110000": "北京市",
		"110101": "北京市 北京市 东城区",
		"330100": "浙江省 杭州市",
		"419001": "河南省 省直辖县 济源市",
		"441904": "广东省 东莞市 长安镇",
		"500229": "重庆市 县 城口县",
		"620201": "甘肃省 嘉峪关市 市辖区",
		"820105": "澳门特别行政区 澳门半岛 大堂区",
	} {
		path, ok := regions.RegionPath(code)
		if !ok || strings.Join(path, " ") != want {
			t.Errorf("%s is %v, want %s", code, path, want)
		}
		if name, ok := regions.RegionName(code); !ok || name != path[len(path)-1] {
			t.Errorf("%s is called %q", code, name)
		}
	}
	for _, code := range []string{
		"", "0", "000000", "990000", "110199", "11010", "1101010", "-500105", "东城", "abcdef",
	} {
		if path, ok := regions.RegionPath(code); ok || path != nil {
			t.Errorf("%q is %v", code, path)
		}
		if name, ok := regions.RegionName(code); ok || name != "" {
			t.Errorf("%q is called %q", code, name)
		}
	}
}

func TestRegionsUnderListsOneLevelOfTheTree(t *testing.T) {
	check := func(parent string, want []regions.Region) {
		got, ok := regions.RegionsUnder(parent)
		if !ok || len(got) != len(want) {
			t.Fatalf("%d regions under %q, want %d", len(got), parent, len(want))
		}
		for i, r := range want {
			if got[i] != (regions.RegionEntry{Code: r.Code, Name: r.Name, Leaf: len(r.Children) == 0}) {
				t.Errorf("%+v under %q, want %s %s", got[i], parent, r.Code, r.Name)
			}
		}
	}
	check("", regions.RegionTree())
	EachRegion(func(r regions.Region, _ []string) {
		if len(r.Children) > 0 {
			check(r.Code, r.Children)
		} else if got, ok := regions.RegionsUnder(r.Code); ok {
			t.Errorf("%d regions under the district %s", len(got), r.Code)
		}
	})
	for _, parent := range []string{"000000", "990000", "119900", "110199", "11", "110000 ", "北京"} {
		if got, ok := regions.RegionsUnder(parent); ok || got != nil {
			t.Errorf("%d regions under %q", len(got), parent)
		}
	}
}

func TestValidRegionAcceptsEveryFullPathOfTheTree(t *testing.T) {
	EachRegion(func(r regions.Region, above []string) {
		switch len(above) {
		case 1:
			if regions.ValidRegion(above[0], r.Code, "") {
				t.Errorf("%s is enough, though it has districts", r.Code)
			}
		case 2:
			if !regions.ValidRegion(above[0], above[1], r.Code) {
				t.Errorf("%s is refused", r.Code)
			}
		}
	})
}

func TestValidRegionRefusesRegionsThatDoNotBelongTogether(t *testing.T) {
	for _, c := range [][3]string{
		{"", "", ""},
		{"110000", "", ""},
		{"110000", "", "110101"},
		{"", "110100", "110101"},
		{"110000", "110101", ""},
		{"110000", "110100", "110199"},
		{"110000", "110100", "120101"},
		{"110000", "120100", "120101"},
		{"120000", "110100", "110101"},
		{"110000", "110100", "110100"},
		{"110100", "110000", "110101"},
		{"110000", "110100", "110101 "},
		{"北京市", "北京市", "东城区"},
	} {
		if regions.ValidRegion(c[0], c[1], c[2]) {
			t.Errorf("%q is taken", c)
		}
	}
}

func TestTheRegionTreeAsJSONEqualsTheTree(t *testing.T) {
	raw := regions.RegionTreeJSON()
	if begin := `[{"code_":"110000","name_":"北京市","children_":[{"code_":"110100","name_":"北京市",` +
		`"children_":[{"code_":"110101","name_":"东城区","children_":[]},`; !bytes.HasPrefix(raw, []byte(begin)) {
		t.Errorf("it begins with %.200s", raw)
	}
	var back []regions.Region
	portaltest.NoError(t, json.Unmarshal(raw, &back))
	again, err := json.Marshal(back)
	portaltest.NoError(t, err)
	if !bytes.Equal(again, raw) || bytes.Contains(raw, []byte("null")) {
		t.Error("it does not come back as it was")
	}
	one, err := json.Marshal(regions.RegionEntry{Code: "110101", Name: "东城区", Leaf: true})
	portaltest.NoError(t, err)
	if string(one) != `{"code_":"110101","name_":"东城区","leaf_":true}` {
		t.Errorf("an entry is %s", one)
	}
}
