package development

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/native"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/landing"
)

// playView is the page of the app that is played.
type playView struct {
	Playing string // "ios", "android", "" for none
	Fields  []components.Field
	Manners []web.Choice
	Code    bool // one waits to be redeemed
	Token   string
	Calls   []playedLine
}

// playedLine is one call as it is shown, the last one first: secrets cut short.
type playedLine struct{ At, Page, Call, Args, Answer string }

// PlayRoutes are those of the app that is played, on every host; there are none in production.
func (p *Pages) PlayRoutes(r chi.Router) {
	if p.native.Played == nil {
		return
	}
	p.web.Form(r, "/dev/native", p.showPlayed, p.submitPlayed)
	r.Get("/dev/native.json", p.web.Serve(p.showPlayedJSON))
	r.Post("/dev/native/call", p.web.Serve(p.web.Guarded(p.submitPlayedCall)))
	r.Get(native.PlayScript, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(native.PlayObject)
	})
}

func (p *Pages) showPlayed(w http.ResponseWriter, r *http.Request) error {
	ctx, is := r.Context(), p.native.Playing(r)
	v := playView{Playing: is.On}
	if token := p.request.SessionToken(r); token != "" {
		v.Token = p.web.FormToken(r)
	}
	if is.On != "" {
		one := p.native.Played.Snapshot(is.Run, p.native.FreshApp())
		for _, f := range []struct{ id, label, value string }{
			{"app_token", "play.app_token", one.Token}, {"api_address", "play.api_address", one.Address},
			{"state", "play.state", one.State},
			{"version", "play.version", one.Version}, {"mac", "play.mac", one.MAC},
		} {
			v.Fields = append(v.Fields, components.Field{ID: f.id, Label: locale.T(ctx, f.label), Value: f.value,
				Complete: "off", Max: 256, Optional: true})
		}
		for _, manner := range native.Manners {
			v.Manners = append(v.Manners, web.Choice{Value: manner.Name, Label: locale.T(ctx, manner.Label),
				Chosen: manner.Name == one.Manner})
		}
		v.Code = one.Code != ""
		for _, c := range slices.Backward(one.Calls) {
			v.Calls = append(v.Calls, playedLine{c.At.Local().Format("15:04:05"), c.Page, c.Call, short(string(c.Args)),
				short(c.Result())})
		}
	}
	shell := p.web.Shell(r, locale.T(ctx, "play.heading"), true)
	shell.Wide = true
	p.request.More(r, &shell)
	return p.web.Render(w, r, http.StatusOK, shell, playPage(v))
}

// short cuts codes and tokens, which are long, in a message.
func short(message string) string {
	for _, word := range strings.FieldsFunc(message, func(c rune) bool { return strings.ContainsRune(`":,{}`, c) }) {
		if len(word) > 40 && !strings.ContainsAny(word, " /") {
			message = strings.ReplaceAll(message, word, word[:8]+"…")
		}
	}
	return message
}

// submitPlayed changes what the app has, redeems its code, or loses the cookies of its web view.
func (p *Pages) submitPlayed(w http.ResponseWriter, r *http.Request) error {
	is := p.native.Playing(r)
	if is.On == "" {
		return request.SeeOther(w, "/dev/native")
	}
	said := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	var err error
	switch r.PostForm.Get("action") {
	case "clear":
		p.native.Played.With(is.Run, p.native.FreshApp(), func(one *native.PlayedApp) { one.Calls = nil })
	case "lose":
		p.request.DropSession(w, r)
	case "redeem":
		var user access.User
		user, err = p.portal.Landing.RedeemForClient(r.Context(),
			p.native.Played.Snapshot(is.Run, p.native.FreshApp()).Code, landing.ClientApp, 0)
		p.native.Played.With(is.Run, p.native.FreshApp(),
			func(one *native.PlayedApp) { one.Token, one.Code = string(user.Token), "" })
	default:
		p.native.Played.With(is.Run, p.native.FreshApp(), func(one *native.PlayedApp) {
			one.Token, one.Address, one.State, one.Version, one.MAC = said("app_token"), said("api_address"),
				said("state"), said("version"), said("mac")
			for _, manner := range native.Manners {
				if manner.Name == said("manner") {
					one.Manner = manner.Name
				}
			}
		})
	}
	if err != nil && !request.IsRefusal(err, access.LoginRequired) {
		return err
	}
	return request.SeeOther(w, "/dev/native")
}

// submitPlayedCall answers a message of a page; 204 is silence.
func (p *Pages) submitPlayedCall(w http.ResponseWriter, r *http.Request) error {
	answer := ""
	if is := p.native.Playing(r); is.On != "" {
		p.native.Played.With(is.Run, p.native.FreshApp(), func(one *native.PlayedApp) {
			answer = one.Hear(r.PostForm.Get("message"), r.Host+r.PostForm.Get("page"))
		})
	}
	if answer == "" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return request.WriteJSON(w, http.StatusOK, json.RawMessage(answer))
}

// showPlayedJSON is the whole of the app, secrets included, for tests.
func (p *Pages) showPlayedJSON(w http.ResponseWriter, r *http.Request) error {
	is := p.native.Playing(r)
	if is.On == "" {
		return access.NotFound
	}
	return request.WriteJSON(w, http.StatusOK, p.native.Played.Snapshot(is.Run, p.native.FreshApp()))
}
