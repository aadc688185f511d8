package access

import "encoding/json"

// Text is a string that is null in JSON when it is empty.
type Text string

// MarshalJSON writes null for "".
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// Number is an id that is null in JSON when it is 0.
type Number int64

// MarshalJSON writes null for 0.
func (n Number) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int64(n))
}

// User is the user payload of the API (the schema User in api/openapi.json). Token is set for API clients only.
// AuthCode is set when the sign-in asked for a code (see signin.ClientLoginInput). The jsapi tickets are always null:
// they stay on the server, which signs pages with them.
type User struct {
	CompanyID         int64  `json:"company_id_"`
	CompanyName       string `json:"company_name_"`
	CompanyTheme      Text   `json:"company_theme_"`
	Env               Text   `json:"env_"`
	Login             string `json:"login_"`
	ID                int64  `json:"id_"`
	Name              Text   `json:"name_"`
	Type              int    `json:"type_"`
	Token             Text   `json:"token_"`
	AuthCode          Text   `json:"auth_code_"`
	Phone             Text   `json:"phone_"`
	BindPhone         Text   `json:"bind_phone_"`
	ClientID          Number `json:"client_id_"`
	ClientName        Text   `json:"client_name_"`
	ClientTypeID      Number `json:"client_type_id_"`
	HeadImg           Text   `json:"head_img_"`
	DutyName          Text   `json:"duty_name_"`
	DeptName          Text   `json:"dept_name_"`
	IsLighting        bool   `json:"isLighting"`
	WechatBind        bool   `json:"wechat_bind_"`
	CompanyShopSwitch bool   `json:"company_shop_switch_"`
	CorpID            Text   `json:"corp_id_"`
	AgentID           Text   `json:"agent_id_"`
	CorpJSAPITicket   Text   `json:"corp_jsapi_ticket_"`
	AgentJSAPITicket  Text   `json:"agent_jsapi_ticket_"`
	PCDomain          Text   `json:"pc_domain_"`
}

// PortraitPrefix begins the path of a person's portrait.
const PortraitPrefix = "/portrait/"
