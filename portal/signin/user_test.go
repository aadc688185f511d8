package signin_test

import (
	"slices"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
)

// Payload are the fields of the user payload, in their order.
var Payload = strings.Fields(`company_id_ company_name_ company_theme_ env_ login_ id_ name_ type_ token_ auth_code_
	phone_ bind_phone_ client_id_ client_name_ client_type_id_ head_img_ duty_name_ dept_name_ isLighting wechat_bind_
	company_shop_switch_ corp_id_ agent_id_ corp_jsapi_ticket_ agent_jsapi_ticket_ pc_domain_`)

func TestTheUserPayloadHasEveryFieldOfTheSpecificationAndNoMore(t *testing.T) {
	fields, _ := companytest.UserJSON(t, access.User{})
	for _, name := range Payload {
		if _, ok := fields[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	for name := range fields {
		if !slices.Contains(Payload, name) {
			t.Errorf("%s is not the specification's", name)
		}
	}
}

func TestTheUserPayloadSaysWhoLandedAndIsNullWhereItIsEmpty(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		fields, text := companytest.UserJSON(t, p.Land("buyer1", portaltest.PhoneScreen).User)
		for name, want := range map[string]any{
			"company_id_": 1001.0, "company_name_": "金穗粮油", "company_theme_": nil, "login_": "buyer1",
			"id_": float64(p.Account("buyer1").ID), "name_": "王芳",
			"type_": 3.0, "phone_": "13800000001", "bind_phone_": "13800000001", "client_name_": "芳华便利店",
			"client_type_id_": 1.0, "head_img_": nil,
			"duty_name_": nil, "isLighting": false, "company_shop_switch_": true, "pc_domain_": nil, "token_": nil,
			"auth_code_": nil, "corp_jsapi_ticket_": nil,
		} {
			if fields[name] != want {
				t.Errorf("%s is %v, want %v", name, fields[name], want)
			}
		}
		if strings.Contains(text, "argon2") {
			t.Error("the payload holds a password hash")
		}
		fields, _ = companytest.UserJSON(t, p.Land("northwind", portaltest.PhoneScreen).User)
		for name, want := range map[string]any{
			"company_theme_": "1c7ed6", "type_": 1.0, "phone_": nil, "bind_phone_": nil, "client_id_": nil,
			"client_name_": nil, "client_type_id_": nil,
			"isLighting": true, "pc_domain_": "http://store1003.portico.test",
		} {
			if fields[name] != want {
				t.Errorf("northwind: %s is %v, want %v", name, fields[name], want)
			}
		}
		if fields, _ := companytest.UserJSON(t, p.Land("trial.shop",
			portaltest.PhoneScreen).User); fields["company_shop_switch_"] != true {
			t.Error("an open mall is told as closed")
		}
	})
}

func TestAMaskedPhoneShowsNeitherMiddleNorAnythingShort(t *testing.T) {
	for number, want := range map[string]string{"13812345678": "138****5678", "": "", "1381234567": "",
		"138123456789": "", "1": ""} {
		if got := access.MaskPhone(number); got != want {
			t.Errorf("%s is masked as %q, want %q", number, got, want)
		}
	}
}
