package pages

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/verification"
)

// flowID returns the browser's id for verification codes, and sets its cookie when there is none yet. A code is only
// valid in the browser that asked for it.
func (p *Pages) flowID(w http.ResponseWriter, r *http.Request) string {
	if id := p.knownFlow(r); id != "" {
		return id
	}
	id := verification.NewFlow()
	p.setCookie(w, flowCookie, id, daySeconds)
	visitOf(r.Context()).flow = id
	return id
}

// knownFlow returns the id that flowID gave this browser, in an earlier request or in this one; "" for none.
func (p *Pages) knownFlow(r *http.Request) string {
	if v := visitOf(r.Context()); v != nil && v.flow != "" {
		return v.flow
	}
	if id := p.cookie(r, flowCookie); verification.IsFlow(id) {
		return id
	}
	return ""
}

// codeRequest reads a request for a verification code. It returns LoginRequired for a purpose that needs a session, and
// WrongParameters for an unknown purpose.
func (p *Pages) codeRequest(
	w http.ResponseWriter, r *http.Request, purpose access.Purpose,
) (in verification.AskCodeInput, err error) {
	decode(r, &in)
	in.Purpose, in.Browser, in.Place, in.Lang = purpose, true, placeOf(r.Context()), string(locale.Of(r.Context()))
	in.Device = p.portal.Sessions.DeviceID(p.cookie(r, deviceCookie))
	if r.PostForm.Get(forIdentity) != "" {
		defer func() { in.Flow = p.identityFlow(r, in.Flow) }()
	}
	switch purpose {
	case verification.ForBind, verification.ForUnbind, verification.ForNewPhone, verification.ForOldPhone:
		in.Session, err = p.signedIn(r)
		in.Flow, in.Login = sessionFlow(in.Session), ""
		return in, err
	case verification.ForRegister, verification.ForExperience,
		verification.ForShopRegister, verification.ForApplication:
		in.Flow, in.Login = p.flowID(w, r), ""
		if purpose == verification.ForApplication || purpose == verification.ForShopRegister && in.Invite == "" {
			in.CompanyID = in.Place.CompanyID()
		}
		return in, nil
	case verification.ForLogin, verification.ForReset:
		in.Flow, in.CompanyID = p.flowID(w, r), in.Place.CompanyID()
		if purpose == verification.ForLogin {
			in.Login = ""
		}
		return in, nil
	}
	return in, access.WrongParameters
}

// forIdentity is the field of forms whose code proves a phone for the identity of a chat app.
const forIdentity = "identity"

// identityFlow returns the flow of the codes that this browser asks for while it links or registers the identity of a
// chat app.
func (p *Pages) identityFlow(r *http.Request, flow string) string {
	return p.portal.Chatlogin.CodeFlow(flow, p.cookie(r, identityCookie))
}

// sessionFlow returns the flow of codes that only one sign-in may use. It stays the same when the session's id changes.
func sessionFlow(s access.Session) string { return "session:" + s.Family }

// sendCode sends the code that a form asks for with its second button, and shows the form again.
func (p *Pages) sendCode(w http.ResponseWriter, r *http.Request, purpose access.Purpose, view formView) error {
	return p.sendCodeOr(w, r, purpose, view, func(*access.Refused) formView { return view })
}

// sendCodeOr does what sendCode does, and shows the form of refusedView when the code is refused.
func (p *Pages) sendCodeOr(
	w http.ResponseWriter, r *http.Request,
	purpose access.Purpose, view formView, refusedView func(*access.Refused) formView,
) error {
	in, err := p.codeRequest(w, r, purpose)
	if err != nil {
		return err
	}
	sent, err := p.portal.Verification.AskCode(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		if refused.Company != nil {
			return err
		}
		return p.renderForm(w, r, refusedView(refused), refused)
	}
	if err != nil {
		return err
	}
	view.Sending.Seconds = int(sent.ResendAfter.Seconds())
	view.Sending.Message = p.sentText(r, in, sent)
	return p.renderForm(w, r, view, nil)
}

// sentText says to which phone a code was sent. It names the phone only if the reader may know it.
func (p *Pages) sentText(r *http.Request, in verification.AskCodeInput, sent verification.CodeSent) string {
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
	Proof       *codeProof        `json:"proof,omitempty"`
}

// codeProof is the proof of work that the script has to do before it asks again. Bits is its difficulty.
type codeProof struct {
	Token string `json:"token"`
	Bits  int    `json:"bits"`
}

// submitCode sends a code for the code island: POST /code.
func (p *Pages) submitCode(w http.ResponseWriter, r *http.Request) error {
	in, err := p.codeRequest(w, r, access.Purpose(r.PostForm.Get("purpose")))
	if err != nil {
		return p.answerCode(w, r, err)
	}
	sent, err := p.portal.Verification.AskCode(r.Context(), in)
	if err != nil {
		return p.answerCode(w, r, err)
	}
	return writeJSON(
		w, http.StatusOK, codeAnswer{ResendAfter: int(sent.ResendAfter.Seconds()), Message: p.sentText(r, in, sent)},
	)
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
	answer := codeAnswer{Message: refusalText(r, refused)}
	if refused.Refusal == access.CodeAlreadySent {
		answer.ResendAfter = refused.WaitSeconds()
	}
	// The page has links that a message cannot have: without a message, the script sends the form and gets the page.
	if refused.Refusal == access.PhoneRegistered {
		answer.Message = ""
	}
	for name, problem := range refused.Fields {
		if refused.Work != nil && name == "answer" {
			answer.Proof = &codeProof{refused.Work.Token, refused.Work.Bits}
			continue
		}
		if answer.Fields == nil {
			answer.Fields = map[string]string{}
		}
		answer.Fields[name] = p.problemText(r, problem)
	}
	return writeJSON(w, refusedStatus(w, refused), answer)
}

// writeJSON writes v as JSON that caches must not store.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
	return nil
}

// resume fills in a form whose browser has asked for a code already: the phone, and the seconds until another code can
// be sent.
func (p *Pages) resume(
	r *http.Request, v *formView, flow string, purpose access.Purpose,
) (verification.PendingCode, error) {
	pending, ok, err := p.portal.Verification.PendingCode(r.Context(), flow, purpose)
	if err != nil || !ok {
		return pending, err
	}
	v.Sending.Seconds = secondsOf(pending.ResendAfter)
	if f := v.field("phone"); f != nil && f.Value == "" && !pending.Hidden {
		f.Value = components.GroupPhone(pending.Phone)
	}
	return pending, nil
}

// secondsOf rounds a wait up to whole seconds.
func secondsOf(wait time.Duration) int { return int((wait + time.Second - 1) / time.Second) }

// asksForCode reports whether a form was sent with its second button, which asks for a code.
func asksForCode(r *http.Request) bool { return r.PostForm.Get("action") == "send_code" }
