package portal_test

import (
	"errors"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/picturetest"
)

func FuzzPicture(f *testing.F) {
	for _, file := range picturetest.Files() {
		if len(file.Data) < 20_000 {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		began := time.Now()
		if err := portal.LookAtPicture(data); err != nil && !errors.Is(err, portal.UploadRejected) {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v", took)
		}
	})
}
