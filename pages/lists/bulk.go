package lists

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/lists"
	"portico/portal/shop"
)

// chooseBar is what staff can do to the rows that they choose in a list.
type chooseBar struct {
	Path    string // of the page that shows what an action would do
	Back    string // the query of the list, to lead back to it
	Actions []chooseAction
	All     string // the address of the same page with all rows chosen, "" when they are
	None    string // the address of the same page with no row chosen
}

// allHref returns the address that chooses all rows, or none when all are chosen.
func (b chooseBar) allHref() string { return cmp.Or(b.All, b.None) }

// allLabel says what the link to allHref does.
func (b chooseBar) allLabel(ctx context.Context) string {
	if b.All == "" {
		return locale.T(ctx, "bulk.none")
	}
	return locale.T(ctx, "bulk.all")
}

// chooseAction is a button of the bar.
type chooseAction struct {
	Value, Label string
	IsMain       bool
}

// bulkView is the page that shows what an action would do to the chosen rows, or what it did.
type bulkView struct {
	List, Back string // the name and the address of the list
	Heading    string
	Body       string // what follows for the people concerned, "" for nothing
	Note       string // how many rows stay as they are, and why the form was refused; "" for neither
	Table      listView

	// The form: it does the action, or takes it back.
	Path, Token, Form, BackQuery string
	Action                       string // "" for no form
	IDs                          []string
	Button, Busy                 string
	IsDanger, IsUndo             bool
	Reason                       *components.Field // nil for an action without a reason
	SummaryHeading               string
	Next                         string // the label of the link to the list
}

// rowLabels are the keys of the heads of the columns that name a row.
var rowLabels = map[lists.Name]string{
	lists.OrderList: "lists.order", lists.CustomerList: "order.client", lists.ApplicationList: "lists.applicant",
	lists.PeopleList: "lists.person",
}

// backNames are the parameters of a list's address that lead back to it.
var backNames = []string{"q", "state", "from", "to", "sort", "limit", "cursor"}

// backOf returns the query of a list's address.
func backOf(query url.Values) string {
	back := url.Values{}
	for _, name := range backNames {
		if value := query.Get(name); value != "" {
			back.Set(name, access.Truncated(value, lists.MaxSearch))
		}
	}
	return back.Encode()
}

// listAddress returns the address of a list with the query that backOf returned. It ignores anything else.
func (l *Pages) listAddress(list lists.Name, back string) string {
	query, _ := url.ParseQuery(back) // what is malformed is left out
	address := l.path + "/" + string(list)
	if back = backOf(query); back != "" {
		address += "?" + back
	}
	return address
}

// choose adds to a list what the reader can do to its rows. The rows get check boxes when there is anything.
func (v *listView) choose(r *http.Request, here access.Landing, list lists.Name) {
	actions := lists.ActionsOf(here.Member, list)
	if len(actions) == 0 || len(v.Rows) == 0 {
		return
	}
	query := r.URL.Query()
	bar := &chooseBar{Path: v.Path + "/bulk", Back: backOf(query)}
	for _, action := range actions {
		label := locale.T(r.Context(), "bulk.do_"+string(action))
		bar.Actions = append(bar.Actions, chooseAction{
			string(action), label, action == lists.Confirm || action == lists.Approve,
		})
	}
	bar.None = v.Path
	if bar.Back != "" {
		bar.None += "?" + bar.Back
	}
	if v.AllChosen = query.Get("chosen") == "all"; !v.AllChosen {
		bar.All = v.Path + "?chosen=all"
		if bar.Back != "" {
			bar.All += "&" + bar.Back
		}
	}
	v.Choose = bar
}

// bulkInput reads an action on the rows of a list from an address or a form.
func bulkInput(list lists.Name, values url.Values) lists.BulkInput {
	in := lists.BulkInput{
		List: list, Action: lists.Action(values.Get("action")), Reason: values.Get("reason"), Form: values.Get("form"),
	}
	for _, value := range values["id"] {
		if id, ok := access.DecimalID(value); ok {
			in.IDs = append(in.IDs, id)
		}
	}
	return in
}

// bulkForm is the page /{list}/bulk. GET shows what an action would do to the rows that were chosen, or with the
// parameter "result" what a form did. POST does the action and leads to its result.
func (l *Pages) bulkForm(list lists.Name) site.FormPage {
	show := func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		query := r.URL.Query()
		if form := query.Get("result"); form != "" {
			return l.showResult(w, r, here, list, form)
		}
		return l.preview(w, r, here, bulkInput(list, query), query.Get("back"), nil)
	}
	view := func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		return l.preview(w, r, here, bulkInput(list, r.PostForm), r.PostForm.Get("back"), nil)
	}
	submit := func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		in, back := bulkInput(list, r.PostForm), r.PostForm.Get("back")
		refused, err := forms.RefusedOf(l.portal.Lists.Run(r.Context(), here, in, string(locale.Of(r.Context()))))
		if err != nil {
			return err
		}
		if refused != nil {
			return l.preview(w, r, here, in, back, refused)
		}
		query := url.Values{"result": {in.Form}}
		if back = backQuery(back); back != "" {
			query.Set("back", back)
		}
		return web.SeeOther(w, l.path+"/"+string(list)+"/bulk?"+query.Encode())
	}
	return site.FormPage{Show: show, View: view, Submit: submit}
}

