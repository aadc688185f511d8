package api

import (
	"portico/portal/access"
	"portico/portal/signin"
)

// appParams is what a page needs to authorise in a chat app and to call its JS-SDK.
type appParams struct {
	CorpID         string      `json:"corp_id_"`
	AgentID        access.Text `json:"agent_id_"`
	AuthorizeURL   string      `json:"authorize_url_"`
	Timestamp      int64       `json:"timestamp_"` // Unix seconds
	Nonce          string      `json:"nonce_"`
	CorpSignature  string      `json:"corp_signature_"`
	AgentSignature access.Text `json:"agent_signature_"`
}

func getAppAuthenticationParams(a *API, caller *caller, in signin.AppParamsInput) (appParams, error) {
	in.Client, in.Site = caller.kind, caller.companyID
	p, err := a.portal.Chatlogin.AppParams(caller.ctx, in)
	return appParams{
		p.App.ID, access.Text(p.App.Agent), p.AuthorizeURL, p.Timestamp, p.Nonce, p.CorpSignature,
		access.Text(p.AgentSignature),
	}, err
}

// workChatSignIn is the person whom WeCom identified by a code.
type workChatSignIn struct {
	Ticket string       `json:"ticket_"`
	Linked bool         `json:"linked_"`
	User   *access.User `json:"user_"`
}

func signInByWorkChat(a *API, caller *caller, in signin.ClientCallbackInput) (workChatSignIn, error) {
	in.Provider = access.WeCom
	in.Client = caller.kind
	in.Lighting = caller.lighting
	in.Site = caller.companyID
	back, err := a.portal.Chatlogin.FinishForClient(caller.ctx, in, true)
	return workChatSignIn{back.Ticket, back.Linked, back.User}, err
}

type weChatCode struct {
	Code      string `json:"code_"`
	State     string `json:"state_"`
	CompanyID int64  `json:"company_id_"`
	App       string `json:"app_"`
}

// weChatIdentity is the identity that WeChat returned for a code.
type weChatIdentity struct {
	OpenID  string      `json:"open_id_"`
	UnionID access.Text `json:"union_id_"`
	Nick    access.Text `json:"nick_name_"`
	Head    access.Text `json:"head_img_"`
	Linked  bool        `json:"linked_"`
	Applied bool        `json:"applied_"`
	Ticket  string      `json:"ticket_"`
}

func getWeChatUserInfo(a *API, caller *caller, in weChatCode) (weChatIdentity, error) {
	back, err := a.portal.Chatlogin.FinishForClient(caller.ctx, signin.ClientCallbackInput{
		Code: in.Code, State: in.State, CompanyID: in.CompanyID, App: in.App,
		Provider: access.WeChat, Client: caller.kind, Site: caller.companyID,
	}, false)
	i := back.Identity
	return weChatIdentity{
		i.Subject, access.Text(i.UnionID), access.Text(i.Nick), access.Text(i.Portrait), back.Linked, back.Applied,
		back.Ticket,
	}, err
}

func openIDLogin(a *API, caller *caller, in signin.TicketLoginInput) (signInData, error) {
	in.Client = caller.kind
	in.Lighting = caller.lighting
	in.Site = caller.companyID
	return signInDataOf(a.portal.Chatlogin.LoginByTicket(caller.ctx, in))
}

func bindOpenIDForLogin(a *API, caller *caller, in signin.BindByTicketInput) (signInData, error) {
	in.Client = caller.kind
	in.Lighting = caller.lighting
	in.Site = caller.companyID
	in.Lang = caller.lang()
	return signInDataOf(a.portal.Chatlogin.BindByTicket(caller.ctx, in))
}

func loginAs(a *API, caller *caller, in signin.LoginAsInput) (access.User, error) {
	in.Client = caller.kind
	return a.portal.Chatlogin.LoginAs(caller.ctx, caller.session, in)
}
