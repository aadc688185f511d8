package searchkey

import "testing"

func TestSpellingsThatReadTheSameHaveTheSameKey(t *testing.T) {
	for name, want := range map[string]string{
		"River Lane":          "river lane",
		"  River \u3000Lane ": "river lane",
		"ＲＩＶＥＲ lane":          "river lane",
		"A\u0301lamo":         "álamo",
		"ÁLAMO":               "álamo",
		"金穗粮油":                "金穗粮油",
		"":                    "",
	} {
		if got := Of(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestTheEndOfAPrefixIsAboveItsKeysAndBelowTheNextOnes(t *testing.T) {
	for _, key := range []string{"金", "金穗", "金穗粮油", "金鿿"} {
		if key < "金" || key >= End("金") {
			t.Errorf("%q is not found by its first letter", key)
		}
	}
	for _, key := range []string{"釒", "釓", "量", "a"} {
		if key >= "金" && key < End("金") {
			t.Errorf("%q is found by another letter", key)
		}
	}
}
