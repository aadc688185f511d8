// Package client is what oapi-codegen makes of openapi.json.
// TestOapiCodegenClientDistinguishesSuccessFromRefusal copies this folder, generates the client into the copy, and runs
// these tests there.
package client

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// The generated client asks a server that answers with a success, and then with a refusal.
func TestTheGeneratedClientTellsSuccessFromRefusal(t *testing.T) {
	success := `{"status":1,"code":"ok","message":"","data":{"phone_":"13800000001","mgrAccountList":[],` +
		`"shopAccountList":[],"ticket_":"t1","user_":null,"of_tomorrow_":7},"request_id":"r-1","of_tomorrow":1}`
	refusal := `{"status":1002,"code":"wrong_password","message":"The password is wrong.","data":{"left_":9},` +
		`"request_id":"r-2"}`
	for _, body := range []string{success, refusal} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = w.Write([]byte(body))
		}))
		defer server.Close()
		c, err := NewClientWithResponses(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := c.MixedLoginWithResponse(t.Context(), &MixedLoginParams{}, MixedLoginJSONRequestBody{})
		if err != nil || answer.JSON200 == nil {
			t.Fatalf("%v %+v", err, answer)
		}
		value, err := answer.JSON200.ValueByDiscriminator()
		if err != nil {
			t.Fatal(err)
		}
		switch value := value.(type) {
		case MixedLoginSuccess:
			if body != success || value.Status != 1 || value.Data.Ticket != "t1" {
				t.Errorf("%s became %+v", body, value)
			}
		case BusinessRefusal:
			if body != refusal || value.Status != 1002 || value.Code != "wrong_password" || value.Message == "" {
				t.Errorf("%s became %+v", body, value)
			}
			if value.Data == nil || value.Data.Left == nil || *value.Data.Left != 9 {
				t.Errorf("%+v", value.Data)
			}
		default:
			t.Errorf("%s became a %T", body, value)
		}
	}
}

// The call whose name met a name of the generator's own.
var _ func(*LoginAsAnswer) (any, error) = (*LoginAsAnswer).ValueByDiscriminator
