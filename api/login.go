package api

import (
	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// account is an account in a list.
type account struct {
	ID          int64       `json:"id_"`
	Login       string      `json:"login_"`
	Name        access.Text `json:"name_"`
	CompanyID   int64       `json:"company_id_"`
	CompanyName string      `json:"company_name_"`
	Phone       access.Text `json:"phone_"`
	Type        int         `json:"type_"`
	State       string      `json:"state_"` // "active", "offered", or the code of what blocks it
	Default     bool        `json:"default_"`
}

func accountRows(views []signin.AccountView) []account {
	list := make([]account, len(views))
	for i, v := range views {
		list[i] = account{
			v.ID, v.Login, access.Text(v.Name), v.CompanyID, v.Company.Name, access.Text(v.Phone), v.Type, "active",
			v.Default,
		}
		if v.Blocked != "" {
			list[i].State = string(v.Blocked)
		}
	}
	return list
}

// signInData is the data of every call that signs in.
type signInData struct {
	Phone  access.Text  `json:"phone_"`
	Mgr    []account    `json:"mgrAccountList"`
	Shop   []account    `json:"shopAccountList"`
	Ticket string       `json:"ticket_"`
	User   *access.User `json:"user_"`
}

func mixedLogin(a *API, caller *caller, in signin.ClientLoginInput) (signInData, error) {
	in.Client = caller.kind
	in.Lighting = caller.lighting
	in.Site = caller.companyID
	return signInDataOf(a.portal.Signin.ClientLogin(caller.ctx, in))
}

func signInDataOf(result signin.ClientLogin, err error) (signInData, error) {
	if err != nil {
		return signInData{}, err
	}
	return signInData{
		access.Text(result.Phone), accountRows(result.Mgr), accountRows(result.Shop), result.Ticket, result.User,
	}, nil
}

// companyAccounts are a person's accounts in one company.
type companyAccounts struct {
	CompanyID   int64     `json:"company_id_"`
	CompanyName string    `json:"company_name_"`
	Default     bool      `json:"default_"`
	Mgr         []account `json:"mgrAccountList"`
	Shop        []account `json:"shopAccountList"`
}

func getAccountList(a *API, caller *caller, _ noParameters) ([]companyAccounts, error) {
	list, err := a.portal.Accounts.AccountList(caller.ctx, caller.session)
	if err != nil {
		return nil, err
	}
	all := make([]companyAccounts, len(list))
	for i, c := range list {
		all[i] = companyAccounts{c.Company.ID, c.Company.Name, c.Default, accountRows(c.Mgr), accountRows(c.Shop)}
	}
	return all, nil
}

type companyInput struct {
	CompanyID int64 `json:"company_id_"`
}

func setDefaultCompany(a *API, caller *caller, in companyInput) (companyInput, error) {
	return in, a.portal.Accounts.SetDefaultCompany(caller.ctx, caller.session, in.CompanyID, "")
}

func bindJpushID(a *API, caller *caller, in signin.PushInput) (noData, error) {
	return noData{}, a.portal.Chatlogin.BindPush(caller.ctx, caller.session, in)
}

type authCodeInput struct {
	AccountID int64      `json:"account_id_"`
	Target    store.Slot `json:"target_"`
}

type authCode struct {
	Code     string `json:"auth_code_"`
	Redirect string `json:"redirect_url_"`
}

func getAuthCode(a *API, caller *caller, in authCodeInput) (authCode, error) {
	sent, err := a.portal.Entry.EnterAsClient(caller.ctx, caller.session, in.AccountID, in.Target)
	return authCode{sent.Code, sent.URL}, err
}

type redeemInput struct {
	Code string `json:"auth_code_"`
}

func getLoginUserByAuthCode(a *API, caller *caller, in redeemInput) (signin.RedeemedUser, error) {
	return a.portal.Landing.RedeemForClient(caller.ctx, in.Code, caller.kind, caller.companyID)
}
