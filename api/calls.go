package api

import (
	"context"
	"net/http"
	"reflect"

	"portico/portal/access"
	"portico/portal/core"
)

// call is one row of the table.
type call struct {
	method, path string
	rights       rights
	operation
}

// rights are what a call needs, and whether it has an effect.
type rights uint8

const (
	public   rights = 1 << iota // the signature alone is enough; all others need X-Token
	optional                    // the signature alone is enough, but an X-Token that is sent must be right
	ticket                      // a sign-in's ticket is accepted in place of a token
	effect                      // a repeated signature is refused
	creates                     // the request may carry an Idempotency-Key
	ends                        // the call may revoke its own token, so a repetition carries a revoked one
)

func (c *call) has(r rights) bool { return c.rights&r != 0 }

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// calls is the table of all calls.
var calls = []call{
	{post, "/api/v1/company/wechat/noAuth/getAppAuthenticationParams", public | effect, op(getAppAuthenticationParams)},
	{post, "/api/v1/company/wechat/noAuth/authorization", public | effect, op(signInByWorkChat)},
	{post, "/api/v1/company/wechat/account/login", ticket | effect, op(loginAs)},
	{post, "/v1/account/checkPhoneExitInCompany", public, op(checkPhoneExitInCompany)},
	{get, "/v1/account/registCode", public | effect, op(sendCode(core.ForRegister))},
	{post, "/v1/account/createCompany", public | effect | creates, op(createCompany)},
	{post, "/v1/account/updateAndImportTrade", effect | creates, op(updateAndImportTrade)},
	{post, "/v1/account/mixedLogin", public | effect, op(mixedLogin)},
	{post, "/v1/account/bindPhone", effect, op(bindPhone)},
	{get, "/v1/account/bindPhoneCode", effect, op(sendCode(core.ForBind))},
	{get, "/v1/account/unbindPhoneCode", effect, op(sendUnbindCode)},
	{post, "/v1/account/unbindPhone", effect | ends, op(unbindPhone)},
	{post, "/v1/account/setBindPhonePassword", effect, op(setBindPhonePassword)},
	{post, "/v1/account/setDefaultCompany", ticket | effect, op(setDefaultCompany)},
	{get, "/v1/base/experience/experienceCode", public | effect, op(sendCode(core.ForExperience))},
	{post, "/v1/account/experienceRegister", public | effect | creates, op(experienceRegister)},
	{post, "/v1/account/getExperienceUser", ticket | effect | creates, op(getExperienceUser)},
	{get, "/v1/account/getCompanyById/{id}", public, op(getCompanyByID)},
	{get, "/v1/account/shopRegisterCode", public | effect, op(sendCompanyCode(core.ForShopRegister))},
	{post, "/v1/account/shopCompleteRegister", public | effect | creates, op(shopCompleteRegister)},
	{get, "/v1/account/getAdminByLogin", public, op(getAdminByLogin)},
	{post, "/v1/account/checkPhoneExitInUser", public, op(checkPhoneExitInUser)},
	{get, "/v1/account/resetCode", public | effect, op(sendResetCode)},
	{post, "/v1/account/resetPhonePassword", public | effect, op(resetPhonePassword)},
	{post, "/v1/account/modifyPwd", effect, op(modifyPwd)},
	{get, "/v1/account/getAccountList", ticket, op(getAccountList)},
	{get, "/v1/base/company/noAuth/getByHost", public, op(getCompanyByHost)},
	{get, "/v1/account/getLoginUserByAuthCode", public | effect, op(getLoginUserByAuthCode)},
	{post, "/v1/account/bindJpushId", effect, op(bindJpushID)},
	{get, "/openapi/v1/auth/getAuthCode", ticket | effect, op(getAuthCode)},
	{post, "/v1/account/noAuth/markDoNotRemindBindPhone/{id}", optional | effect, op(markDoNotRemindBindPhone)},
	{post, "/v1/account/bindOpenIdForLogin", public | effect, op(bindOpenIDForLogin)},
	{post, "/v1/account/openIdLogin", public | effect, op(openIDLogin)},
	{get, "/v1/common/upload/getUploadToken", public | effect, op(getUploadToken)},
	{get, "/v1/setting/weChatSetting/noAuth/getWeChatUserInfo", public | effect, op(getWeChatUserInfo)},
	{get, "/v1/base/company/noAuth/getDefaultSetting", public, op(getDefaultSetting)},
	{get, "/v1/shopRegisterSetting/noAuth/getByCompany", public, op(getApplicationSetting)},
	{post, "/v1/shopRegister/noAuth/checkPhoneOrOpenId", public, op(getApplicationState)},
	{get, "/v1/shopRegister/noAuth/registerCode", public | effect, op(sendCompanyCode(core.ForApplication))},
	{post, "/v1/shopRegister/noAuth/checkCode", public | effect, op(proveApplicant)},
	{get, "/v1/shopRegister/noAuth/getByPhoneOrOpenId", public, op(getLastApplication)},
	{post, "/v1/shopRegister/noAuth/save", public | effect | creates, op(sendApplication)},
	{get, "/v1/shopRegister/noAuth/getById/{id}", public, op(getApplication)},
	{get, "/v1/common/helper/buildRegionTree", public, withoutParameters(buildRegionTree)},
	{get, "/v1/common/helper/buildSimpleRegionTree", public, cached(buildSimpleRegionTree)},
}

// caller is the program that makes a call, after its signature and token were checked.
type caller struct {
	ctx       context.Context
	lang      func() string // of messages to phones
	kind      access.Client
	session   access.Session // zero for public calls, and for optional ones without a token
	token     string         // X-Token as it was sent; it is checked only if session is set
	companyID int64          // X-Company-Id, 0 for none
	lighting  bool           // X-Edition: lighting
	id        int64          // at the end of the path
}

// operation is what a call does. run decodes the parameters and returns the data of the answer. respond, if set, writes
// the whole answer instead.
type operation struct {
	input   reflect.Type // a struct whose json tags are the parameters
	run     func(a *API, caller *caller, sent *request) (any, error)
	respond func(a *API, w http.ResponseWriter, r *http.Request, sent *request) error
}

// op makes an operation of a function with an input struct.
func op[In, Out any](run func(a *API, caller *caller, in In) (Out, error)) operation {
	return operation{input: reflect.TypeFor[In](), run: func(a *API, caller *caller, sent *request) (any, error) {
		var in In
		if err := sent.decode(&in); err != nil {
			return nil, err
		}
		return run(a, caller, in)
	}}
}

// noParameters is the input of calls without parameters.
type noParameters struct{}

// noData is the data of calls that return nothing.
type noData struct{}
