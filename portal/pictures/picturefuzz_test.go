package pictures_test

import (
	"errors"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/pictures"
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
		if err := pictures.LookAtPicture(data); err != nil && !errors.Is(err, access.UploadRejected) {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v", took)
		}
	})
}
