package companytest

import (
	"portico/portal/branding"
	"portico/portal/portaltest"
	"portico/store"
)

// Look returns the input that sets every part of the look of company 1002.
func Look(name string) branding.AppearanceInput {
	return branding.AppearanceInput{
		Name: name, Theme: "1c7ed6", Language: "es", ShopSkin: "d9480f", Style: ".button { color: #fff }",
	}
}

// PublishLook publishes a look of company 1002 and returns the company. It fails the test if that is refused.
func PublishLook(p *portaltest.Platform, in branding.AppearanceInput) store.Company {
	p.T.Helper()
	portaltest.NoError(p.T, p.Branding.SetAppearance(p.T.Context(), p.Office("sur"), in))
	return p.Company(1002)
}

// UndoMark returns the mark that undoes the present look of company 1002. It fails the test if there is nothing to
// undo.
func UndoMark(p *portaltest.Platform) string {
	p.T.Helper()
	kept, ok, err := p.Branding.LookBefore(p.T.Context(), p.Office("sur"))
	if err != nil || !ok {
		p.T.Fatalf("nothing to undo: %v", err)
	}
	return kept.Mark
}
