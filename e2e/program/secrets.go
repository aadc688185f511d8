package program

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// ChatAppSecrets matches the secrets and access tokens of chat apps. No response and no log may contain them.
var ChatAppSecrets = regexp.MustCompile(`standin-w[wx]|\b84_[0-9A-Za-z]{133}\b`)

// The ids of the stand-in's chat applications.
const (
	WeChatApp   = "wx57a9d11e0ff1c1a1"
	WeChatQRApp = "wx57a9d11e05ca99ed"
	WeComApp    = "ww57a9d11e0c0c0c0c"
)

// HideSecrets adds strings that the server's log must not contain. Stop checks it.
func (s *Server) HideSecrets(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden = append(s.hidden, secrets...)
}

// secretsFound returns the secrets of chat apps in a text, and the strings given to HideSecrets.
func (s *Server) secretsFound(text string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := ChatAppSecrets.FindAllString(text, -1)
	for _, secret := range s.hidden {
		if strings.Contains(text, secret) {
			found = append(found, secret)
		}
	}
	return found
}

// pageTickets returns the tickets with which chat apps sign pages. The stand-in gives every client the same ones.
func (s *Server) pageTickets() (tickets []string, err error) {
	client := s.Client()
	defer client.CloseIdleConnections()
	read := func(answer *http.Response, err error) (said struct{ Access_token, Ticket string }, _ error) {
		if err != nil {
			return said, err
		}
		defer func() { _ = answer.Body.Close() }()
		return said, json.NewDecoder(answer.Body).Decode(&said)
	}
	api := s.URL("", "/dev/wechat/cgi-bin/")
	corp, err := read(client.Get(api + "gettoken?corpid=" + WeComApp + "&corpsecret=standin-" + WeComApp))
	if err != nil {
		return nil, err
	}
	ask := `{"grant_type":"client_credential","appid":"` + WeChatApp + `","secret":"standin-` + WeChatApp + `"}`
	account, err := read(client.Post(api+"stable_token", "application/json", strings.NewReader(ask)))
	if err != nil {
		return nil, err
	}
	for path, token := range map[string]string{
		"get_jsapi_ticket?":             corp.Access_token,
		"ticket/get?type=agent_config&": corp.Access_token,
		"ticket/getticket?type=jsapi&":  account.Access_token,
	} {
		said, err := read(client.Get(api + path + "access_token=" + url.QueryEscape(token)))
		if err != nil {
			return nil, err
		}
		tickets = append(tickets, said.Ticket)
	}
	return tickets, nil
}

var (
	// counted are numbers in a log that are no codes: times, counts, and ids of records in addresses.
	counted = regexp.MustCompile(
		`"(time|request_id)":"[^"]*"|"\w+":\d+|/(orders|customers|applications|people|products)/\d+`,
	)
	escaped = regexp.MustCompile(`\\(u[0-9A-Fa-f]{4}|.)|%[0-9A-Fa-f]{2}`) // characters that are spelled with others
	words   = regexp.MustCompile(`#?[0-9A-Za-z]+`)
)

// CodesIn returns the verification codes in a text or log. Digits that are part of a longer number or word, colours,
// and numbers of log fields, are no codes.
func CodesIn(text string, codes []string) []string {
	var found []string
	for _, word := range words.FindAllString(escaped.ReplaceAllString(counted.ReplaceAllString(text, ""), " "), -1) {
		if slices.Contains(codes, word) {
			found = append(found, word)
		}
	}
	return found
}

// secrets matches what no log and no browser storage may contain: full phone numbers, passwords, auth codes.
var secrets = regexp.MustCompile(
	`(?:^|\D)(?:138\s?0000\s?00\d\d|139\s?0000\s?\d{4})(?:\D|$)|` + Password + `|` + NewPassword + `|auth_code_=`,
)

// SecretsIn returns the phone numbers, passwords and auth codes in a text.
func SecretsIn(text string) []string { return secrets.FindAllString(text, -1) }
