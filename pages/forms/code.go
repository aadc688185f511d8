package forms

import (
	"context"
	"errors"
	"net/http"
	"time"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
)

// FlowID returns the browser's id for verification codes, and sets its cookie when there is none yet. A code is only
// valid in the browser that asked for it.
func (p *Pages) FlowID(w http.ResponseWriter, r *http.Request) string {
	if id := p.web.KnownFlow(r); id != "" {
		return id
	}
	id := core.NewFlow()
	p.web.SetCookie(w, web.FlowCookie, id, web.DaySeconds)
	web.VisitOf(r.Context()).Flow = id
	return id
}

// CodeRequest reads a request for a verification code. It returns LoginRequired for a purpose that needs a session, and
// WrongParameters for an unknown purpose.
func (p *Pages) CodeRequest(
	w http.ResponseWriter, r *http.Request, purpose access.Purpose,
) (in core.AskCodeInput, err error) {
	web.Decode(r, &in)
	in.Purpose = purpose
	in.Browser = true
	in.Place = web.PlaceOf(r.Context())
	in.Lang = string(locale.Of(r.Context()))
	in.Device = p.core.Sessions.DeviceID(p.web.Cookie(r, web.DeviceCookie))
	if r.PostForm.Get(ForIdentity) != "" {
		defer func() { in.Flow = p.IdentityFlow(r, in.Flow) }()
	}
	switch purpose {
	case core.ForBind, core.ForUnbind, core.ForNewPhone, core.ForOldPhone:
		in.Session, err = p.web.SignedIn(r)
		in.Flow, in.Login = SessionFlow(in.Session), ""
		return in, err
	case core.ForRegister, core.ForExperience,
		core.ForShopRegister, core.ForApplication:
		in.Flow, in.Login = p.FlowID(w, r), ""
		if purpose == core.ForApplication || purpose == core.ForShopRegister && in.Invite == "" {
			in.CompanyID = in.Place.CompanyID()
		}
		return in, nil
	case core.ForLogin, core.ForReset:
		in.Flow, in.CompanyID = p.FlowID(w, r), in.Place.CompanyID()
		if purpose == core.ForLogin {
			in.Login = ""
		}
		return in, nil
	}
	return in, access.WrongParameters
}

// ForIdentity is the field of forms whose code proves a phone for the identity of a chat app.
const ForIdentity = "identity"

// IdentityFlow returns the flow of the codes that this browser asks for while it links or registers the identity of a
// chat app.
func (p *Pages) IdentityFlow(r *http.Request, flow string) string {
	return p.chatlogin.CodeFlow(flow, p.web.Cookie(r, web.IdentityCookie))
}

// SessionFlow returns the flow of codes that only one sign-in may use. It stays the same when the session's id changes.
func SessionFlow(s access.Session) string { return "session:" + s.Family }

// AskCode is an operation of portal that sends a code.
type AskCode func(context.Context, core.AskCodeInput) (core.CodeSent, error)

// SendCode sends the code that a form asks for with its second button, and shows the form again.
func (p *Pages) SendCode(
	w http.ResponseWriter, r *http.Request, purpose access.Purpose, ask AskCode, view FormView,
) error {
	return p.SendCodeOr(w, r, purpose, ask, view, func(*access.Refused) FormView { return view })
}

// SendCodeOr does what SendCode does, and shows the form of refusedView when the code is refused.
func (p *Pages) SendCodeOr(
	w http.ResponseWriter, r *http.Request, purpose access.Purpose, ask AskCode,
	view FormView, refusedView func(*access.Refused) FormView,
) error {
	in, err := p.CodeRequest(w, r, purpose)
	if err != nil {
		return err
	}
	sent, err := ask(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		if refused.Company != nil {
			return err
		}
		return p.RenderForm(w, r, refusedView(refused), refused)
	}
	if err != nil {
		return err
	}
	view.Sending.Seconds = int(sent.ResendAfter.Seconds())
	view.Sending.Message = p.SentText(r, in, sent)
	return p.RenderForm(w, r, view, nil)
}

