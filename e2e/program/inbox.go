package program

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// message is one that was sent, as the inbox of development gives it.
type message struct{ Phone, Purpose, Code, Text string }

// Inbox reads the messages to a phone, or all for "", newest first.
func (s *Server) Inbox(number string) ([]message, error) {
	client := s.Client()
	defer client.CloseIdleConnections()
	answer, err := client.Get(s.URL("account", "/dev/inbox.json?phone="+number))
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New("the inbox: " + answer.Status)
	}
	var list []message
	return list, json.NewDecoder(answer.Body).Decode(&list)
}

// codesSent are the codes of all messages.
func (s *Server) codesSent() (codes []string, err error) {
	list, err := s.Inbox("")
	for _, m := range list {
		if m.Code != "" {
			codes = append(codes, m.Code)
		}
	}
	return codes, err
}

// WrongCode is another code.
func WrongCode(code string) string {
	return strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code)
}