// backQuery returns a query of a list without anything else.
func backQuery(back string) string {
	query, _ := url.ParseQuery(back)
	return backOf(query)
}

// preview shows what an action would do. refused is why a form was not accepted, nil for a page that was opened.
func (l *Pages) preview(
	w http.ResponseWriter, r *http.Request, here access.Landing, in lists.BulkInput, back string,
	refused *access.Refused,
) error {
	ctx := r.Context()
	b, err := l.portal.Lists.Preview(ctx, here, in, string(locale.Of(ctx)))
	invalid, err := forms.RefusedOf(err)
	if err != nil {
		return err
	}
	if invalid != nil && invalid.Refusal != access.ValidationFailed {
		return invalid
	}
	v := l.bulkView(r, in.List, back)
	if invalid != nil {
		v.Heading, v.Body = locale.T(ctx, "bulk.nothing"), locale.T(ctx, "bulk.nothing_body")
		if invalid.Fields["id"] == lists.TooManyChosen {
			v.Heading, v.Body = locale.T(ctx, "bulk.too_many"), l.forms.ProblemText(r, lists.TooManyChosen)
		}
		return l.renderBulk(w, r, here, http.StatusUnprocessableEntity, v)
	}
	can := b.Count()
	v.Heading = locale.T(ctx, "bulk.ask_"+string(b.Action), "num", can)
	v.Body = locale.T(ctx, "bulk.body_"+string(b.Action))
	if b.WasDoneBefore() {
		v.Heading, v.Body = locale.T(ctx, "bulk.done_before"), ""
	} else if can == 0 {
		v.Heading, v.Body = locale.T(ctx, "bulk.none_"+string(b.Action)), ""
	} else if left := len(b.Rows) - can; left > 0 {
		v.Note = locale.T(ctx, "bulk.left", "num", left)
	}
	v.rows(r, l, b, "bulk.will", "bulk.stays")
	if can > 0 {
		l.askFor(r, &v, b, in)
	}
	v.refuse(r, l, refused)
	return l.renderBulk(w, r, here, web.RefusedStatus(w, refused), v)
}

// askFor adds the form that does the action to the rows to which it can be done.
func (l *Pages) askFor(r *http.Request, v *bulkView, b lists.Bulk, in lists.BulkInput) {
	ctx := r.Context()
	v.Token = l.web.FormToken(r)
	v.Form = in.Form
	v.Action = string(b.Action)
	if v.Form == "" {
		v.Form = shop.NewForm()
	}
	for _, row := range b.Rows {
		if row.Done {
			v.IDs = append(v.IDs, web.Decimal(row.ID))
		}
	}
	v.Button, v.Busy = locale.T(ctx, "bulk.now_"+string(b.Action), "num", len(v.IDs)), locale.T(ctx, "care.busy")
	v.IsDanger = b.Action == lists.Reject || b.Action == lists.End || b.Action == lists.Disable
	if b.Action.NeedsReason() {
		v.Reason = &components.Field{Value: in.Reason}
	}
}

// refuse adds what was wrong with a form.
func (v *bulkView) refuse(r *http.Request, l *Pages, refused *access.Refused) {
	switch {
	case refused == nil:
	case v.Reason != nil && refused.Fields["reason"] != "":
		v.SummaryHeading = locale.T(r.Context(), "summary.heading")
		v.Reason.Message = l.forms.ProblemText(r, refused.Fields["reason"])
	default:
		v.Note = strings.TrimSpace(web.RefusalText(r, refused) + " " + v.Note)
	}
}

