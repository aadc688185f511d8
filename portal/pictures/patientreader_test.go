package pictures

import "testing"

func TestADecoderReadsHalfAKilobyteBetweenTwoChecksOfTheTime(t *testing.T) {
	r := &patientReader{t.Context().Err, make([]byte, 1000)}
	for _, want := range []int{512, 488} {
		if n, err := r.Read(make([]byte, 1000)); n != want || err != nil {
			t.Errorf("%d bytes, %v, want %d", n, err, want)
		}
	}
}
