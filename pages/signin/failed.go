package signin

import (
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
)

// ShowJumpError shows the page of a failed redirect. Its text is fixed: nothing from the address is shown, so that a
// link cannot put words on the page.
func (p *ChatPages) ShowJumpError(w http.ResponseWriter, r *http.Request) error {
	ctx, query := r.Context(), r.URL.Query()
	state := components.State{
		Scene:   components.SceneBroken,
		Heading: locale.T(ctx, "jump.heading"),
		Body:    locale.T(ctx, "jump.body"),
		Action:  locale.T(ctx, "jump.action"),
		Href:    p.web.OtherSignIn(r),
	}
	shell := p.web.Shell(r, "", true)
	if reason := access.Refusal(query.Get("reason")); reason == access.WeChatExpired || reason == access.WeChatFailed {
		by := access.ProviderName(query.Get("by"))
		state, shell.Query = p.chatJumpError(w, r, reason, by), "reason="+string(reason)
		if by == access.WeChat || by == access.WeCom {
			shell.Query += "&by=" + string(by)
		}
	}
	shell.State = true
	shell.Brief = true
	state.Owner = web.HostOwner(r)
	p.web.AddAppActions(w, r, &state)
	state.Href = web.InEdition(ctx, state.Href)
	if web.AsksLighting(ctx) {
		shell.Query = strings.TrimPrefix(shell.Query+"&edition="+web.LightingEdition, "&")
	}
	return p.web.Render(w, r, http.StatusOK, shell, components.StatePage(state))
}
