package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// unsaid is what no answer of ours and no log may hold: secrets and access tokens of the chat apps.
var unsaid = regexp.MustCompile(`standin-w[wx]|\b84_[0-9A-Za-z]{133}\b`)

// hide names what must not be in the site's log when it stops.
func (s *site) hide(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden = append(s.hidden, secrets...)
}

// hiddenIn are those of the hidden that a text holds, and whatever else no one may be told.
func (s *site) hiddenIn(text string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := unsaid.FindAllString(text, -1)
	for _, secret := range s.hidden {
		if strings.Contains(text, secret) {
			found = append(found, secret)
		}
	}
	return found
}

// tickets are those of the chat apps by which pages are signed: whoever asks is given the same.
func (s *site) tickets() (tickets []string, err error) {
	client := s.client()
	defer client.CloseIdleConnections()
	read := func(answer *http.Response, err error) (said struct{ Access_token, Ticket string }, _ error) {
		if err != nil {
			return said, err
		}
		defer func() { _ = answer.Body.Close() }()
		return said, json.NewDecoder(answer.Body).Decode(&said)
	}
	api := s.at("", "/dev/wechat/cgi-bin/")
	corp, err := read(client.Get(api + "gettoken?corpid=" + wecomDoor.app + "&corpsecret=standin-" + wecomDoor.app))
	if err != nil {
		return nil, err
	}
	ask := `{"grant_type":"client_credential","appid":"` + wechatDoor.app + `","secret":"standin-` + wechatDoor.app + `"}`
	account, err := read(client.Post(api+"stable_token", "application/json", strings.NewReader(ask)))
	if err != nil {
		return nil, err
	}
	for path, token := range map[string]string{
		"get_jsapi_ticket?": corp.Access_token, "ticket/get?type=agent_config&": corp.Access_token, "ticket/getticket?type=jsapi&": account.Access_token,
	} {
		said, err := read(client.Get(api + path + "access_token=" + url.QueryEscape(token)))
		if err != nil {
			return nil, err
		}
		tickets = append(tickets, said.Ticket)
	}
	return tickets, nil
}
