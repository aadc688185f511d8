package office

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/credentials"
	"portico/portal/office"
	"portico/portal/shop"
	"portico/store"
)

// personView is the page of one account, with the actions that the reader may take.
type personView struct {
	Back     string
	Name     string
	State    web.Chip
	Facts    []forms.Fact
	Path     string
	Token    string
	Manages  bool
	Invited  bool   // the person has not set the account up yet
	Link     string // the invitation link, "" when it has expired
	Share    site.Share
	Until    string // the day on which the link expires
	Enable   string // the label of the button that enables the account, "" when it is enabled
	Reset    string // the text about a first password, "" when the account can get none
	Form     string // the id of the form that sets a first password; the same form again shows the same password
	Disable  bool
	Heading  string // of the error summary
	Mistakes []components.Mistake
	Portrait string      // the address of the picture, "" for none
	Edit     *personForm // nil for readers who may not change it
	Role     *personRole // nil for readers who may not change it, and for shop accounts
	History  site.HistoryView
	Did      string // the address of what the person did, in the log; "" for readers who may not see it

	Said   string // what was done with an account whose link is shown: a toast could cover its buttons
	Before bool   // the form that opened this account was sent again
	Unseen bool   // the administrator may have missed the response with its first password
}

// personForm is the form that changes an account.
type personForm struct {
	forms.SettingForm
	Seen                       string
	Name, Position, Department components.Field
	Client                     *clientField // nil except for shop accounts
}

// personRole is the link to the page that changes a role.
type personRole struct{ Body, Label, Href string }

// givenView is a new first password. It is shown once.
type givenView struct {
	Back                   string
	Heading, Lead          string
	Login, Password, Until string
	Share                  site.Share
}

// PersonForm is the page of one account.
func (l *Pages) PersonForm() site.FormPage {
	return site.FormPage{Show: l.showPerson, View: l.viewPerson, Submit: l.submitPerson}
}

// showPerson answers GET /people/{id}: the page of one account.
func (l *Pages) showPerson(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	return l.renderPerson(w, r, here, id, nil, nil)
}

// typedPerson reads the form that changes an account; nil for the form of a button.
func typedPerson(r *http.Request) *office.PersonInput {
	if !r.PostForm.Has("name") {
		return nil
	}
	edited := new(office.PersonInput)
	web.Decode(r, edited)
	return edited
}

// viewPerson shows the page with what was typed.
func (l *Pages) viewPerson(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	return l.renderPerson(w, r, here, id, typedPerson(r), nil)
}

// submitPerson answers POST /people/{id}: it stores the edited values, or takes the action of the button.
func (l *Pages) submitPerson(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	ctx, edited := r.Context(), typedPerson(r)
	action := r.PostForm.Get("action")
	var err error
	switch action {
	case "edit":
		if edited == nil {
			return access.BadRequest
		}
		err = l.portal.Backoffice.EditPerson(ctx, here, id, *edited)
	case string(office.MakeAdministrator), string(office.MakeEmployee), string(office.HandOver),
		"send_code":
		return l.submitPersonRole(w, r, here)
	case "enable":
		err = l.portal.Backoffice.EnablePerson(ctx, here, id)
	case "disable":
		err = l.portal.Backoffice.DisablePerson(ctx, here, id)
	case "invite":
		err = l.portal.Backoffice.InviteAgain(ctx, here, id)
	case "reset_password":
		var given credentials.FirstPassword
		given, err = l.portal.Backoffice.GiveFirstPassword(ctx, here, id, r.PostForm.Get("form"))
		if err == nil && given.Password == "" { // the form was sent again, and the holder has replaced the password
			return web.SeeOther(w, r.URL.Path)
		}
		if err == nil {
			return l.renderGiven(w, r, here, given, locale.T(ctx, "person.given_reset"))
		}
	default:
		err = access.BadRequest
	}
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return l.renderPerson(w, r, here, id, edited, refused)
	}
	if err != nil {
		return err
	}
	return web.SeeOther(w, r.URL.Path+"?done="+action)
}

