package limits

import "time"

const (
	// DeviceKnownFor is how long a browser counts as known after a sign-in.
	DeviceKnownFor = 180 * 24 * time.Hour
	// DeviceNotedFor is the age from which the stored time of a browser's last sign-in is renewed: a sign-in writes
	// nothing while it is younger. So a browser counts as known for at least DeviceKnownFor minus DeviceNotedFor.
	DeviceNotedFor = 24 * time.Hour
)
