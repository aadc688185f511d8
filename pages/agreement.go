package pages

import (
	"net/http"

	"portico/locale"
	"portico/portal"
)

func (p *Pages) showAgreement(w http.ResponseWriter, r *http.Request) error {
	shell := p.shell(r, "", true)
	shell.Wide, shell.Index = true, true
	p.countHere(r, &shell, portal.CountedAgreement)
	return p.render(w, r, http.StatusOK, shell, agreementPage(locale.Of(r.Context()).Agreement()))
}