// SentText says to which phone a code was sent. It names the phone only if the reader may know it.
func (p *Pages) SentText(r *http.Request, in core.AskCodeInput, sent core.CodeSent) string {
	phone := sent.Phone
	if number, ok := access.NormalPhone(in.Phone); ok && phone == "" && in.Login == "" {
		phone = components.GroupPhone(number)
	}
	if phone == "" {
		return locale.T(r.Context(), "code.maybe_sent")
	}
	return locale.T(r.Context(), "code.sent", "phone", phone)
}

// codeAnswer is the JSON that the code island reads. ResendAfter is in seconds.
type codeAnswer struct {
	ResendAfter int               `json:"resend_after,omitempty"`
	Message     string            `json:"message"`
	Fields      map[string]string `json:"fields,omitempty"`
	Proof       *CodeProof        `json:"proof,omitempty"`
}

// CodeProof is the proof of work that the script has to do before it asks again. Bits is its difficulty.
type CodeProof struct {
	Token string `json:"token"`
	Bits  int    `json:"bits"`
}

// SubmitCode sends a code for the code island: POST /code. ask sends it by its purpose.
func (p *Pages) SubmitCode(ask AskCode) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := p.CodeRequest(w, r, access.Purpose(r.PostForm.Get("purpose")))
		if err != nil {
			return p.answerCode(w, r, err)
		}
		sent, err := ask(r.Context(), in)
		if err != nil {
			return p.answerCode(w, r, err)
		}
		return web.WriteJSON(w, http.StatusOK, codeAnswer{
			ResendAfter: int(sent.ResendAfter.Seconds()), Message: p.SentText(r, in, sent),
		})
	}
}

// answerCode writes a refusal as JSON. It returns any other error to the caller.
func (p *Pages) answerCode(w http.ResponseWriter, r *http.Request, err error) error {
	refused := new(access.Refused)
	switch {
	case errors.Is(err, access.LoginRequired):
		refused.Refusal = access.LoginRequired
	case errors.Is(err, access.WrongParameters):
		refused.Refusal = access.WrongParameters
	case !errors.As(err, &refused):
		return err
	}
	answer := codeAnswer{Message: web.RefusalText(r, refused)}
	if refused.Refusal == access.CodeAlreadySent {
		answer.ResendAfter = refused.WaitSeconds()
	}
	// The page has links that a message cannot have: without a message, the script sends the form and gets the page.
	if refused.Refusal == access.PhoneRegistered {
		answer.Message = ""
	}
	for name, problem := range refused.Fields {
		if refused.Work != nil && name == "answer" {
			answer.Proof = &CodeProof{refused.Work.Token, refused.Work.Bits}
			continue
		}
		if answer.Fields == nil {
			answer.Fields = map[string]string{}
		}
		answer.Fields[name] = p.ProblemText(r, problem)
	}
	return web.WriteJSON(w, web.RefusedStatus(w, refused), answer)
}

// Resume fills in a form whose browser has asked for a code already: the phone, and the seconds until another code can
// be sent.
func (p *Pages) Resume(
	r *http.Request, v *FormView, flow string, purpose access.Purpose,
) (core.PendingCode, error) {
	pending, ok, err := p.core.Verification.PendingCode(r.Context(), flow, purpose)
	if err != nil || !ok {
		return pending, err
	}
	v.Sending.Seconds = SecondsOf(pending.ResendAfter)
	if f := v.Field("phone"); f != nil && f.Value == "" && !pending.Hidden {
		f.Value = components.GroupPhone(pending.Phone)
	}
	return pending, nil
}

// SecondsOf rounds a wait up to whole seconds.
func SecondsOf(wait time.Duration) int { return int((wait + time.Second - 1) / time.Second) }

// AsksForCode reports whether a form was sent with its second button, which asks for a code.
func AsksForCode(r *http.Request) bool { return r.PostForm.Get("action") == "send_code" }
