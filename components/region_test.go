package components

import (
	"context"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"portico/locale"
)

func render(t *testing.T, lang locale.Lang, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(locale.With(context.Background(), lang), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// propsOf are the props of the one island in a piece of a page.
func propsOf(t *testing.T, page string) map[string]any {
	t.Helper()
	found := regexp.MustCompile(`data-props="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(found) != 1 {
		t.Fatalf("%d islands, want 1", len(found))
	}
	var props map[string]any
	if err := json.Unmarshal([]byte(html.UnescapeString(found[0][1])), &props); err != nil {
		t.Fatal(err)
	}
	return props
}

func wantContains(t *testing.T, page string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(page, w) {
			t.Errorf("%s is not in %s", w, page)
		}
	}
}

func wantNotContains(t *testing.T, page string, unwanted ...string) {
	t.Helper()
	for _, u := range unwanted {
		if strings.Contains(page, u) {
			t.Errorf("%s is in %s", u, page)
		}
	}
}

func TestRegionFieldWorksWithoutScripts(t *testing.T) {
	f := RegionField{
		Province: "440000", Required: true, Message: "请选择地区",
		Provinces: []Option{{"110000", "北京市"}, {"440000", "广东省"}}, Cities: []Option{{"440100", "广州市"}},
	}
	page := render(t, "zh", Region(f))
	wantContains(t, page, `name="province"`, `name="city"`, `name="district"`,
		`<option value="440000" selected>广东省</option>`,
		`<option value="440100">广州市</option>`,
		`name="action" value="region" formnovalidate`, `id="region-msg"`, `aria-describedby="region-msg"`,
		`autocomplete="address-level2" required aria-invalid="true"`)
	wantNotContains(t, page, `autocomplete="address-level1" required aria-invalid`)
	if texts := propsOf(t, page)["texts"].(map[string]any); len(texts["steps"].([]any)) != 3 {
		t.Errorf("steps: %v", texts["steps"])
	}
	spanish := render(t, "es", Region(RegionField{}))
	wantNotContains(t, spanish, "required", "aria-invalid", "-msg")
	wantContains(t, spanish, `name="city" lang="zh"`, `<option value="" lang="es">`) // names are Chinese, and read so
}

func TestUploadFieldIsAFileControl(t *testing.T) {
	f := UploadField{ID: "licence", Label: "营业执照", Hint: "一张图片", Required: true, URL: "/upload", Max: 5 << 20}
	page := render(t, "zh", Upload(f))
	wantContains(t, page, `name="licence" type="file" accept="image/jpeg,image/png,image/webp" required `+
		`aria-describedby="licence-hint"`, `name="licence_key" value=""`)
	wantNotContains(t, page, "data-island", "<template", "licence_remove", "<img")
}

func TestUploadFieldOffersToRemoveAPicture(t *testing.T) {
	f := UploadField{ID: "licence", Label: "Licence", Required: true, Key: `k"1`, Preview: "/files/1", Message: "No."}
	page := render(t, "en", Upload(f))
	wantContains(t, page, `<img src="/files/1" alt="Image added"`, `name="licence_remove" value="1"`,
		`name="licence_key" value="k&#34;1"`, `aria-invalid="true" aria-describedby="licence-msg"`)
	wantNotContains(t, page, "required")
}

func TestUploadFieldWithTokenIsAnIsland(t *testing.T) {
	for _, lang := range locale.Langs {
		props := propsOf(t, render(t, lang, Upload(UploadField{ID: "licence", Token: "t", URL: "/upload",
			Max: 5 << 20})))
		if props["token"] != "t" || props["url"] != "/upload" || props["max"] != float64(5<<20) {
			t.Errorf("%v", props)
		}
		texts := props["texts"].(map[string]any)
		wantContains(t, texts["tooLarge"].(string), "5 MB")
		wantContains(t, texts["progress"].(string), "{num}")
	}
}

func TestRefreshedPartHasALinkForBrowsersWithoutScripts(t *testing.T) {
	var b strings.Builder
	ctx := templ.WithChildren(locale.With(context.Background(), "en"), templ.Raw("<p>list</p>"))
	if err := PullRefresh("/register/result?id=7").Render(ctx, &b); err != nil {
		t.Fatal(err)
	}
	wantContains(t, b.String(), `href="/register/result?id=7"`, `<div class="pulled"><p>list</p></div>`)
	if props := propsOf(t, b.String()); len(props) != 5 {
		t.Errorf("%v", props)
	}
}
