package portal

// ProviderName is who says who somebody is.
type ProviderName string

// The providers.
const (
	WeChat ProviderName = "wechat"
	WeCom  ProviderName = "wecom" // work-chat, the WeChat of companies
)
