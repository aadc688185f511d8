package components

import (
	"context"
	"encoding/json"

	"portico/locale"
)

// Option is an entry of a select list: the code that is sent and the name that is shown.
type Option struct{ Code, Name string }

// RegionField is a choice of a province, a city in it and a district of that, by their codes ("" for not chosen). The
// controls are named province, city and district. An error belongs to the field RegionID.
type RegionField struct {
	Province, City, District string
	// Cities of the chosen province, Districts of the chosen city; none where none is chosen
	Provinces, Cities, Districts []Option
	Required                     bool
	Message                      string
}

// RegionID is the id of a region field.
const RegionID = "region"

// RegionLang is the language of the names of regions. They are not translated.
const RegionLang = string(locale.Chinese)

// RegionAction is the value of the field action that asks for the form again, with the lists for the chosen region.
const RegionAction = "region"

// regionLevel is one of the three select lists.
type regionLevel struct {
	Name, Label, Value, Complete string
	Options                      []Option
}

func (f RegionField) levels(ctx context.Context) []regionLevel {
	return []regionLevel{
		{"province", locale.T(ctx, "region.province"), f.Province, "address-level1", f.Provinces},
		{"city", locale.T(ctx, "region.city"), f.City, "address-level2", f.Cities},
		{"district", locale.T(ctx, "region.district"), f.District, "address-level3", f.Districts},
	}
}

func (f RegionField) props(ctx context.Context) string {
	levels := []map[string]string{}
	for _, l := range f.levels(ctx) {
		levels = append(levels, map[string]string{"name": l.Name, "label": l.Label, "complete": l.Complete})
	}
	optional := ""
	if !f.Required {
		optional = locale.T(ctx, "field.optional")
	}
	props, _ := json.Marshal(map[string]any{
		"id": RegionID, "url": "/regions.json", "isRequired": f.Required, "message": f.Message, "lang": locale.Of(ctx),
		"levels": levels,
		"texts": map[string]any{
			"legend": locale.T(ctx, "region.legend"), "optional": optional, "choose": locale.T(ctx, "region.choose"),
			"none": locale.T(ctx, "region.none"),
			"open": locale.T(ctx, "region.open"), "show": locale.T(ctx, "region.show"),
			"loading": locale.T(ctx, "region.loading"), "failed": locale.T(ctx, "region.failed"),
			"back": locale.T(ctx, "region.back"), "close": locale.T(ctx, "region.close"),
			"steps": []string{
				locale.T(ctx, "region.step_province"), locale.T(ctx, "region.step_city"),
				locale.T(ctx, "region.step_district"),
			},
		},
	})
	return string(props)
}
