package web

// AcceptPath is the page on which people who sign in accept a new version of the agreement.
const AcceptPath = "/agreement/accept"

// IsLoginPath reports whether a path shows the sign-in form by password.
func IsLoginPath(path string) bool {
	return path == "/" || path == "/login" || path == "/login/account"
}

// IsAccountNamePath reports whether a path is the page on which people sign in by account name.
func IsAccountNamePath(path string) bool { return path == "/login/account" }

// The pages that connect a chat app to an account: LinkPath proves the account, ConfirmPath asks for confirmation.
const (
	LinkPath    = "/wechat/link"
	ConfirmPath = "/wechat/confirm"
)

// OffersPath is the page of the accounts that companies offer to the person. Pages with a list of accounts show the
// same offers; their forms are sent to this path.
const OffersPath = "/offers"

// SecurityPath is the page of what keeps a person's accounts safe: password, phone, chat apps, devices.
const SecurityPath = "/security"

// ProfilePath is the page on which people change their name, position and portrait.
const ProfilePath = "/profile"
