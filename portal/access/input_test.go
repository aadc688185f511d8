package access_test

import (
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/branding"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/store/storetest"
)

// LongestInput is a kind of input with the greatest length that is accepted. Accepts says whether an input of a length
// is accepted.
type LongestInput struct {
	Longest int
	Accepts func(length int) bool
}

func TestTheLongestInputsAreAccepted(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	here := p.Administrator()
	card := func(digits int) bool {
		in := office.BankAccountInput{Holder: "金穗", Bank: "示例银行", Card: strings.Repeat("6", digits)}
		return in.Validate() == nil
	}
	host := func(characters int) string { // of labels of at most 63 characters
		return strings.Repeat(strings.Repeat("a", 63)+".", 3) + strings.Repeat("b", characters-196) + ".com"
	}
	ownHost := func(typed string) bool {
		_, problem := p.Access.OwnHost(typed)
		return problem == ""
	}
	for what, c := range map[string]LongestInput{
		"characters of an account name": {40, func(n int) bool {
			_, ok := access.NormalLogin(strings.Repeat("名", n))
			return ok
		}},
		"characters of a person's name": {40, func(n int) bool {
			fields, name := access.Fields{}, strings.Repeat("名", n)
			access.NameField(fields, &name)
			return len(fields) == 0
		}},
		"characters of a job title": {40, func(n int) bool {
			in := office.PersonInput{Name: "李伟", Position: strings.Repeat("长", n)}
			return p.Backoffice.EditPerson(t.Context(), here, p.Account("li.manager").ID, in) == nil
		}},
		"characters of a company's name": {60, func(n int) bool {
			in := branding.AppearanceInput{Name: strings.Repeat("店", n), Language: "zh"}
			return p.Branding.CheckAppearance(&in) == nil
		}},
		"bytes of a phone with the spaces around it": {320, func(n int) bool {
			_, ok := access.NormalPhone("13812345678" + strings.Repeat(" ", n-11))
			return ok
		}},
		"characters of a company's own domain": {253, func(n int) bool { return ownHost(host(n)) }},
		"bytes of a domain with the spaces around it": {1012, func(n int) bool {
			return ownHost("shop.acme.com" + strings.Repeat(" ", n-13))
		}},
		"digits of a bank card": {19, card},
		"bytes of a picture": {5 << 20, func(n int) bool {
			in := application.UploadTokenInput{Name: "a.png", Type: "image/png", Size: int64(n)}
			_, err := p.Licences.UploadToken(p.From(portaltest.HomeAddress), in)
			return err == nil
		}},
	} {
		if !c.Accepts(c.Longest) {
			t.Errorf("%d %s are refused", c.Longest, what)
		}
		if c.Accepts(c.Longest + 1) {
			t.Errorf("%d %s are accepted", c.Longest+1, what)
		}
	}
	if !card(12) || card(11) {
		t.Error("the shortest bank card does not have 12 digits")
	}
}
