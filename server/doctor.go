package server

import (
	"encoding/json"
	"net/http"
	"time"
)

// DoctorHeader is the header of a question of "portico doctor" to a probe: how does a request look here, behind the
// proxy? Its value is sealed with the master key, so that nobody else gets an answer.
const DoctorHeader = "X-Portico-Doctor"

// doctorPurpose is what a question is sealed for.
const doctorPurpose = "doctor"

// doctorTime is how long a question can be asked, so that a copied one soon says nothing.
const doctorTime = time.Minute

// Seen is how a request looked when it arrived.
type Seen struct {
	Host      string `json:"host"`
	Address   string `json:"address"`    // of the caller, as rate limits and the audit log use it
	Peer      string `json:"peer"`       // of the connection: the proxy
	RequestID string `json:"request_id"` // as the log has it
}

// question is the content of a DoctorHeader.
type question struct {
	AskedAt int64 `json:"at"` // milliseconds of Unix time
}

// Sealer seals and opens values with the master key.
type Sealer interface {
	Seal(purpose string, v any) (string, error)
	Unseal(purpose, sealed string, v any) error
}

// DoctorQuestion returns a value of DoctorHeader.
func DoctorQuestion(s Sealer, now time.Time) (string, error) {
	return s.Seal(doctorPurpose, question{now.UnixMilli()})
}

// answerDoctor answers a question of "portico doctor". It returns false when the request has none that counts.
func answerDoctor(w http.ResponseWriter, r *http.Request, s Sealer, seen Seen, now time.Time) bool {
	sealed := r.Header.Get(DoctorHeader)
	if sealed == "" {
		return false
	}
	var q question
	if err := s.Unseal(doctorPurpose, sealed, &q); err != nil || now.Sub(time.UnixMilli(q.AskedAt)).Abs() > doctorTime {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(seen)
	return true
}