// renderPerson writes the page. For a form that changes the account, edited is what was typed.
func (l *Pages) renderPerson(
	w http.ResponseWriter, r *http.Request, here access.Landing, id int64,
	edited *office.PersonInput, refused *access.Refused,
) error {
	ctx := r.Context()
	m, err := l.portal.Backoffice.PersonHere(ctx, here, id)
	if err != nil {
		return err
	}
	view := l.personView(r, here, m)
	if err := l.addHistory(r, here, m, &view); err != nil {
		return err
	}
	if view.Manages {
		if view.Edit, err = l.personForm(r, here, m, edited, refused); err != nil {
			return err
		}
	}
	if view.Manages && office.PersonStateOf(m) == office.PersonInvited {
		var until store.Instant
		if view.Link, until, err = l.portal.Backoffice.InvitingLink(ctx, here, id); err != nil {
			return err
		}
		view.Share = shareWith(ctx, "person.link_copy", m.Company.Name)
		view.Share.Card = site.Card{
			About: locale.T(ctx, "person.card_about"), Picture: web.SharePath(&m.Company, locale.Of(ctx)),
			Signature: l.path + "/wechat.json",
		}
		view.Share.Link = view.Link
		view.Invited, view.Until = true, components.Day(locale.Of(ctx), until.Time())
	}
	if refused != nil && edited != nil {
		view.Heading, view.Mistakes = view.Edit.SummaryHeading, view.Edit.Mistakes
	} else if refused != nil {
		view.Heading = locale.T(ctx, "summary.refused")
		message := web.RefusalText(r, refused)
		if problem := refused.Fields["action"]; problem != "" {
			message = l.forms.ProblemText(r, problem)
		}
		view.Mistakes = []components.Mistake{{Message: message}}
	}
	shell := l.site.Frame(r, here, l.path+"/people")
	if view.Edit != nil {
		shell.Form = "edit"
	}
	switch r.URL.Query().Get("done") {
	case "edit":
		shell.Toast = locale.T(ctx, "person.saved")
	case string(office.MakeAdministrator):
		shell.Toast = locale.T(ctx, "person.became_administrator")
	case string(office.MakeEmployee):
		shell.Toast = locale.T(ctx, "person.became_employee")
	case "opened_before":
		view.Before = true
		if view.Reset != "" {
			if view.Unseen, err = l.portal.Backoffice.FirstPasswordUnused(ctx, m); err != nil {
				return err
			}
		}
	case "opened":
		shell.Toast = locale.T(ctx, "person.opened")
	case "enable":
		shell.Toast = locale.T(ctx, "person.enabled")
	case "disable":
		shell.Toast = locale.T(ctx, "person.disabled")
	case "invite":
		shell.Toast = locale.T(ctx, "person.invited")
	}
	if view.Invited {
		view.Said, shell.Toast = shell.Toast, ""
	}
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, personPage(view))
}

// addHistory adds when the person last signed in, and what was done with the account.
func (l *Pages) addHistory(r *http.Request, here access.Landing, m store.Member, v *personView) error {
	ctx := r.Context()
	last, err := l.portal.Core.Access.LastSignIn(ctx, here, m.ID)
	if err != nil {
		return err
	}
	when := locale.T(ctx, "person.never_signed_in")
	if last != 0 {
		when = components.Day(locale.Of(ctx), last.Time()) + " " + components.Clock(last.Time())
	}
	v.Facts = append(v.Facts, forms.Fact{Name: locale.T(ctx, "person.last_sign_in"), Value: when})
	events, err := l.portal.Core.Access.HistoryOfPerson(ctx, here, m.ID)
	v.History = l.site.HistoryOf(r, here, "people", m.ID, events)
	if access.May(here.Member, access.RightAudit) {
		v.Did = l.path + "/audit?person=" + web.Decimal(m.ID)
	}
	return err
}

func (l *Pages) personView(r *http.Request, here access.Landing, m store.Member) personView {
	ctx, state := r.Context(), office.PersonStateOf(m)
	v := personView{Back: l.path + "/people", Name: m.Name, State: site.PersonChip(r, m),
		Path: l.path + "/people/" + web.Decimal(m.ID), Token: l.web.FormToken(r)}
	if v.Name == "" {
		v.Name = m.Login
	}
	phone := access.MaskPhone(m.Phone)
	if phone == "" {
		phone = locale.T(ctx, "land.no_phone")
	}
	v.Facts = []forms.Fact{{Name: locale.T(ctx, "land.login"), Value: m.Login},
		{Name: locale.T(ctx, "land.role"), Value: locale.T(ctx, "type."+web.TypeName(m.Type))},
		{Name: locale.T(ctx, "land.phone"), Value: phone}}
	v.Portrait = web.OwnIcon(m.HeadImg)
	for _, f := range []forms.Fact{
		{Name: locale.T(ctx, "land.client"), Value: m.ClientName},
		{Name: locale.T(ctx, "person.position"), Value: m.DutyName},
		{Name: locale.T(ctx, "person.department"), Value: m.DeptName},
	} {
		if f.Value != "" {
			v.Facts = append(v.Facts, f)
		}
	}
	if state == office.PersonFirstPassword {
		v.Facts = append(v.Facts, forms.Fact{Name: locale.T(ctx, "person.first_until"),
			Value: components.Day(locale.Of(ctx), m.FirstPasswordUntil.Time())})
	}
	if v.Manages = access.May(here.Member, access.RightManagePeople); v.Manages && m.Side == store.Mgr {
		v.Role = l.roleLink(r, here, m)
	}
	if !v.Manages || m.ID == here.Member.ID {
		return v
	}
	v.Disable = state != office.PersonDisabled && state != office.PersonDeclined
	switch {
	case state == office.PersonUnderReview:
		v.Enable = locale.T(ctx, "person.approve")
	case state == office.PersonDisabled:
		v.Enable = locale.T(ctx, "person.enable")
	}
	if !m.Invited {
		v.Reset, v.Form = locale.T(ctx, "person.reset_body"), shop.NewForm()
		if m.PersonID != 0 {
			v.Reset = locale.T(ctx, "person.reset_body_phone")
		}
	}
	return v
}

