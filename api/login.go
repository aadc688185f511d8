package api

import (
	"portico/portal"
	"portico/store"
)

// account is an account in a list.
type account struct {
	ID          int64       `json:"id_"`
	Login       string      `json:"login_"`
	Name        portal.Text `json:"name_"`
	CompanyID   int64       `json:"company_id_"`
	CompanyName string      `json:"company_name_"`
	Phone       portal.Text `json:"phone_"`
	Type        int         `json:"type_"`
	State       string      `json:"state_"` // "active", "offered", or the code of what blocks it
	Default     bool        `json:"default_"`
}

func accounts(views []portal.AccountView) []account {
	list := make([]account, len(views))
	for i, v := range views {
		list[i] = account{
			v.ID, v.Login, portal.Text(v.Name), v.CompanyID, v.Company.Name, portal.Text(v.Phone), v.Type, "active",
			v.Default,
		}
		if v.Blocked != "" {
			list[i].State = string(v.Blocked)
		}
	}
	return list
}

// signedIn is the data of every call that signs in.
type signedIn struct {
	Phone  portal.Text  `json:"phone_"`
	Mgr    []account    `json:"mgrAccountList"`
	Shop   []account    `json:"shopAccountList"`
	Ticket string       `json:"ticket_"`
	User   *portal.User `json:"user_"`
}

func mixedLogin(a *API, who *caller, in portal.MixedLoginInput) (signedIn, error) {
	in.Client, in.Lighting, in.Site = who.kind, who.lighting, who.companyID
	return signedInBy(a.portal.MixedLogin(who.ctx, in))
}

func signedInBy(result portal.MixedLogin, err error) (signedIn, error) {
	if err != nil {
		return signedIn{}, err
	}
	return signedIn{
		portal.Text(result.Phone), accounts(result.Mgr), accounts(result.Shop), result.Ticket, result.User,
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

func getAccountList(a *API, who *caller, _ none) ([]companyAccounts, error) {
	list, err := a.portal.AccountList(who.ctx, who.session)
	if err != nil {
		return nil, err
	}
	all := make([]companyAccounts, len(list))
	for i, c := range list {
		all[i] = companyAccounts{c.Company.ID, c.Company.Name, c.Default, accounts(c.Mgr), accounts(c.Shop)}
	}
	return all, nil
}

type companyID struct {
	CompanyID int64 `json:"company_id_"`
}

func setDefaultCompany(a *API, who *caller, in companyID) (companyID, error) {
	return in, a.portal.SetDefaultCompany(who.ctx, who.session, in.CompanyID)
}

func bindJpushID(a *API, who *caller, in portal.PushInput) (done, error) {
	return done{}, a.portal.BindPush(who.ctx, who.session, in)
}

type authCodeInput struct {
	AccountID int64      `json:"account_id_"`
	Target    store.Slot `json:"target_"`
}

type authCode struct {
	Code     string `json:"auth_code_"`
	Redirect string `json:"redirect_url_"`
}

func getAuthCode(a *API, who *caller, in authCodeInput) (authCode, error) {
	sent, err := a.portal.EnterAsClient(who.ctx, who.session, in.AccountID, in.Target)
	return authCode{sent.Code, sent.URL}, err
}

type authCodeRedeemed struct {
	Code string `json:"auth_code_"`
}

func getLoginUserByAuthCode(a *API, who *caller, in authCodeRedeemed) (portal.User, error) {
	return a.portal.RedeemForClient(who.ctx, in.Code, who.kind, who.companyID)
}
