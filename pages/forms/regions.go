package forms

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"portico/assets"
	"portico/components"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/regions"
)

// regionEntry is a region for the picker's script; a province's cities come with their districts.
type regionEntry struct {
	Code     string        `json:"code"`
	Name     string        `json:"name"`
	Children []regionEntry `json:"children,omitempty"`
}

// regionAnswer is one list, compressed once: it changes with a release only.
type regionAnswer struct {
	packed *assets.Compressible
	etag   string
}

// RegionLists caches the lists that were requested. It is bounded, because there is at most one list for each code.
type RegionLists struct{ answers sync.Map }

// ShowRegions answers the list below ?parent=: the provinces, a province's cities with their districts, or a city's
// districts. 404 for a code with nothing below it.
func (p *Pages) ShowRegions(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("X-Robots-Tag", "noindex")
	answer, err := p.regionLists.below(r.URL.Query().Get("parent"))
	if errors.Is(err, access.NotFound) {
		message := web.RefusalText(r, &access.Refused{Refusal: access.NotFound})
		return web.WriteJSON(w, http.StatusNotFound, map[string]string{"message": message})
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, max-age=86400")
	h.Set("Etag", answer.etag)
	h.Set("Vary", "Accept-Encoding")
	h.Del("X-Request-Id") // a list is the same for everyone; its address names it in the log
	if strings.Contains(r.Header.Get("If-None-Match"), answer.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	body, encoding := answer.packed.Best(r.Header.Get("Accept-Encoding"))
	h.Set("Content-Type", answer.packed.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the reader may have gone
	}
	return nil
}

// below returns the list below a code, and makes it when it is asked for the first time. It refuses with NotFound a
// code without one.
func (l *RegionLists) below(parent string) (*regionAnswer, error) {
	if answer, ok := l.answers.Load(parent); ok {
		return answer.(*regionAnswer), nil
	}
	list, ok := regions.RegionsUnder(parent)
	if !ok {
		return nil, access.NotFound
	}
	entries := regionEntries(list)
	for i := range entries {
		if parent != "" && !list[i].Leaf {
			below, _ := regions.RegionsUnder(list[i].Code)
			entries[i].Children = regionEntries(below)
		}
	}
	body, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	etag := `W/"` + strings.Trim(assets.CSPHash(string(body)), "'")[7:29] + `"`
	packed := assets.NewCompressible(body, "application/json; charset=utf-8")
	answer, _ := l.answers.LoadOrStore(parent, &regionAnswer{packed, etag})
	return answer.(*regionAnswer), nil
}

// regionEntries converts regions to the entries of the JSON answer.
func regionEntries(list []regions.RegionEntry) []regionEntry {
	entries := make([]regionEntry, len(list))
	for i, r := range list {
		entries[i] = regionEntry{Code: r.Code, Name: r.Name}
	}
	return entries
}

// RegionField returns the region field with the lists for its codes. It drops the first code that does not belong to
// the one before it, and all codes after it. A list with a single option is chosen already.
func RegionField(province, city, district string) components.RegionField {
	var f components.RegionField
	f.Provinces, f.Province = regionOptions("", province)
	if f.Province != "" {
		f.Cities, f.City = regionOptions(f.Province, city)
	}
	if f.City != "" {
		f.Districts, f.District = regionOptions(f.City, district)
	}
	return f
}

// regionOptions returns the regions below parent, and the code of the chosen one.
func regionOptions(parent, code string) (options []components.Option, chosen string) {
	list, _ := regions.RegionsUnder(parent)
	for _, r := range list {
		options = append(options, components.Option{Code: r.Code, Name: r.Name})
		if r.Code == code || len(list) == 1 {
			chosen = r.Code
		}
	}
	return options, chosen
}