// personForm returns the form with the stored values, or with the typed values and the refusal.
func (l *Pages) personForm(
	r *http.Request, here access.Landing, m store.Member, edited *office.PersonInput, refused *access.Refused,
) (*personForm, error) {
	ctx, stored := r.Context(), office.PersonDetails(m)
	in := stored
	if edited != nil {
		in = *edited
	}
	field := func(id, label, value string, most int) components.Field {
		return components.Field{ID: id, Label: locale.T(ctx, label), Value: value, Complete: "off", Max: most,
			Optional: id != "name"}
	}
	f := &personForm{
		SettingForm: l.site.SettingForm(r), Seen: cmp.Or(in.Seen, stored.Seen),
		Name:       field("name", "open.name", in.Name, access.MaxName),
		Position:   field("position", "person.position", in.Position, access.MaxPosition),
		Department: field("department", "person.department", in.Department, office.MaxDepartment),
	}
	if f.Path = l.site.PersonPath(m); m.Side == store.Shop {
		partners, err := l.portal.Backoffice.Partners(ctx, here)
		if err != nil {
			return nil, err
		}
		f.Client = clientsOf(r, m, partners, in.ClientID)
	}
	if edited == nil || refused == nil {
		return f, nil
	}
	f.AddRefusal(l.forms, r, refused, &f.Name, &f.Position, &f.Department)
	if problem := refused.Fields["client_id"]; problem != "" && f.Client != nil {
		f.Client.Message = l.forms.ProblemText(r, problem)
		f.Mistakes = append(f.Mistakes, components.Mistake{Field: "client_id", Message: f.Client.Message})
	}
	if problem := refused.Fields["seen"]; problem != "" {
		f.Seen = stored.Seen // the page shows the stored values now: saving again replaces them
		differences := []forms.Difference{
			{Name: f.Name.Label, Typed: in.Name, Stored: m.Name},
			{Name: f.Position.Label, Typed: in.Position, Stored: m.DutyName},
			{Name: f.Department.Label, Typed: in.Department, Stored: m.DeptName},
		}
		if f.Client != nil && in.ClientID != m.ClientID {
			differences = append(differences,
				forms.Difference{Name: locale.T(ctx, "open.client"), Typed: "", Stored: m.ClientName})
		}
		f.ChangedMeanwhile(l.forms, r, problem, differences)
	}
	return f, nil
}

// clientsOf returns the field for the customer of a shop account: the company's partners and the account's customer.
func clientsOf(r *http.Request, m store.Member, partners []store.Client, chosen int64) *clientField {
	isThere := func(c store.Client) bool { return c.ID == m.ClientID }
	if m.ClientID != 0 && !slices.ContainsFunc(partners, isThere) {
		own := store.Client{ID: m.ClientID, Name: m.ClientName}
		if m.ClientState == store.ClientEnded {
			own.Name = locale.T(r.Context(), "person.client_ended", "name", m.ClientName)
		}
		partners = append([]store.Client{own}, partners...)
	}
	return &clientField{Partners: partners, Chosen: chosen}
}

// renderGiven shows a first password, in the answer to the form that asked for it and nowhere else.
func (l *Pages) renderGiven(
	w http.ResponseWriter, r *http.Request, here access.Landing, given credentials.FirstPassword, heading string,
) error {
	ctx := r.Context()
	view := givenView{
		Back: l.path + "/people/" + web.Decimal(given.Member.ID), Heading: heading,
		Lead:  locale.T(ctx, "person.given_lead"),
		Login: given.Member.Login, Password: given.Password, Until: components.Day(locale.Of(ctx), given.Until.Time()),
	}
	company := here.Member.Company.Name
	view.Share = shareWith(ctx, "person.message_copy", company)
	view.Share.Text = locale.T(ctx, "person.message", "company", company, "address", here.FromOrigin+"/login/account",
		"login", given.Member.Login, "password", given.Password)
	shell := l.site.Frame(r, here, l.path+"/people")
	shell.Path = view.Back
	return l.web.Render(w, r, http.StatusOK, shell, givenPage(view))
}

// shareWith returns the buttons that send a text or a link to a person with an account at a company. copyKey is the key
// of the label of the first button.
func shareWith(ctx context.Context, copyKey, company string) site.Share {
	return site.Share{
		CopyLabel: locale.T(ctx, copyKey), Copied: locale.T(ctx, "registration.copied"),
		ShareLabel: locale.T(ctx, "person.link_share"), Title: locale.T(ctx, "person.share_title", "company", company),
	}
}
