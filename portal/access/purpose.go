package access

// Purpose is what a verification code is for. A code works for its purpose only.
type Purpose string
