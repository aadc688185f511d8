package pagestest

import (
	"encoding/json"
	"net/http"
)

// Played is /dev/native.json.
type Played struct {
	Token string `json:"token"`
	Code  string `json:"auth_code_"`
	Calls []struct {
		Page, Call, Answer string
		Args               json.RawMessage
	} `json:"calls"`
}

func (b *Browser) Played() (app Played) {
	b.T.Helper()
	r := b.Get(AccountSite + "/dev/native.json")
	WantStatus(b.T, r, http.StatusOK)
	if err := json.Unmarshal([]byte(Text(b.T, r)), &app); err != nil {
		b.T.Fatal(err)
	}
	return app
}

// Says sends a message as the played object does, and gives the answer.
func (b *Browser) Says(host, message string) map[string]any {
	b.T.Helper()
	r := b.Post("http://"+host+"/dev/native/call", "message", message, "page", "/login")
	if r.StatusCode == http.StatusNoContent {
		return nil
	}
	WantStatus(b.T, r, http.StatusOK)
	var answer map[string]any
	if err := json.Unmarshal([]byte(Text(b.T, r)), &answer); err != nil {
		b.T.Fatal(err)
	}
	return answer
}
