package web

import (
	"encoding/json"
	"net/http"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// Native wrappers read the mirror from local storage: names and ids, never a token, a code or a full phone number. It
// has eleven keys. islands/application/region-mirror.ts writes regionTreeList, and the share ids come from the address.

// weComCodeExchanged is the value of WechatproCode after a sign-in by WeCom. The key says that the code of an
// authorisation was exchanged; the code itself is never stored, like every credential.
const weComCodeExchanged = "exchanged"

// mirrorWeCom sets the key after a sign-in by WeCom and removes it after any other sign-in.
func mirrorWeCom(keys map[string]any, began access.ProviderName) {
	keys["WechatproCode"] = nil
	if began == access.WeCom {
		keys["WechatproCode"] = weComCodeExchanged
	}
}

type mirrorCompany struct {
	CompanyID int64  `json:"companyId"`
	Name      string `json:"name"`
}

type mirrorAccount struct {
	ID          int64  `json:"id_"`
	Login       string `json:"login_"`
	Name        string `json:"name_"`
	Type        int    `json:"type_"`
	CompanyID   int64  `json:"company_id_"`
	CompanyName string `json:"company_name_"`
	Phone       string `json:"phone_"` // masked
}

type mirrorGroup struct {
	CompanyID   int64           `json:"company_id_"`
	CompanyName string          `json:"company_name_"`
	Mgr         []mirrorAccount `json:"mgrAccountList"`
	Shop        []mirrorAccount `json:"shopAccountList"`
}

// MirrorPlace returns the mirror of a page without an account, as JSON: the host's company and the language.
func MirrorPlace(r *http.Request) string { return Mirrored(placeMirror(r)) }

// MirrorAccounts returns the mirror of a page that lists the person's accounts, as JSON.
func MirrorAccounts(r *http.Request, s access.Session, list []signin.CompanyAccounts) string {
	keys := placeMirror(r)
	keys["accountList"] = MirrorGroups(list)
	mirrorWeCom(keys, access.ProviderName(s.Provider))
	return Mirrored(keys)
}

// MirrorGroups returns a person's accounts, grouped by company, as the browser stores them.
func MirrorGroups(list []signin.CompanyAccounts) []mirrorGroup {
	groups := make([]mirrorGroup, 0, len(list))
	for _, c := range list {
		groups = append(groups, mirrorGroup{c.Company.ID, c.Company.Name, mirrorAccounts(c.Mgr),
			mirrorAccounts(c.Shop)})
	}
	return groups
}

// MirrorLanding returns LandingMirror as JSON.
func MirrorLanding(r *http.Request, slot store.Slot, here access.Landing) string {
	return Mirrored(LandingMirror(r, slot, here))
}

// LandingMirror returns what the browser stores on a landing page, by key: language, company and the account of slot.
func LandingMirror(r *http.Request, slot store.Slot, here access.Landing) map[string]any {
	keys := placeMirror(r)
	keys["companyData"] = mirrorCompany{here.Member.CompanyID, here.Member.Company.Name}
	keys[string(slot)+"_user"] = mirrorMember(here.Member)
	mirrorWeCom(keys, here.Chat)
	return keys
}

func placeMirror(r *http.Request) map[string]any {
	keys := map[string]any{"lang": string(locale.Of(r.Context())), "companyData": nil}
	if c := PlaceOf(r.Context()).Company; c != nil {
		keys["companyData"] = mirrorCompany{c.ID, c.Name}
	}
	return keys
}

func mirrorAccounts(views []signin.AccountView) []mirrorAccount {
	list := make([]mirrorAccount, 0, len(views))
	for _, v := range views {
		list = append(list, mirrorMember(v.Member))
	}
	return list
}

func mirrorMember(m store.Member) mirrorAccount {
	return mirrorAccount{m.ID, m.Login, m.Name, m.Type, m.CompanyID, m.Company.Name, access.MaskPhone(m.Phone)}
}

// Mirrored returns stored keys and values as JSON for the page.
func Mirrored(keys map[string]any) string {
	text, err := json.Marshal(keys)
	if err != nil {
		return "" // maps of plain values always marshal
	}
	return string(text)
}
