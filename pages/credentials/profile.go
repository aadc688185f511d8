package credentials

import (
	"cmp"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/credentials"
	"portico/store"
)

// profileView is the profile of one account, to be changed.
type profileView struct {
	forms.SettingForm
	Lead           string
	AccountID      string
	Seen           string
	Who            string // whose portrait it is
	Portrait       string // its address, "" for none
	Name, Position components.Field
	Takes          bool // pictures can be sent in
	Picture        components.Field
	WeChat         bool
	Links          []web.PageLink
}

// profileChoice is the choice among the person's accounts.
type profileChoice struct {
	Accounts []forms.PersonLine
}

// ProfileForm is the page with the name, position and portrait of an account.
func (p *Pages) ProfileForm() uploads.FilePage {
	return uploads.FilePage{Show: p.showProfile, View: p.viewProfile, Submit: p.submitProfile}
}

// showProfile answers GET /profile: the choice of an account, or the form with its name, position and portrait.
func (p *Pages) showProfile(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	accounts, err := p.portal.Profiles.ProfileAccounts(r.Context(), s)
	if err != nil {
		return err
	}
	id, named := access.DecimalID(r.URL.Query().Get("account_id"))
	if !named && len(accounts) != 1 {
		return p.renderProfileChoice(w, r, accounts)
	}
	if !named {
		id = accounts[0].ID
	}
	shown, err := p.portal.Profiles.Profile(r.Context(), s, id)
	if err != nil {
		return err
	}
	in := credentials.ProfileInput{Name: shown.Member.Name, Position: shown.Member.DutyName}
	return p.renderProfile(w, r, s, shown, in, nil)
}

// renderProfileChoice writes the page on which the person chooses an account.
func (p *Pages) renderProfileChoice(w http.ResponseWriter, r *http.Request, accounts []store.Member) error {
	ctx := r.Context()
	var view profileChoice
	for _, m := range accounts {
		details := []string{m.Company.Name, m.Login}
		role := locale.T(ctx, "type."+web.TypeName(m.Type))
		line := forms.PersonLine{
			Href: web.ProfileAddress(m.ID), Name: cmp.Or(m.Name, m.Login), Role: role, Details: details,
		}
		view.Accounts = append(view.Accounts, line)
	}
	return p.web.Render(w, r, http.StatusOK, p.profileShell(r), profileChoicePage(view))
}

// profileShell returns the shell of the pages of a profile.
func (p *Pages) profileShell(r *http.Request) components.Shell {
	shell := p.web.Shell(r, "", true)
	shell.Wide = true
	shell.Offline = true
	shell.Account = web.AccountMenu(p.web.FormToken(r))
	p.web.FlowsStyle(r, &shell)
	return shell
}

// viewProfile shows the form with what was typed.
func (p *Pages) viewProfile(w http.ResponseWriter, r *http.Request, _ *uploads.FormFile) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	var in credentials.ProfileInput
	web.Decode(r, &in)
	shown, err := p.portal.Profiles.Profile(r.Context(), s, in.AccountID)
	if err != nil {
		return err
	}
	return p.renderProfile(w, r, s, shown, in, nil)
}

// submitProfile answers POST /profile. The form may bring a portrait.
func (p *Pages) submitProfile(w http.ResponseWriter, r *http.Request, f *uploads.FormFile) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	ctx, action := r.Context(), r.PostForm.Get("action")
	var in credentials.ProfileInput
	web.Decode(r, &in)
	in.Session = s
	switch action {
	case "save":
		in.Body = f.Content()
		err = p.portal.Profiles.SaveProfile(ctx, in)
	case "remove_portrait":
		err = p.portal.Profiles.RemovePortrait(ctx, s, in.AccountID)
	case "use_wechat":
		err = p.portal.Profiles.UseWeChatPortrait(ctx, s, in.AccountID)
	default:
		err = access.BadRequest
	}
	refused, err := forms.RefusedOf(err)
	if err != nil {
		return err
	}
	if refused == nil {
		return web.SeeOther(w, web.ProfileAddress(in.AccountID)+"&done="+action)
	}
	if refused.Company != nil {
		return refused
	}
	shown, err := p.portal.Profiles.Profile(ctx, s, in.AccountID)
	if err != nil {
		return err
	}
	if action != "save" {
		in.Name, in.Position = shown.Member.Name, shown.Member.DutyName
	}
	return p.renderProfile(w, r, s, shown, in, refused)
}

