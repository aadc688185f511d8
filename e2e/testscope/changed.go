package testscope

// Changed returns a token or another random text with one character changed. The change is in the middle: the last
// character of base64 has bits that mean nothing, and a fixed ending may be the right one.
func Changed(token string) string {
	at := len(token) / 2
	if token[at] == 'A' {
		return token[:at] + "B" + token[at+1:]
	}
	return token[:at] + "A" + token[at+1:]
}
