package access

// The public constants of the product that act on the server. Those of a
// browser are in islands/constants.ts; where both sides need one a test holds them together. docs/constants.md says
// where one sees each. The countdown {num} of codes is DefaultResend, which the operator may change; the twelve
// industries are assets.Trades.
const (
	// MinPassword and MaxPasswordTyped are the shortest and the longest password of the rule, in characters.
	MinPassword      = 6
	MaxPasswordTyped = 20
	// PhoneDigits is the length of a phone number.
	PhoneDigits = 11
	// MaxUpload is the largest picture taken, in bytes.
	MaxUpload = 5 << 20
	// MobileWidth is the width in CSS pixels below which a window is a phone.
	MobileWidth = 750
	// DefaultTheme is the theme of companies without one, six hex digits.
	DefaultTheme = "20ade5"
	// RandomLength and RequestLength are the lengths of RandomString and RequestString, in characters.
	RandomLength  = 15
	RequestLength = 20
	// CardGroup is how many digits of a bank card's number stand together. Section 5: fours.
	CardGroup = 4
	// MinCardDigits and MaxCardDigits are the lengths of a bank card's number, in digits (ISO/IEC 7812; the
	// specification names none).
	MinCardDigits = 12
	MaxCardDigits = 19
)

// randomCharacters need no escape in an address, a form, a header or a file name.
const randomCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// RandomString gives RandomLength random letters and digits: 89 bits, enough never to be met again. It names things;
// what lets somebody in is made by RandomToken.
func RandomString() string { return RandomText(randomCharacters, RandomLength) }

// RequestString gives RequestLength of them, 119 bits, for a parameter that makes a request unlike any other.
func RequestString() string { return RandomText(randomCharacters, RequestLength) }
