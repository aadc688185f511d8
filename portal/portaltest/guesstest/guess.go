// Package guesstest guesses passwords in tests.
package guesstest

import (
	"errors"
	"fmt"
	"strconv"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/signin"
	"portico/store"
)

// Guesser guesses passwords as a careful attacker does: each attempt comes from another address and an unknown browser,
// and answers the question that the attempt before was asked.
type Guesser struct {
	*portaltest.Platform
	Question *access.Question
	Tries    int
}

// Try makes one attempt from a new address and returns its error. It answers the question of the attempt before and
// keeps the next one.
func (g *Guesser) Try(in signin.LoginInput) error {
	g.T.Helper()
	g.Tries++
	if g.Question != nil {
		in.Question, in.Answer = g.Question.Token, strconv.Itoa(g.Question.A+g.Question.B)
	}
	_, err := g.Signin.Login(g.From(fmt.Sprintf("10.%d.%d.%d", g.Tries>>16, g.Tries>>8&255, g.Tries&255)), in)
	with := new(access.Refused)
	if g.Question = nil; errors.As(err, &with) {
		g.Question = with.Question
	}
	return err
}

// TryWrong makes n attempts with a wrong password. It fails the test unless each password was compared.
func (g *Guesser) TryWrong(n int, who string) {
	g.T.Helper()
	for range n {
		portaltest.Refused(g.T, g.Try(g.WrongLoginInput(who)), access.WrongPassword)
	}
}

// CountFailures returns how many failures in a row are counted against the person of an account. It fails the test if
// they cannot be read.
func CountFailures(p *portaltest.Platform, login string) int {
	p.T.Helper()
	m := p.Account(login)
	key := fmt.Sprintf("account:%d", m.ID)
	if m.PersonID != 0 {
		key = fmt.Sprintf("phone:%d", m.PersonID)
	}
	a, err := p.DB.Attempts.Of(p.T.Context(), key)
	portaltest.NoError(p.T, err)
	return a.Failures
}

// Spray makes attempts from one address with a wrong password for each of ten people in turn. It returns how many
// passwords were compared. It fails the test if a refused attempt has to wait longer than core.FailureWindow.
func Spray(p *portaltest.Platform, address string, tries int) (compared int) {
	p.T.Helper()
	people := []string{"13800000001", "13800000002", "13800000003", "13800000004", "13800000005", "13800000006",
		"13800000007", "13800000008", "13800000009", "13800000010"}
	for i := range tries {
		_, err := p.Signin.Login(p.From(address), p.WrongLoginInput(people[i%len(people)]))
		if errors.Is(err, access.WrongPassword) {
			compared++
		} else if with := portaltest.Refused(p.T, err, access.TooManyAttempts); with.Wait > core.FailureWindow {
			p.T.Fatalf("try %d waits %v", i, with.Wait)
		}
	}
	return compared
}

// AddTwins adds two accounts of one name, on the two sides, for different people with different passwords. It fails the
// test if the database refuses them.
func AddTwins(p *portaltest.Platform, mgrPhone, shopPhone string) (mgr, shop store.Member) {
	p.T.Helper()
	mgr, shop = companytest.AddAccount(p, "twin", 1002, store.Mgr, mgrPhone), companytest.AddAccount(
		p, "Twin", 1001, store.Shop, shopPhone,
	)
	portaltest.NoError(p.T, p.DB.Passwords.RehashAccount(p.T.Context(), mgr.CompanyID, mgr.ID, mgr.PasswordHash,
		portaltest.HashPassword("Manager1", portaltest.CheapHash)))
	portaltest.NoError(p.T, p.DB.Passwords.RehashAccount(p.T.Context(), shop.CompanyID, shop.ID, shop.PasswordHash,
		portaltest.HashPassword("Shopper1", portaltest.CheapHash)))
	return mgr, shop
}

// TwinLoginInput returns the input of a sign-in by the name of the accounts of AddTwins.
func TwinLoginInput(p *portaltest.Platform, password string) signin.LoginInput {
	in := p.LoginInput("twin")
	in.Password = password
	return in
}
