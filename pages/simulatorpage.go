package pages

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/landing"
)

// playView is the page of the app that is played.
type playView struct {
	Playing string // "ios", "android", "" for none
	Fields  []components.Field
	Manners []choice
	Code    bool // one waits to be redeemed
	Token   string
	Calls   []playedLine
}

// playedLine is one call as it is shown, the last one first: secrets cut short.
type playedLine struct{ At, Page, Call, Args, Answer string }

// playRoutes are those of the app that is played, on every host; there are none in production.
func (p *Pages) playRoutes(r chi.Router) {
	if p.played == nil {
		return
	}
	p.form(r, "/dev/native", p.showPlayed, p.submitPlayed)
	r.Get("/dev/native.json", p.serve(p.showPlayedJSON))
	r.Post("/dev/native/call", p.serve(p.guarded(p.submitPlayedCall)))
	r.Get(playScript, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(playObject)
	})
}

// freshApp is an app that was just installed.
func (p *Pages) freshApp() playedApp {
	return playedApp{Address: p.apis()[0], State: "online", Version: "3.2.1", MAC: "02:00:5E:10:00:01", Manner: mannerAnswers}
}

func (p *Pages) showPlayed(w http.ResponseWriter, r *http.Request) error {
	ctx, is := r.Context(), p.playing(r)
	v := playView{Playing: is.on}
	if token := p.sessionToken(r); token != "" {
		v.Token = p.formToken(r)
	}
	if is.on != "" {
		one := p.played.snapshot(is.run, p.freshApp())
		for _, f := range []struct{ id, label, value string }{
			{"app_token", "play.app_token", one.Token}, {"api_address", "play.api_address", one.Address}, {"state", "play.state", one.State},
			{"version", "play.version", one.Version}, {"mac", "play.mac", one.MAC},
		} {
			v.Fields = append(v.Fields, components.Field{ID: f.id, Label: locale.T(ctx, f.label), Value: f.value, Complete: "off", Max: 256, Optional: true})
		}
		for _, manner := range manners {
			v.Manners = append(v.Manners, choice{manner.name, locale.T(ctx, manner.label), manner.name == one.Manner})
		}
		v.Code = one.Code != ""
		for _, c := range slices.Backward(one.Calls) {
			v.Calls = append(v.Calls, playedLine{c.At.Local().Format("15:04:05"), c.Page, c.Call, short(string(c.Args)), short(c.result())})
		}
	}
	shell := p.shell(r, locale.T(ctx, "play.heading"), true)
	shell.Wide = true
	p.more(r, &shell)
	return p.render(w, r, http.StatusOK, shell, playPage(v))
}

// short cuts what is long in a message: codes and tokens.
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
	is := p.playing(r)
	if is.on == "" {
		return seeOther(w, "/dev/native")
	}
	said := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	var err error
	switch r.PostForm.Get("action") {
	case "clear":
		p.played.with(is.run, p.freshApp(), func(one *playedApp) { one.Calls = nil })
	case "lose":
		p.dropSession(w, r)
	case "redeem":
		var user access.User
		user, err = p.portal.Landing.RedeemForClient(r.Context(), p.played.snapshot(is.run, p.freshApp()).Code, landing.ClientApp, 0)
		p.played.with(is.run, p.freshApp(), func(one *playedApp) { one.Token, one.Code = string(user.Token), "" })
	default:
		p.played.with(is.run, p.freshApp(), func(one *playedApp) {
			one.Token, one.Address, one.State, one.Version, one.MAC = said("app_token"), said("api_address"), said("state"), said("version"), said("mac")
			for _, manner := range manners {
				if manner.name == said("manner") {
					one.Manner = manner.name
				}
			}
		})
	}
	if err != nil && !isRefusal(err, access.LoginRequired) {
		return err
	}
	return seeOther(w, "/dev/native")
}

// submitPlayedCall answers a message of a page; 204 is silence.
func (p *Pages) submitPlayedCall(w http.ResponseWriter, r *http.Request) error {
	answer := ""
	if is := p.playing(r); is.on != "" {
		p.played.with(is.run, p.freshApp(), func(one *playedApp) { answer = one.hear(r.PostForm.Get("message"), r.Host+r.PostForm.Get("page")) })
	}
	if answer == "" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return writeJSON(w, http.StatusOK, json.RawMessage(answer))
}

// showPlayedJSON is the whole of the app, secrets included, for tests.
func (p *Pages) showPlayedJSON(w http.ResponseWriter, r *http.Request) error {
	is := p.playing(r)
	if is.on == "" {
		return access.NotFound
	}
	return writeJSON(w, http.StatusOK, p.played.snapshot(is.run, p.freshApp()))
}
