package branding

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/portal/access"
	"portico/portal/branding"
)

// domainsView lists a company's own domains, with a field that adds another one.
type domainsView struct {
	Domains []domainLine
	Add     components.Field
	Full    bool // the company has reached the limit
	InUse   bool // one of the domains is the address of the desktop back office
}

// domainLine is one domain. ID is the id of its HTML element.
type domainLine struct {
	branding.Domain
	ID      string
	Message string // why the domain was refused, "" when it was not
}

// day returns a date in the reader's language.
func day(ctx context.Context, at time.Time) string { return components.Day(locale.Of(ctx), at) }

// domainAction is the button that was pressed on the page of the look, and its domain.
type domainAction struct{ Action, Host string }

// domainActionOf reads which button was pressed, like "domain_check shop.example.com". The enter key sends no button:
// it adds the domain that was typed, or publishes the look.
func domainActionOf(r *http.Request) domainAction {
	action, host, named := strings.Cut(r.PostForm.Get("action"), " ")
	if !named {
		host = r.PostForm.Get("domain")
	}
	switch {
	case action == "" && strings.TrimSpace(host) != "" && r.PostForm.Has("name"):
		action = "domain_add"
	case action == "":
		action = "save"
	}
	if !strings.HasPrefix(action, "domain_") {
		host = ""
	}
	return domainAction{action, host}
}

// applyDomainAction adds, checks, uses or removes a domain.
func (l *Pages) applyDomainAction(ctx context.Context, here access.Landing, pressed domainAction) error {
	switch pressed.Action {
	case "domain_add":
		return l.portal.Branding.ClaimDomain(ctx, here, pressed.Host)
	case "domain_check":
		return l.portal.Branding.ProveDomain(ctx, here, pressed.Host)
	case "domain_remove":
		return l.portal.Branding.RemoveDomain(ctx, here, pressed.Host)
	case "domain_desktop":
		return l.portal.Branding.UseDomain(ctx, here, pressed.Host)
	case "domain_unuse":
		return l.portal.Branding.UseDomain(ctx, here, "")
	}
	return access.BadRequest
}

// domainsView returns the list, with the domain that was typed.
func (l *Pages) domainsView(r *http.Request, domains []branding.Domain) domainsView {
	ctx := r.Context()
	v := domainsView{Full: len(domains) >= branding.MaxDomains, Add: components.Field{
		ID:       "domain",
		Label:    locale.T(ctx, "domain.host"),
		Hint:     locale.T(ctx, "domain.host_means"),
		Complete: "off",
		Max:      access.MaxHost,
		Last:     true,
		Optional: true,
	}}
	if v.Add.Value = r.PostForm.Get("domain"); !r.PostForm.Has("domain") {
		v.Add.Value = r.URL.Query().Get("domain")
	}
	for i, d := range domains {
		v.Domains = append(v.Domains, domainLine{Domain: d, ID: "domain-" + strconv.Itoa(i+1)})
		v.InUse = v.InUse || d.Desktop
	}
	return v
}

// addRefusal shows a refusal at the field or at the line of its domain.
func (v *domainsView) addRefusal(
	p *Pages, r *http.Request, form *forms.SettingForm, pressed domainAction, refused *access.Refused,
) {
	if refused == nil || refused.Fields["domain"] == "" {
		return
	}
	message := p.forms.ProblemText(r, refused.Fields["domain"])
	mistake := components.Mistake{Field: "domain", Message: message}
	for i := range v.Domains {
		if d := &v.Domains[i]; pressed.Action != "domain_add" && d.Host == pressed.Host {
			d.Message, mistake.Field = message, d.ID
		}
	}
	if mistake.Field == "domain" {
		v.Add.Message = message
		if v.Full {
			mistake.Field = ""
		}
	}
	form.Mistakes = append(form.Mistakes, mistake)
}
