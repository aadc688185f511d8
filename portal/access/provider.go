package access

// ProviderName names a chat app whose identities sign people in.
type ProviderName string

// The providers.
const (
	WeChat ProviderName = "wechat"
	WeCom  ProviderName = "wecom" // work-chat, the WeChat of companies
)

// Purpose is what a verification code is for. A code works for its purpose only.
type Purpose string
