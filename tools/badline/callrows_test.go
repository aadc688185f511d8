package badline_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/e2e/testscope"
)

// callRow is a call that changes something.
type callRow struct {
	method, path string
	make         func(*callScene)
	creates      bool   // it accepts an Idempotency-Key
	or           string // another correct answer to a repetition
}

var callRows = []callRow{
	{get, "/v1/account/registCode", func(x *callScene) { x.code(newPhone()) }, false, sentAlready},
	{get, "/v1/base/experience/experienceCode", func(x *callScene) { x.code(newPhone()) }, false, sentAlready},
	{get, "/v1/account/bindPhoneCode", callBindCode, false, sentAlready},
	{get, "/v1/account/unbindPhoneCode", callUnbindCode, false, sentAlready},
	{get, "/v1/account/shopRegisterCode", callInvitedCode, false, sentAlready},
	{get, "/v1/account/resetCode", func(x *callScene) { x.code(x.newCompany().buyer.phone) }, false, sentAlready},
	{get, "/v1/shopRegister/noAuth/registerCode", callApplicantCode, false, sentAlready},
	{post, "/v1/account/createCompany", callCreateCompany, true, ""},
	{post, "/v1/account/updateAndImportTrade", callInitialise, true, ""},
	{post, "/v1/account/experienceRegister", callTry, true, ""},
	{post, "/v1/account/getExperienceUser", callRole, true, ""},
	{post, "/v1/account/shopCompleteRegister", callComplete, true, ""},
	{post, "/v1/shopRegister/noAuth/save", callSave, true, ""},
	{post, "/v1/shopRegister/noAuth/checkCode", callCheckCode, false, ""},
	{post, "/v1/account/mixedLogin", callLogin, false, ""},
	{post, "/api/v1/company/wechat/account/login", callLoginAs, false, ""},
	{get, "/openapi/v1/auth/getAuthCode", callAuthCode, false, ""},
	{get, "/v1/account/getLoginUserByAuthCode", callRedeem, false, ""},
	{post, "/v1/account/setDefaultCompany", callDefault, false, ""},
	{post, "/v1/account/bindPhone", callBind, false, ""},
	{post, "/v1/account/setBindPhonePassword", callBindPassword, false, ""},
	{post, "/v1/account/unbindPhone", callUnbind, false, ""},
	{post, "/v1/account/resetPhonePassword", callReset, false, ""},
	{post, "/v1/account/modifyPwd", callModify, false, ""},
	{post, "/v1/account/bindJpushId", callPush, false, ""},
	{post, "/v1/account/noAuth/markDoNotRemindBindPhone/{id}", callNoReminder, false, ""},
	{get, "/v1/common/upload/getUploadToken", callUploadToken, false, ""},
}

// callsElsewhere change something and need a chat app's one-time code, which the app issues once: e2e tests them.
var callsElsewhere = []string{
	"/api/v1/company/wechat/noAuth/getAppAuthenticationParams", "/api/v1/company/wechat/noAuth/authorization",
	"/v1/account/bindOpenIdForLogin", "/v1/account/openIdLogin", "/v1/setting/weChatSetting/noAuth/getWeChatUserInfo",
}

func TestEveryCallWithAnEffectIsInTheTable(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile(testscope.File("api/calls.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, call := range regexp.MustCompile(`\{(?:get|post), "([^"]+)", ([^,]*)`).FindAllStringSubmatch(string(table),
		-1) {
		if !strings.Contains(call[2], "effect") {
			continue
		}
		found++
		tried := slices.ContainsFunc(callRows, func(row callRow) bool { return row.path == call[1] })
		if !tried && !slices.Contains(callsElsewhere, call[1]) {
			t.Errorf("%s has an effect and is not in the table", call[1])
		}
	}
	if found < len(callRows) {
		t.Errorf("only %d calls with an effect are found", found)
	}
}