// profileDone are the texts that say what was done.
var profileDone = map[string]string{
	"save": "profile.saved", "remove_portrait": "profile.removed", "use_wechat": "profile.portrait_set",
}

// renderProfile writes the page, with what was typed and what was refused.
func (p *Pages) renderProfile(
	w http.ResponseWriter, r *http.Request, s access.Session, shown credentials.Profile, in credentials.ProfileInput,
	refused *access.Refused,
) error {
	ctx, m := r.Context(), shown.Member
	v := profileView{
		SettingForm: forms.SettingForm{
			Path: web.ProfilePath, Token: p.web.FormToken(r), SummaryHeading: locale.T(ctx, "summary.heading"),
		},
		Lead:      locale.T(ctx, "profile.lead", "company", m.Company.Name, "login", m.Login),
		AccountID: web.Decimal(m.ID), Seen: cmp.Or(in.Seen, shown.Seen), Who: cmp.Or(m.Name, m.Login),
		Portrait: web.OwnIcon(shown.Portrait), Takes: shown.Takes, WeChat: shown.WeChat,
		Name: components.Field{
			ID: "name", Label: locale.T(ctx, "profile.name"), Value: in.Name, Complete: "name", Max: access.MaxName,
		},
		Position: components.Field{
			ID: "position", Label: locale.T(ctx, "profile.position"), Value: in.Position,
			Complete: "organization-title", Max: access.MaxPosition, Optional: true, Last: true,
		},
		Picture: components.Field{
			ID: "portrait", Label: locale.T(ctx, "profile.portrait"), Hint: locale.T(ctx, "profile.portrait_hint"),
			Optional: true,
		},
		Links: []web.PageLink{{Label: locale.T(ctx, "care.back"), Href: web.SecurityPath}},
	}
	accounts, err := p.portal.Profiles.ProfileAccounts(ctx, s)
	if err != nil {
		return err
	}
	if len(accounts) > 1 {
		v.Links = append([]web.PageLink{{Label: locale.T(ctx, "profile.other"), Href: web.ProfilePath}}, v.Links...)
	}
	v.AddRefusal(p.forms, r, refused, &v.Name, &v.Position, &v.Picture)
	switch {
	case refused == nil:
	case refused.Refusal == access.UploadRejected:
		v.Picture.Message, v.Mistakes[0].Field = v.Mistakes[0].Message, v.Picture.ID
	case refused.Fields["seen"] != "":
		v.Seen = shown.Seen // the page shows the stored values now: saving again replaces them
		v.ChangedMeanwhile(p.forms, r, refused.Fields["seen"], []forms.Difference{
			{Name: v.Name.Label, Typed: in.Name, Stored: m.Name},
			{Name: v.Position.Label, Typed: in.Position, Stored: m.DutyName},
		})
	}
	if refused != nil && uploads.FileCame(r) && v.Picture.Message == "" {
		v.Picture.Message = locale.T(ctx, "profile.portrait_again")
	}
	shell := p.profileShell(r)
	shell.Form = "profile"
	if key := profileDone[r.URL.Query().Get("done")]; key != "" && refused == nil && r.Method == http.MethodGet {
		shell.Toast = locale.T(ctx, key)
	}
	return p.web.Render(w, r, web.RefusedStatus(w, refused), shell, profilePage(v))
}
