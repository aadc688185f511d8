package development

import (
	"net/http"
	"strings"

	"portico/assets"
	"portico/components"
)

// darkRules is the condition of the rules of the dark scheme in a style sheet.
const darkRules = "(prefers-color-scheme:dark)"

// showPieces answers GET /dev/pieces: every piece of the pages, in every state. ?scheme=light or dark shows a scheme
// whatever the system's is, and ?theme= a company's colour.
func (p *Pages) showPieces(w http.ResponseWriter, r *http.Request) error {
	shell := p.web.Shell(r, "Pieces", true)
	shell.Wide, shell.Account = true, &components.AccountMenu{Who: "陈静", Accounts: r.URL.Path, Security: r.URL.Path}
	shell.Theme = r.URL.Query().Get("theme")
	shell.Style = components.Style{Inline: assets.EveryStyle() + components.ThemeStyle(shell.Theme)}
	switch r.URL.Query().Get("scheme") {
	case "light":
		shell.Style.Inline = strings.ReplaceAll(shell.Style.Inline, darkRules, "not all")
	case "dark":
		shell.Style.Inline = strings.ReplaceAll(shell.Style.Inline, darkRules, "all")
	}
	return p.web.Render(w, r, http.StatusOK, shell, piecesPage())
}

// pieceFields are the fields of the page, each as it is at first, filled in, and refused.
func pieceFields() []components.Field {
	hint, wrong := "A hint says what is expected.", "A message says what is wrong, and what to do."
	aside := components.Link{Label: "Forgot password?", Href: "#"}
	return []components.Field{
		{ID: "empty", Label: "Text", Hint: hint},
		{ID: "filled", Label: "Filled in", Value: "River Lane Bistro"},
		{ID: "wrong", Label: "Refused", Value: "River", Message: wrong},
		{Kind: components.KindPhone, ID: "phone", Label: "Phone", Value: "138 0000 0001", Max: 20},
		{Kind: components.KindPassword, ID: "password", Label: "Password", Max: 20, Aside: aside},
		{Kind: components.KindCode, ID: "code", Label: "Code", Max: 40, Digits: 6},
		{Kind: components.KindLines, ID: "lines", Label: "Lines", Optional: true, Max: 100},
		{Kind: components.KindIndustry, ID: "industry", Label: "Trade", Value: "118"},
	}
}
