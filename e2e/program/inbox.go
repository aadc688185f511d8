package program

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// Message is a text message that the server has sent, as the inbox of dev mode shows it.
type Message struct{ Phone, Purpose, Code, Text string }

// Inbox reads the messages to a phone, newest first. For "" it reads those to every phone.
func (s *Server) Inbox(number string) ([]Message, error) {
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
	var list []Message
	return list, json.NewDecoder(answer.Body).Decode(&list)
}

// codesSent returns the verification codes of all messages.
func (s *Server) codesSent() (codes []string, err error) {
	list, err := s.Inbox("")
	for _, m := range list {
		if m.Code != "" {
			codes = append(codes, m.Code)
		}
	}
	return codes, err
}

// WrongCode returns a code of the same length that differs from code in every digit.
func WrongCode(code string) string {
	return strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code)
}
