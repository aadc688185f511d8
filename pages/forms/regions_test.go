package forms

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/pages/web"
	"portico/portal/regions"
)

func getRegions(query, known string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, "/regions.json"+query, nil)
	r.Header.Set("If-None-Match", known)
	w := httptest.NewRecorder()
	p := New(nil, nil, web.New(web.Platform{}, nil, nil, nil, nil))
	p.web.Serve(p.ShowRegions)(w, r)
	return w.Result()
}

func regionsIn(t *testing.T, answer *http.Response) (list []regionEntry) {
	t.Helper()
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestProvinceAnswerContainsItsCitiesAndDistricts(t *testing.T) {
	answer := getRegions("?parent=440000", "")
	if got := answer.Header.Get("Cache-Control"); got != "private, max-age=86400" {
		t.Errorf("Cache-Control: %s", got)
	}
	cities := regionsIn(t, answer)
	if len(cities) < 21 || cities[0].Code != "440100" || len(cities[0].Children) < 11 {
		t.Fatalf("%+v", cities)
	}
	for _, city := range cities {
		for _, district := range city.Children {
			if !regions.ValidRegion("440000", city.Code, district.Code) {
				t.Errorf("%s %s", city.Code, district.Code)
			}
		}
	}
}

func TestProvinceListHasNoCitiesAndCityAnswerHasDistricts(t *testing.T) {
	provinces := regionsIn(t, getRegions("", ""))
	if len(provinces) != 34 || provinces[0].Children != nil {
		t.Errorf("%d provinces, %+v", len(provinces), provinces[0])
	}
	if districts := regionsIn(t, getRegions("?parent=440100", "")); len(districts) < 11 {
		t.Errorf("%+v", districts)
	}
}

func TestKnownRegionListIsNotSentAgain(t *testing.T) {
	tag := getRegions("?parent=110000", "").Header.Get("Etag")
	answer := getRegions("?parent=110000", tag)
	if body, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusNotModified || len(body) != 0 {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
}

func TestRegionWithoutPartsIsNotFound(t *testing.T) {
	for _, code := range []string{"440103", "999999", "500105", "44", "%27", "440000/", strings.Repeat("4", 1000)} {
		answer := getRegions("?parent="+code, "")
		var refusal struct{ Message string }
		if err := json.NewDecoder(answer.Body).Decode(&refusal); err != nil ||
			answer.StatusCode != http.StatusNotFound ||
			refusal.Message == "" {
			t.Errorf("%s: %d %v %q", code, answer.StatusCode, err, refusal.Message)
		}
		if got := answer.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: %s", code, got)
		}
	}
}

func TestRegionFieldDropsCodesOfDifferentRegions(t *testing.T) {
	for _, c := range []struct{ given, want [3]string }{
		{[3]string{}, [3]string{}},
		{[3]string{"440000", "440300", "440305"}, [3]string{"440000", "440300", "440305"}},
		{[3]string{"440000", "440300", "440106"}, [3]string{"440000", "440300", ""}},
		{[3]string{"440000", "110100", "110101"}, [3]string{"440000", "", ""}},
		{[3]string{"", "440300", "440305"}, [3]string{}},
		{[3]string{"440300", "440300", "440305"}, [3]string{}},
		{[3]string{"110000", "", ""}, [3]string{"110000", "110100", ""}},
		{[3]string{"110000", "440300", "110101"}, [3]string{"110000", "110100", "110101"}},
	} {
		f := RegionField(c.given[0], c.given[1], c.given[2])
		if got := [3]string{f.Province, f.City, f.District}; got != c.want {
			t.Errorf("%v: %v, want %v", c.given, got, c.want)
		}
		if len(f.Provinces) != 34 || (f.Province == "") != (len(f.Cities) == 0) ||
			(f.City == "") != (len(f.Districts) == 0) {
			t.Errorf("%v: %d provinces, %d cities, %d districts", c.given, len(f.Provinces), len(f.Cities),
				len(f.Districts))
		}
	}
}
