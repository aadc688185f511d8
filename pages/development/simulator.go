package development

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
)

// simulatorView is the page of the simulated app.
type simulatorView struct {
	System  string // "ios", "android", "" for none
	Fields  []components.Field
	Manners []web.Choice
	Code    bool // the app has an auth code that is not redeemed
	Token   string
	Calls   []callLine
}

// callLine is one call of a page, with secrets shortened.
type callLine struct{ At, Page, Call, Args, Answer string }

// SimulatorRoutes adds the routes of the simulated app, which every host has. It adds none in production.
func (p *Pages) SimulatorRoutes(r chi.Router) {
	if p.web.Simulated == nil {
		return
	}
	p.web.Form(r, "/dev/native", p.showSimulator, p.submitSimulator)
	r.Get("/dev/native.json", p.web.Serve(p.showSimulatorJSON))
	r.Post("/dev/native/call", p.web.Serve(p.web.RequireSameOrigin(p.submitCall)))
	r.Get(web.SimulatorScriptPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(web.SimulatorScript)
	})
}

func (p *Pages) showSimulator(w http.ResponseWriter, r *http.Request) error {
	ctx, app := r.Context(), p.web.SimulatedIn(r)
	v := simulatorView{System: app.System}
	if token := p.web.SessionToken(r); token != "" {
		v.Token = p.web.FormToken(r)
	}
	if app.System != "" {
		state := p.web.Simulated.Snapshot(app.RunID, p.web.NewSimulatedApp())
		for _, f := range []struct{ id, label, value string }{
			{"app_token", "play.app_token", state.Token}, {"api_address", "play.api_address", state.Address},
			{"state", "play.state", state.State},
			{"version", "play.version", state.Version}, {"mac", "play.mac", state.MAC},
		} {
			v.Fields = append(v.Fields, components.Field{ID: f.id, Label: locale.T(ctx, f.label), Value: f.value,
				Complete: "off", Max: 256, Optional: true})
		}
		for _, manner := range web.Manners {
			v.Manners = append(v.Manners, web.Choice{Value: manner.Name, Label: locale.T(ctx, manner.Label),
				Chosen: manner.Name == state.Manner})
		}
		v.Code = state.Code != ""
		for _, c := range slices.Backward(state.Calls) {
			v.Calls = append(v.Calls, callLine{c.At.Local().Format("15:04:05"), c.Page, c.Call, short(string(c.Args)),
				short(c.Result())})
		}
	}
	shell := p.web.Shell(r, locale.T(ctx, "play.heading"), true)
	shell.Wide = true
	p.web.FlowsStyle(r, &shell)
	return p.web.Render(w, r, http.StatusOK, shell, simulatorPage(v))
}

// short shortens codes and tokens in a message: words of more than 40 bytes.
func short(message string) string {
	for _, word := range strings.FieldsFunc(message, func(c rune) bool { return strings.ContainsRune(`":,{}`, c) }) {
		if len(word) > 40 && !strings.ContainsAny(word, " /") {
			message = strings.ReplaceAll(message, word, word[:8]+"…")
		}
	}
	return message
}

// submitSimulator changes the state of the app, redeems its auth code, or drops the session of its web view.
func (p *Pages) submitSimulator(w http.ResponseWriter, r *http.Request) error {
	app := p.web.SimulatedIn(r)
	if app.System == "" {
		return web.SeeOther(w, "/dev/native")
	}
	field := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	var err error
	switch r.PostForm.Get("action") {
	case "clear":
		p.web.Simulated.Update(app.RunID, p.web.NewSimulatedApp(),
			func(state *web.SimulatedApp) { state.Calls = nil })
	case "lose":
		p.web.DropSession(w, r)
	case "redeem":
		var user signin.RedeemedUser
		user, err = p.portal.Landing.RedeemForClient(r.Context(),
			p.web.Simulated.Snapshot(app.RunID, p.web.NewSimulatedApp()).Code, signin.ClientApp, 0)
		p.web.Simulated.Update(app.RunID, p.web.NewSimulatedApp(),
			func(state *web.SimulatedApp) { state.Token, state.Code = string(user.Token), "" })
	default:
		p.web.Simulated.Update(app.RunID, p.web.NewSimulatedApp(), func(state *web.SimulatedApp) {
			state.Token = field("app_token")
			state.Address = field("api_address")
			state.State = field("state")
			state.Version = field("version")
			state.MAC = field("mac")
			for _, manner := range web.Manners {
				if manner.Name == field("manner") {
					state.Manner = manner.Name
				}
			}
		})
	}
	if err != nil && !web.IsRefusal(err, access.LoginRequired) {
		return err
	}
	return web.SeeOther(w, "/dev/native")
}

// submitCall answers a message of a page, with 204 when the app does not answer.
func (p *Pages) submitCall(w http.ResponseWriter, r *http.Request) error {
	answer := ""
	if app := p.web.SimulatedIn(r); app.System != "" {
		p.web.Simulated.Update(app.RunID, p.web.NewSimulatedApp(), func(state *web.SimulatedApp) {
			answer = state.Answer(r.PostForm.Get("message"), r.Host+r.PostForm.Get("page"))
		})
	}
	if answer == "" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return web.WriteJSON(w, http.StatusOK, json.RawMessage(answer))
}

// showSimulatorJSON answers the whole state of the app, secrets included, for tests.
func (p *Pages) showSimulatorJSON(w http.ResponseWriter, r *http.Request) error {
	app := p.web.SimulatedIn(r)
	if app.System == "" {
		return access.NotFound
	}
	return web.WriteJSON(w, http.StatusOK, p.web.Simulated.Snapshot(app.RunID, p.web.NewSimulatedApp()))
}
