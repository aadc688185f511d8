package office_test

import (
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
)

func TestNamesOfNewAccountsAreNeitherPhonesNorLookAlikes(t *testing.T) {
	for typed, want := range map[string]struct {
		name    string
		problem access.Problem
	}{
		"":                       {"", ""},
		"buyer1":                 {"buyer1", ""},
		"li.shop":                {"li.shop", ""},
		" Li Na ":                {"Li Na", ""},
		"李娜":                     {"李娜", ""},
		"shop-李娜":                {"shop-李娜", ""},
		"josé.ñandú":             {"josé.ñandú", ""},
		"1008611":                {"1008611", ""}, // an employee's number
		"20261129":               {"20261129", ""},
		"ｂｕｙｅｒ１":                 {"buyer1", ""}, // full width
		"𝐛𝐮𝐲𝐞𝐫①":                 {"buyer1", ""},
		"bu\u200byer1":           {"buyer1", ""},
		"ｶ\u200bﾞﾙｼｱ":            {"ガルシア", ""},
		"иванов":                 {"иванов", ""},
		"γεωργίου":               {"γεωργίου", ""},
		"さくら商店":                  {"さくら商店", ""},
		"13800000012":            {"13800000012", office.LoginIsPhone},
		"138 0000 0012":          {"138 0000 0012", office.LoginIsPhone},
		"138-0000-0012":          {"138-0000-0012", office.LoginIsPhone},
		"+86 138 0000 0012":      {"+86 138 0000 0012", office.LoginIsPhone},
		"008613800000012":        {"008613800000012", office.LoginIsPhone},
		"１３８００００００１２":            {"13800000012", office.LoginIsPhone},
		"1380000\u200b0012":      {"13800000012", office.LoginIsPhone},
		"①③⑧00000012":            {"13800000012", office.LoginIsPhone},
		"＋３４６２":                  {"+3462", office.LoginIsPhone},
		"(138) 0000.0012":        {"(138) 0000.0012", office.LoginIsPhone},
		"+52 55 1234 5678":       {"+52 55 1234 5678", office.LoginIsPhone},
		"+3462":                  {"+3462", office.LoginIsPhone},
		"buуer1":                 {"buуer1", office.LoginLookAlike}, // a Cyrillic у
		"βuyer":                  {"βuyer", office.LoginLookAlike},
		"сосо":                   {"сосо", office.LoginLookAlike}, // all Cyrillic
		"СОСО1":                  {"СОСО1", office.LoginLookAlike},
		"иванovα":                {"иванovα", office.LoginLookAlike},
		"李на":                    {"李на", office.LoginLookAlike},
		"𝛂buyer":                 {"αbuyer", office.LoginLookAlike},
		"...":                    {"...", access.LoginMalformed},
		"‥":                      {"..", access.LoginMalformed},
		"<>":                     {"<>", access.LoginMalformed},
		"a\u0007b":               {"a\u0007b", access.LoginMalformed},
		strings.Repeat("x", 41):  {strings.Repeat("x", 41), access.LoginMalformed},
		strings.Repeat("㍻", 21):  {strings.Repeat("平成", 21), access.LoginMalformed}, // two characters each
		strings.Repeat("ｶﾞ", 21): {strings.Repeat("ガ", 21), ""},                     // one character for two
		strings.Repeat("x", 400): {"", access.LoginMalformed},
	} {
		in := office.OpenAccountInput{Side: "mgr", Type: 2, Name: "王芳", Login: typed}
		problem := in.Problems()["login"]
		if in.Login != want.name || problem != want.problem {
			t.Errorf("%q becomes %q: %q; want %q: %q", typed, in.Login, problem, want.name, want.problem)
		}
	}
}

// Whoever reads a name aloud, or types it from a note, would open the other account.
func TestANewNameDoesNotLookLikeOneThatExists(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		open := func(side, login string) error {
			in := office.OpenAccountInput{Side: side, Type: 2, Name: "王芳", Login: login, Again: true}
			if side == "shop" {
				in.Type, in.ClientID = 3, companytest.PartnerID(p)
			}
			_, err := companytest.OpenAccount(p, in)
			return err
		}
		portaltest.NoError(t, open("mgr", "Corner10"))
		for _, login := range []string{
			"corner10", "comer10", "CORNERl0", "cornerIO", "corneri0", "CornerLo", "Ｃorner１０",
		} {
			portaltest.WantField(t, open("mgr", login), "login", access.LoginTaken)
		}
		for _, login := range []string{"corner11", "corner100", "conner10", "corner-10"} {
			portaltest.NoError(t, open("mgr", login))
		}
		portaltest.NoError(t, open("shop", "comerl0")) // each side has names of its own

		portaltest.WantField(t, open("mgr", "jlnsui"), "login", access.LoginTaken) // jinsui of another company
	})
}
