package pages

import (
	"net/http"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/portal"
)

// domainsView lists a company's own domains, with a form for one more.
type domainsView struct {
	Domains []domainLine
	Add     components.Field
	Full    bool
	InUse   bool // one of them is the desktop back office's address
}

type domainLine struct {
	portal.Domain
	ID      string
	Message string // why its proof was not accepted
}

// domainTried is what somebody just tried with a domain.
type domainTried struct{ Action, Host string }

// submitDomain adds, checks, uses or removes a domain.
func (l landing) submitDomain(w http.ResponseWriter, r *http.Request, here portal.Landing, action string) error {
	ctx, tried := r.Context(), domainTried{action, r.PostForm.Get("domain")}
	var err error
	switch action {
	case "domain_add":
		err = l.portal.ClaimDomain(ctx, here, tried.Host)
	case "domain_check":
		err = l.portal.ProveDomain(ctx, here, tried.Host)
	case "domain_remove":
		err = l.portal.RemoveDomain(ctx, here, tried.Host)
	case "domain_desktop":
		err = l.portal.UseDomain(ctx, here, tried.Host)
	default:
		return portal.BadRequest
	}
	refused, err := refusedOf(err)
	if err != nil {
		return err
	}
	if refused != nil {
		in, err := l.portal.AppearanceOf(here)
		if err != nil {
			return err
		}
		return l.renderAppearance(w, r, here, in, tried, refused)
	}
	return seeOther(w, r.URL.Path+"?done="+action+"#domains")
}

func (l landing) domainsView(r *http.Request, domains []portal.Domain, tried domainTried) domainsView {
	ctx := r.Context()
	v := domainsView{Full: len(domains) >= portal.MaxDomains, Add: components.Field{
		ID: "domain", Label: locale.T(ctx, "domain.host"), Hint: locale.T(ctx, "domain.host_means"), Complete: "off", Max: portal.MaxHost, Last: true,
	}}
	if tried.Action == "domain_add" {
		v.Add.Value = tried.Host
	}
	for i, d := range domains {
		v.Domains = append(v.Domains, domainLine{Domain: d, ID: "domain-" + strconv.Itoa(i+1)})
		v.InUse = v.InUse || d.Desktop
	}
	return v
}

// refuse tells what was refused of a domain, at the field or at the domain's own line.
func (v *domainsView) refuse(p *Pages, r *http.Request, form *settingForm, tried domainTried, refused *portal.Refused) {
	if refused == nil || refused.Fields["domain"] == "" {
		return
	}
	message := p.problemText(r, refused.Fields["domain"])
	mistake := components.Mistake{Field: "domain", Message: message}
	for i := range v.Domains {
		if d := &v.Domains[i]; tried.Action != "domain_add" && d.Host == tried.Host {
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
