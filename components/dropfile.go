package components

// FileField is a control for a file. A paragraph with the id ID-hint describes it, and one with ID-msg says what is
// wrong.
type FileField struct{ ID, Accept, Message string }
