package access

// The public constants of the product that the server uses. Those of the browser are in islands/constants.ts; a test
// compares the ones that both sides need. docs/constants.md says where each one is visible.
const (
	// MinPassword and MaxPasswordTyped are the shortest and the longest password of the default rule, in characters.
	MinPassword      = 6
	MaxPasswordTyped = 20
	// PhoneDigits is the length of a phone number.
	PhoneDigits = 11
	// MaxUpload is the largest picture that may be uploaded, in bytes.
	MaxUpload = 5 << 20
	// MobileWidth is the width in CSS pixels below which a window counts as a phone's.
	MobileWidth = 750
	// DefaultTheme is the theme of companies without one, six hex digits.
	DefaultTheme = "20ade5"
	// RandomLength and RequestLength are the lengths of RandomString and RequestString, in characters.
	RandomLength  = 15
	RequestLength = 20
	// CardGroup is how many digits of a bank card's number are shown without a space between them.
	CardGroup = 4
	// MinCardDigits and MaxCardDigits are the lengths of a bank card's number, in digits (ISO/IEC 7812).
	MinCardDigits = 12
	MaxCardDigits = 19
)

// randomCharacters need no escape in an address, a form, a header or a file name.
const randomCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// RandomString returns RandomLength random letters and digits: 89 bits, enough for a unique name. Credentials are made
// by RandomToken.
func RandomString() string { return RandomText(randomCharacters, RandomLength) }

// RequestString returns RequestLength random letters and digits, 119 bits, for a parameter that makes a request unique.
func RequestString() string { return RandomText(randomCharacters, RequestLength) }
