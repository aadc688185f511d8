package signin

import (
	"strings"

	"portico/portal/access"
	"portico/store"
)

// UserOf returns an account as programs and pages of the landing sites get it, without a token and a code. An account
// of a company without WeCom settings of its own gets the platform's WeCom application.
func (a *Accounts) UserOf(m store.Member) access.User {
	corp, agent := m.CorpID, m.AgentID
	if !a.chatapps.Offers(&m.Company, store.WeComCorp) {
		corp, agent = "", ""
	} else if corp == "" {
		platform := a.chatapps.PlatformApp(store.WeComCorp)
		corp, agent = platform.ID, platform.Agent
	}
	return access.User{
		CorpID: access.Text(corp), AgentID: access.Text(agent), WechatBind: m.WeChatBound,
		CompanyID: m.CompanyID, CompanyName: m.Company.Name, CompanyTheme: access.Text(m.Company.Theme),
		CompanyShopSwitch: m.Company.Mall == store.MallOpen, IsLighting: m.Company.Lighting,
		PCDomain: access.Text(m.Company.PCDomain), Env: access.Text(a.core.Environment),
		Login: m.Login, ID: m.ID, Name: access.Text(m.Name), Type: m.Type,
		Phone: access.Text(m.Phone), BindPhone: access.Text(m.Phone),
		ClientID: access.Number(m.ClientID), ClientName: access.Text(m.ClientName),
		ClientTypeID: access.Number(m.ClientTypeID), HeadImg: access.Text(a.portraitURL(m.HeadImg)),
		DutyName: access.Text(m.DutyName), DeptName: access.Text(m.DeptName),
	}
}

// portraitURL returns the address of a portrait for programs, which load it from any site.
func (a *Accounts) portraitURL(address string) string {
	if strings.HasPrefix(address, access.PortraitPrefix) {
		return a.core.Access.Origin("account") + address
	}
	return address
}
