package sealing

const (
	TargetAccount = "account:"
)
