package pages

import (
	"net/http"
	"net/url"

	"portico/components"
	"portico/locale"
	"portico/portal"
)

// accountsView is the choice among the logins of the chosen company, or of all companies.
type accountsView struct {
	Groups    []accountGroup
	Token     string
	Others    bool // there are other companies to choose from
	Elsewhere bool // another person may sign in from here
}

type accountGroup struct {
	Name     string
	Accounts []accountCard
}

type accountCard struct {
	companyCard
	Forget string // the label of its remove button
}

type accountsInput struct {
	AccountID int64  `form:"account_id"`
	Action    string `form:"action"`
}

func (p *Pages) showAccounts(w http.ResponseWriter, r *http.Request) error {
	s, err := p.signedIn(r)
	if err != nil {
		return err
	}
	list, err := p.portal.Accounts(r.Context(), s)
	if err != nil {
		return err
	}
	view := accountsView{Token: p.portal.FormToken(p.sessionToken(r)), Others: len(list) > 1, Elsewhere: true}
	for _, c := range portal.ChosenOnly(list, s, r.URL.Query().Has("all")) {
		group := accountGroup{Name: c.Company.Name}
		for _, a := range append(append([]portal.AccountView{}, c.Mgr...), c.Shop...) {
			group.Accounts = append(group.Accounts, p.accountCard(r, a))
		}
		view.Groups = append(view.Groups, group)
	}
	shell := p.shell(r, "", true)
	shell.Wide, shell.SignOut, shell.Mirror = true, &components.SignOut{Token: view.Token}, mirrorAccounts(r, list)
	if r.URL.Query().Get("done") == "forgotten" {
		shell.Toast = locale.T(r.Context(), "accounts.forgotten")
	}
	return p.render(w, r, http.StatusOK, shell, accountsPage(view))
}

func (p *Pages) submitAccounts(w http.ResponseWriter, r *http.Request) error {
	s, err := p.signedIn(r)
	if err != nil {
		return err
	}
	var in accountsInput
	decode(r, &in)
	if in.Action == "remove" {
		if err := p.portal.HideAccount(r.Context(), s, in.AccountID); err != nil {
			return err
		}
		return seeOther(w, "/accounts?"+url.Values{"done": {"forgotten"}}.Encode())
	}
	return p.enter(w, r, s, in.AccountID)
}

func (p *Pages) accountCard(r *http.Request, a portal.AccountView) accountCard {
	ctx := r.Context()
	name := a.Name
	if name == "" {
		name = a.Login
	}
	card := accountCard{companyCard: companyCard{ID: a.ID, Name: name}}
	card.Lines = []string{locale.T(ctx, "side."+string(a.Side)), locale.T(ctx, "type."+typeName(a.Type)), a.Login}
	if a.ClientName != "" {
		card.Lines = append(card.Lines, a.ClientName)
	}
	if a.Blocked != "" {
		card.block(r, a.Blocked, a.Contacts)
	}
	card.Forget = locale.T(ctx, "accounts.forget", "who", a.Login)
	return card
}

func typeName(kind int) string { return string(rune('0' + kind)) }
