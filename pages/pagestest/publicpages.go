package pagestest

import (
	"encoding/json"
	"html"
	"regexp"
	"testing"
)

// Head is what machines are told of a page.
type Head struct {
	Canonical  string
	Alternates map[string]string
	Graph      map[string][]string
	Data       map[string]any
}

var HeadTag = regexp.MustCompile(`<(?:link rel="(canonical|alternate)"(?: hreflang="([^"]+)")? href="([^"]+)"|meta property="og:([^"]+)" content="([^"]*)")`)

func HeadOf(t testing.TB, page string) Head {
	t.Helper()
	h := Head{Alternates: map[string]string{}, Graph: map[string][]string{}}
	for _, m := range HeadTag.FindAllStringSubmatch(page, -1) {
		switch {
		case m[1] == "canonical":
			h.Canonical = html.UnescapeString(m[3])
		case m[1] == "alternate":
			h.Alternates[m[2]] = html.UnescapeString(m[3])
		default:
			h.Graph[m[4]] = append(h.Graph[m[4]], html.UnescapeString(m[5]))
		}
	}
	if data := Found(t, page, `<script type="application/ld\+json">([^<]*)</script>`); json.Unmarshal([]byte(data), &h.Data) != nil {
		t.Errorf("the data is no JSON: %s", data)
	}
	return h
}
