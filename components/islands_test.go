package components

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a-h/templ"
)

// The tests of the islands hydrate over the markup in islands/testdata, so it must be what the server prints.
// PORTICO_WRITE_DOCS=1 writes it.
func TestIslandTestMarkupMatchesTheServer(t *testing.T) {
	phone := Field{
		Kind: KindPhone, ID: "phone", Label: "Phone", Complete: "tel", Max: 20,
		Pattern: `1[3-9]\d ?\d{4} ?\d{4}`,
	}
	refusedPhone := phone
	refusedPhone.Value, refusedPhone.Message = "138 0013", "11 digits."
	refusedPhone.Hint, refusedPhone.Optional = "Yours", true
	code := Field{Kind: KindCode, ID: "code", Label: "Code", Max: 40, Digits: 6, Last: true}
	refusedCode := code
	refusedCode.Value, refusedCode.Message, refusedCode.Hint = "123", "Wrong.", "Six digits"
	sending := CodeSending{URL: "/code", Purpose: "login", Send: []string{"phone"}}
	waiting := sending
	waiting.Seconds, waiting.Message, waiting.Action = 42, "A code is on its way.", "send_old_code"
	provinces := []Option{{"110000", "北京市"}, {"440000", "广东省"}}
	chosen := RegionField{
		Province: "440000", City: "440100", Provinces: provinces, Required: true, Message: "Choose a district.",
		Cities:    []Option{{"440100", "广州市"}, {"440300", "深圳市"}},
		Districts: []Option{{"440103", "荔湾区"}, {"440106", "天河区"}},
	}
	upload := UploadField{ID: "licence", Label: "Licence", Token: "t", URL: "/upload", Max: 5 << 20}
	attached := UploadField{
		ID: "licence", Label: "Licence", Hint: "A photo", Message: "No picture.", Required: true,
		Key: "k1", Preview: "data:image/gif;base64,R0lGODlhAQABAAAAACw=", Token: "t", URL: "/upload", Max: 5 << 20,
	}
	for name, markup := range map[string]templ.Component{
		"phone-input": PhoneField(phone), "phone-input-refused": PhoneField(refusedPhone),
		"code": CodeField(code, sending), "code-waiting": CodeField(code, waiting),
		"code-refused": CodeField(refusedCode, sending),
		"region":       Region(RegionField{Provinces: provinces}), "region-chosen": Region(chosen),
		"upload": Upload(upload), "upload-attached": Upload(attached),
	} {
		path, want := filepath.Join("../islands/testdata", name+".html"), "<form>"+render(t, "en", markup)+"</form>\n"
		if os.Getenv("PORTICO_WRITE_DOCS") != "" {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is stale: run PORTICO_WRITE_DOCS=1 go test ./components -run IslandTestMarkup", path)
		}
	}
}
