package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/core"
)

// keptFormRow is a page that can show a kept form, with forms that were sent from it.
type keptFormRow struct {
	Origin, Path string
	Owner        core.FormOwner
	By           *pagestest.Browser
	Forms        []string
}

// A form that was sent after the session had ended is shown again by a GET. Opening an address must not carry it out.
func TestNoKeptFormIsCarriedOutByShowingIt(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	shown := 0
	for _, row := range keptFormRows(s) {
		for _, form := range row.Forms {
			fields, err := url.ParseQuery(form)
			if err != nil {
				t.Fatal(err)
			}
			s.Clock = s.Clock.Add(time.Second) // only the newest forms of a person are kept
			id, err := s.Portal.Limits.KeepForm(t.Context(), core.KeptForm{
				Owner: row.Owner, Path: row.Path, Fields: fields,
			})
			if err != nil {
				t.Fatal(err)
			}
			before := s.DumpWithoutSessions()
			answer := row.By.Get(row.Origin + row.Path + "?kept=" + url.QueryEscape(id))
			if s.DumpWithoutSessions() != before {
				t.Errorf("showing the form %q of %s has changed the database", form, row.Path)
			}
			if plain := row.By.Get(row.Origin + row.Path).StatusCode; answer.StatusCode >= 300 && plain < 300 {
				t.Errorf("%s with %q: %d to %q, without a form %d", row.Path, form, answer.StatusCode,
					answer.Header.Get("Location"), plain)
			}
			if strings.Contains(pagestest.Text(t, answer), "您之前填写的内容已恢复") {
				shown++
			}
		}
	}
	if shown < 45 {
		t.Errorf("only %d forms were shown", shown)
	}
}

// The language switch sends the form that it belongs to. The form comes back in that language, and is not carried out.
func TestSwitchingTheLanguageOfAFormDoesNotCarryItOut(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	shown := 0
	for _, row := range keptFormRows(s) {
		for _, form := range row.Forms {
			fields, err := url.ParseQuery(form)
			if err != nil {
				t.Fatal(err)
			}
			opened := row.By.Get(row.Origin + row.Path)
			page := pagestest.Text(t, opened)
			if opened.StatusCode != http.StatusOK || !strings.Contains(page, `name="lang"`) {
				continue
			}
			if token := pagestest.HiddenFields(page).Get("token"); token != "" {
				fields.Set("token", token)
			}
			fields.Set("lang", "es")
			before := s.DumpWithoutSessions()
			answer := row.By.Do(http.MethodPost, row.Origin+row.Path, fields)
			if s.DumpWithoutSessions() != before {
				t.Errorf("the language switch of %s with %q has changed the database", row.Path, form)
			}
			if answer.StatusCode >= http.StatusBadRequest && answer.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("the language switch of %s with %q: %d", row.Path, form, answer.StatusCode)
			}
			if strings.Contains(pagestest.Text(t, answer), `<html lang="es`) {
				shown++
			}
			fields.Set("lang", "zh")
			row.By.Do(http.MethodPost, row.Origin+row.Path, fields)
		}
	}
	if shown < 45 {
		t.Errorf("only %d forms were shown", shown)
	}
}

// keptFormRows returns a row for every page of the back office, the shop and the account site that has a form of a
// person who is signed in.
func keptFormRows(s *pagestest.Site) (rows []keptFormRow) {
	administrator := s.SignInByPhone("13800000002")
	office := core.LandingOwner(pagestest.AdministratorLanding(s, "13800000002"))
	application := pagestest.Decimal(s.AddApplication(pagestest.Applicant))
	for _, row := range officeRows(s) {
		method, path, _ := strings.Cut(row.Route, " ")
		if method != http.MethodPost {
			continue
		}
		path = "/mgr" + strings.TrimPrefix(path, "/home")
		if row.Path != "" {
			path = "/mgr" + strings.Replace(row.Path, "/applications/1", "/applications/"+application, 1)
		}
		rows = append(rows, keptFormRow{
			Origin: "http://store1001.portico.test", Path: path, Owner: office, By: administrator, Forms: row.Forms,
		})
	}
	buyer, member := s.SignInByPhone("13800000001"), s.Account("buyer1")
	product := pagestest.FindIn(s.T, pagestest.Text(s.T, buyer.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	buyer.Post(pagestest.Shop+"/cart", "add", product, "quantity_"+product, "2", "token", tokenOf(s, buyer))
	shop := core.FormOwner{CompanyID: member.CompanyID, PersonID: member.PersonID, AccountID: member.ID}
	for path, forms := range map[string][]string{
		"/home": {"quantity_" + product + "=3", "action=order&quantity_" + product + "=3"},
		"/home/cart": {
			"quantity_" + product + "=3", "action=order&note=x&quantity_" + product + "=3", "remove=" + product,
			"action=empty",
		},
	} {
		rows = append(rows, keptFormRow{
			Origin: "http://store1001.portico.test", Path: path, Owner: shop, By: buyer, Forms: forms,
		})
	}
	person := core.FormOwner{PersonID: member.PersonID}
	account := "account_id=" + pagestest.Decimal(member.ID)
	for path, forms := range map[string][]string{
		"/profile": {
			account + "&action=save&name=x&position=y", account + "&action=remove", account + "&action=wechat",
		},
		"/register/init": {"name=x&trade=grain", "name=x&trade=grain&samples=1"},
		"/bind":          {"phone=13912345678"},
		"/login":         {"phone=13800000001&password=Demo2026"},
		"/login/account": {"login=buyer1&password=Demo2026"},
		"/login/code":    {"phone=13800000001&code=123456"},
		"/register":      {"company=x&name=y&phone=13912345678&code=123456&password=Demo2026&agree=1"},
		"/experience":    {"industry=1&phone=13912345678&code=123456&agree=1"},
		"/forget/phone": {"phone=13800000001&code=123456&password=Demo2027&confirm_password=Demo2027",
			"phone=13800000001&action=send_code"},
		"/forget/account": {"login=buyer1&code=123456&password=Demo2027&confirm_password=Demo2027", "login=buyer1"},
		"/password":       {"old_password=Demo2026&password=Demo2027&confirm_password=Demo2027"},
		"/unbind":         {account + "&code=123456", account + "&action=send_code"},
		"/phone":          {"phone=13912345678&code=123456", "step=new&phone=13912345678&code=123456"},
	} {
		rows = append(rows, keptFormRow{
			Origin: pagestest.AccountSite, Path: path, Owner: person, By: buyer, Forms: forms,
		})
	}
	return rows
}

// tokenOf returns the token of the forms of the shop that a browser is signed in to.
func tokenOf(s *pagestest.Site, b *pagestest.Browser) string {
	return pagestest.FieldValue(s.T, pagestest.Text(s.T, b.Get(pagestest.Shop)), "token")
}
