package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// envelope is the JSON object around the data of every answer.
type envelope struct {
	Status    int             `json:"status"`
	Code      string          `json:"code"`
	Message   string          `json:"message"`
	Data      json.RawMessage `json:"data"`
	RequestID string          `json:"request_id"`
}

// answer runs a call and writes its result. A call that carries an idempotency key runs once for that key.
func (a *API) answer(w http.ResponseWriter, r *http.Request, c *call, caller *caller, sent *request) error {
	run := func() ([]byte, error) {
		result, err := c.run(a, caller, sent)
		if err != nil {
			return nil, err
		}
		return json.Marshal(result)
	}
	var data []byte
	var err error
	if c.hasKey(sent) {
		data, err = a.portal.Replay.Once(r.Context(), sent.onceInput(r), run)
	} else {
		data, err = run()
	}
	if err != nil {
		return err
	}
	return writeData(w, data)
}

// hasKey says whether a request carries an idempotency key and the call accepts one.
func (c *call) hasKey(sent *request) bool { return c.has(creates) && sent.key != "" }

// onceInput returns the values that identify a request with its idempotency key.
func (sent *request) onceInput(r *http.Request) core.OnceInput {
	return core.OnceInput{Caller: sent.token, Path: r.URL.Path, Key: sent.key, Content: sent.content()}
}

// writeData writes the answer of a call that succeeded.
func writeData(w http.ResponseWriter, data []byte) error {
	return write(w, http.StatusOK, envelope{Status: 1, Code: "ok", Data: data, RequestID: requestID(w)})
}

func write(w http.ResponseWriter, status int, e envelope) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may have gone
	return nil
}

// requestID returns the request id that package server has put into the answer's header.
func requestID(w http.ResponseWriter) string { return w.Header().Get("X-Request-Id") }

// detail is the data of a refusal, beside its message.
type detail struct {
	Fields      map[string]string   `json:"fields,omitempty"`
	ServerTime  int64               `json:"server_time_,omitempty"`  // Unix ms
	ResendAfter int                 `json:"resend_after_,omitempty"` // seconds
	Left        *int                `json:"left_,omitempty"`
	Question    *question           `json:"question_,omitempty"`
	Proof       *proof              `json:"proof_,omitempty"`
	CompanyID   int64               `json:"company_id_,omitempty"`
	CompanyName string              `json:"company_name_,omitempty"`
	Contacts    []contact           `json:"contacts_,omitempty"`
	Application *applicationSummary `json:"application_,omitempty"`
}

// applicationSummary is the state of the application of a person who has no account.
type applicationSummary struct {
	ID           int64                  `json:"id_"`
	State        store.ApplicationState `json:"state_"`
	RejectReason access.Text            `json:"reject_reason_"`
}

// question is a small sum to answer with the next attempt.
type question struct {
	Token string `json:"token_"`
	A     int    `json:"a_"`
	B     int    `json:"b_"`
	Text  string `json:"text_"`
}

// proof is the work to do before the next request for a code.
type proof struct {
	Token string `json:"token_"`
	Bits  int    `json:"bits_"`
}

type contact struct {
	Role  access.ContactRole `json:"role_"`
	Name  string             `json:"name_"`
	Phone string             `json:"phone_"`
}

// fail writes the refusal of a call. Any other error is logged here, once, and the caller learns only that something
// went wrong.
func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the caller has gone
	}
	refused, ok := errors.AsType[*access.Refused](err)
	if !ok {
		refused = &access.Refused{Refusal: a.refusalOf(r, w, err)}
	}
	row := rowOf(refused.Refusal)
	if refused.WaitSeconds() > 0 && row.HTTP != http.StatusOK {
		w.Header().Set("Retry-After", strconv.Itoa(refused.WaitSeconds()))
	}
	lang := a.langOf(r)
	key, args := refused.Message()
	data, err := json.Marshal(a.detailOf(refused, lang))
	if err == nil && string(data) == "{}" {
		data = nil
	}
	if err == nil {
		err = write(w, row.HTTP, envelope{
			Status: row.Status, Code: string(row.Refusal), Message: lang.T(key, args...), Data: data,
			RequestID: requestID(w),
		})
	}
	if err != nil {
		a.log.LogAttrs(
			r.Context(), slog.LevelError, "answer not written", slog.String("request_id", requestID(w)),
			slog.Any("error", err),
		)
	}
}

// refusalOf returns the refusal in an error. For any other error it returns the refusal that the caller gets instead.
func (a *API) refusalOf(r *http.Request, w http.ResponseWriter, err error) access.Refusal {
	known := access.Refusal("")
	if errors.As(err, &known) {
		return known
	}
	refusal := access.Internal
	if core.Unavailable(err) {
		refusal = access.NotAvailable
		w.Header().Set("Retry-After", "5")
	}
	a.log.LogAttrs(
		r.Context(), slog.LevelError, "call failed", slog.String("request_id", requestID(w)),
		slog.String("path", r.URL.Path), slog.Any("error", err),
	)
	return refusal
}

func rowOf(refusal access.Refusal) access.CatalogueRow {
	internal := access.CatalogueRow{}
	for _, row := range access.Catalogue {
		if row.Refusal == refusal {
			return row
		}
		if row.Refusal == access.Internal {
			internal = row
		}
	}
	return internal
}

// parameterNames are the parameters whose name differs from the name of the form field.
var parameterNames = map[string]string{"industry": "industry_id", "licence": "licence_key"}

func (a *API) detailOf(refused *access.Refused, lang locale.Lang) detail {
	d := detail{}
	if len(refused.Fields) > 0 {
		d.Fields = map[string]string{}
		for name, problem := range refused.Fields { // wire names end in an underscore
			if wire, other := parameterNames[name]; other {
				name = wire
			}
			key, args := a.portal.Passwords.ProblemMessage(problem)
			d.Fields[name+"_"] = lang.T(key, args...)
		}
	}
	if refused.Refusal == access.SignExpired {
		d.ServerTime = a.portal.Now().UnixMilli()
	}
	if refused.Refusal == access.CodeAlreadySent {
		d.ResendAfter = refused.WaitSeconds()
	}
	if refused.Refusal == access.WrongPassword && refused.Left != access.LeftHidden {
		d.Left = &refused.Left
	}
	if q := refused.Question; q != nil {
		d.Question = &question{q.Token, q.A, q.B, lang.T("login.question", "a", q.A, "b", q.B)}
	}
	if w := refused.Work; w != nil {
		d.Proof = &proof{w.Token, w.Bits}
	}
	if refused.Company != nil {
		d.CompanyID, d.CompanyName = refused.Company.ID, refused.Company.Name
	}
	if a := refused.Applied; a != nil {
		d.Application = &applicationSummary{a.ID, a.State, access.Text(a.RejectReason)}
	}
	for _, c := range refused.Contacts {
		d.Contacts = append(d.Contacts, contact{c.Role, c.Name, c.Phone})
	}
	return d
}

// langOf returns the caller's language: Accept-Language, else the language of the company in X-Company-Id, else
// Chinese.
func (a *API) langOf(r *http.Request) locale.Lang {
	if lang, ok := locale.Accepted(r.Header.Get("Accept-Language")); ok {
		return lang
	}
	if id, ok := access.DecimalID(r.Header.Get("X-Company-Id")); ok {
		if c, err := a.portal.Branding.CompanyByID(r.Context(), id); err == nil {
			lang, _ := locale.Match(c.Language)
			return lang
		}
	}
	return locale.Chinese
}