// showResult shows what a form did to the rows that were chosen.
func (l *Pages) showResult(
	w http.ResponseWriter, r *http.Request, here access.Landing, list lists.Name, form string,
) error {
	ctx, back := r.Context(), r.URL.Query().Get("back")
	b, err := l.portal.Lists.Result(ctx, here, list, form)
	v := l.bulkView(r, list, back)
	if web.IsRefusal(err, access.NotFound) {
		v.Heading, v.Body = locale.T(ctx, "bulk.gone"), locale.T(ctx, "bulk.gone_body")
		return l.renderBulk(w, r, here, http.StatusNotFound, v)
	}
	if err != nil {
		return err
	}
	done := b.Count()
	v.Heading = locale.T(ctx, "bulk.done_"+string(b.Action), "num", done)
	if b.WasDoneBefore() {
		v.Heading = locale.T(ctx, "bulk.done_before")
	} else if done == 0 {
		v.Heading = locale.T(ctx, "bulk.did_nothing")
	} else if left := len(b.Rows) - done; left > 0 {
		v.Note = locale.T(ctx, "bulk.left_out", "num", left)
	}
	v.rows(r, l, b, "bulk.done", "bulk.not_done")
	for _, row := range b.Rows {
		if row.CanUndo {
			v.IDs = append(v.IDs, web.Decimal(row.ID))
		}
	}
	if len(v.IDs) > 0 {
		v.Token = l.web.FormToken(r)
		v.Form = "undo " + form
		v.Action = string(b.Undo)
		v.Button = locale.T(ctx, "bulk.undo_"+string(b.Action), "num", len(v.IDs))
		v.Busy, v.IsUndo = locale.T(ctx, "care.busy"), true
	}
	return l.renderBulk(w, r, here, http.StatusOK, v)
}

// bulkView begins the page.
func (l *Pages) bulkView(r *http.Request, list lists.Name, back string) bulkView {
	return bulkView{
		List: locale.T(r.Context(), "office."+string(list)), Back: l.listAddress(list, back),
		Path: l.path + "/" + string(list) + "/bulk", BackQuery: backQuery(back),
		Next:  locale.T(r.Context(), "bulk.back"),
		Table: listView{Name: string(list), Path: l.path + "/" + string(list)},
	}
}

func (l *Pages) renderBulk(
	w http.ResponseWriter, r *http.Request, here access.Landing, status int, v bulkView,
) error {
	shell := l.site.Frame(r, here, v.Table.Path)
	kept := r.URL.Query() // the page in another language has the same rows
	kept.Del("lang")
	shell.Query = kept.Encode()
	shell.Form = "bulk"
	if v.Action == "" || v.Reason == nil {
		shell.Form = ""
	}
	return l.web.Render(w, r, status, shell, bulkPage(v))
}

// rows fills the table: first the rows that stay as they are, with the reason, then the others. yes and no are the
// keys of the texts of the two states.
func (v *bulkView) rows(r *http.Request, l *Pages, b lists.Bulk, yes, no string) {
	ctx, t := r.Context(), &v.Table
	yesKind := "" // in a preview
	if yes == "bulk.done" {
		yesKind = "ok"
	}
	isOrders := t.Name == string(lists.OrderList)
	t.addColumn(locale.T(ctx, rowLabels[lists.Name(t.Name)]), kindName, "")
	if isOrders {
		t.addColumn(locale.T(ctx, "order.client"), kindText, "")
	}
	hasReasons := b.Count() < len(b.Rows)
	if hasReasons {
		t.addColumn(locale.T(ctx, "lists.reason"), kindWhy, "")
	}
	t.addColumn(locale.T(ctx, "lists.state"), kindState, "")
	var others []row
	for _, chosen := range b.Rows {
		state, name := chip(r, yesKind, yes), chosen.Name
		if !chosen.Done {
			state = chip(r, "warn", no)
		}
		cells := []cell{text(name)}
		if isOrders && chosen.Number != 0 {
			cells = []cell{text(locale.T(ctx, "order.number", "num", chosen.Number)), text(name)}
		} else if isOrders {
			cells = append(cells, text(""))
		}
		if hasReasons {
			cells = append(cells, text(l.whyNot(r, chosen)))
		}
		cells = append(cells, state)
		line := row{Href: rowHref(t.Path, chosen.ID), Cells: cells}
		if chosen.Obstacle == lists.Missing {
			line.Href = ""
		}
		if chosen.Done {
			others = append(others, line)
			continue
		}
		t.Rows = append(t.Rows, line)
	}
	t.Rows = append(t.Rows, others...)
}

// whyNot says why an action cannot be done to a row, or was not; "" for a row to which it can be done.
func (l *Pages) whyNot(r *http.Request, row lists.ChosenRow) string {
	ctx := r.Context()
	switch {
	case row.Done:
		return ""
	case row.Obstacle != "" && row.By != "" && locale.Has("bulk.obstacle_"+string(row.Obstacle)+"_by"):
		return locale.T(ctx, "bulk.obstacle_"+string(row.Obstacle)+"_by", "name", row.By)
	case row.Obstacle != "":
		return locale.T(ctx, "bulk.obstacle_"+string(row.Obstacle))
	case row.Problem != "":
		return l.forms.ProblemText(r, row.Problem)
	}
	return web.RefusalText(r, &access.Refused{Refusal: row.Refusal, Wait: row.Wait})
}
