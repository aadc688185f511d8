package access

// Purpose is what a code is for; a code for one opens no other.
type Purpose string
