package core

import (
	"strings"
	"testing"
)

func cheapHasher(t *testing.T) *hasher {
	t.Helper()
	h, err := NewHasher(HashCost{Memory: 64, Passes: 1, Threads: 1}, true)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestAPasswordMatchesOnlyItsOwnHash(t *testing.T) {
	h := cheapHasher(t)
	hash, err := h.Hash(t.Context(), "Demo2026")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Errorf("hash %s", hash)
	}
	for typed, want := range map[string]bool{
		"Demo2026": true, "demo2026": false, "Demo202": false, "": false, "Demo 2026": false, "Demo2026.": false,
		"Demo2026\x00": false, hash: false,
	} {
		if ok, _, err := h.Verify(t.Context(), hash, typed); err != nil || ok != want {
			t.Errorf("%q fits: %v, %v", typed, ok, err)
		}
	}
}

func TestWhatComesAlongWhenAPasswordIsPastedDoesNotMatter(t *testing.T) {
	h := cheapHasher(t)
	hash, err := h.Hash(t.Context(), "Demo2026")
	if err != nil {
		t.Fatal(err)
	}
	for _, typed := range []string{
		"Demo2026 ", " Demo2026", "Demo2026\n", "Demo2026\r\n", "\tDemo2026", "Demo2026\u00a0", "Demo2026\u3000",
		"Demo2026\u200b", "\ufeffDemo2026", "\u202dDemo2026\u202c", "De\u200bmo2026", "Ｄｅｍｏ２０２６",
	} {
		place, err := h.Queue.Reserve(t.Context(), LaneProven)
		if err != nil {
			t.Fatal(err)
		}
		if right, _, err := h.VerifyAt(t.Context(), place, hash, typed); err != nil || right != "Demo2026" {
			t.Errorf("%q is taken for %q, %v", typed, right, err)
		}
	}
}

// A password set while all characters were allowed may begin or end with a space.
func TestAPasswordWithASpaceOfItsOwnGoesOn(t *testing.T) {
	h := cheapHasher(t)
	hash, err := h.Hash(t.Context(), " rice & beans ")
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]bool{" rice & beans ": true, "rice & beans": false, " rice & beans": false} {
		if ok, _, err := h.Verify(t.Context(), hash, typed); err != nil || ok != want {
			t.Errorf("%q fits: %v, %v", typed, ok, err)
		}
	}
}

func TestANewPasswordIsWhatWasMeant(t *testing.T) {
	for typed, want := range map[string]string{
		"Rice8842": "Rice8842", " Rice8842\n": "Rice8842", "Rice8842\u200b": "Rice8842", "Ｒｉｃｅ８８４２": "Rice8842",
		"Rice 8842": "Rice 8842", "": "",
	} {
		if got := (PasswordRule{}).Meant(typed); got != want {
			t.Errorf("%q means %q, want %q", typed, got, want)
		}
		if got := (PasswordRule{Any: true}).Meant(typed); got != typed {
			t.Errorf("with all characters allowed, %q means %q", typed, got)
		}
	}
}

func TestTwoHashesOfOnePasswordDiffer(t *testing.T) {
	h := cheapHasher(t)
	one, err := h.Hash(t.Context(), "Demo2026")
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.Hash(t.Context(), "Demo2026")
	if err != nil || one == other {
		t.Errorf("%s, %s, %v", one, other, err)
	}
}

func TestNoPasswordMatchesAnEmptyHash(t *testing.T) {
	h := cheapHasher(t)
	for _, typed := range []string{"", "Demo2026", "\x00", strings.Repeat("\x00", 32)} {
		if ok, _, err := h.Verify(t.Context(), "", typed); ok || err != nil {
			t.Errorf("%q fits: %v, %v", typed, ok, err)
		}
	}
}

func TestADamagedHashIsAnErrorAndMatchesNothing(t *testing.T) {
	h := cheapHasher(t)
	good, err := h.Hash(t.Context(), "Demo2026")
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string]string{
		"plain text": "Demo2026", "bcrypt": "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		"argon2i":       strings.Replace(good, "argon2id", "argon2i", 1),
		"no parameters": strings.Replace(good, "m=64,t=1,p=1", "", 1),
		"no passes":     strings.Replace(good, "t=1", "t=0", 1), "no threads": strings.Replace(good, "p=1", "p=0", 1),
		"bad salt": strings.Replace(good, "p=1$", "p=1$!", 1), "bad sum": good + "!",
		"no sum": good[:strings.LastIndex(good, "$")+1], "cut": good[:20], "separators": "$$$$$",
	} {
		if ok, _, err := h.Verify(t.Context(), damaged, "Demo2026"); ok || err == nil {
			t.Errorf("%s: fits %v, %v", name, ok, err)
		}
	}
}

func TestAHashBelowTheCurrentCostIsWeak(t *testing.T) {
	for _, c := range []struct {
		was  HashCost
		want bool
	}{
		{HashCost{64, 2, 1}, false}, {HashCost{128, 3, 1}, false}, {HashCost{63, 2, 1}, true},
		{HashCost{64, 1, 1}, true}, {HashCost{128, 1, 1}, true},
	} {
		then, err := NewHasher(c.was, true)
		if err != nil {
			t.Fatal(err)
		}
		hash, err := then.Hash(t.Context(), "Demo2026")
		if err != nil {
			t.Fatal(err)
		}
		today, err := NewHasher(HashCost{64, 2, 1}, true)
		if err != nil {
			t.Fatal(err)
		}
		if ok, weak, err := today.Verify(t.Context(), hash, "Demo2026"); !ok || weak != c.want || err != nil {
			t.Errorf("%+v: fits %v, weak %v, %v", c.was, ok, weak, err)
		}
	}
}

func TestTheDefaultCostIsHighEnough(t *testing.T) {
	if c := DefaultHashCost; c.Memory < 19*1024 || c.Passes < 2 || c.Threads != 1 {
		t.Errorf("%+v", c)
	}
}

func TestAHashHasSixteenBytesOfSaltAndThirtyTwoOfResult(t *testing.T) {
	h := cheapHasher(t)
	made, err := h.Hash(t.Context(), "Demo2026")
	if err != nil {
		t.Fatal(err)
	}
	for name, hash := range map[string]string{"of a password": made, "to compare with when there is none": h.nobody} {
		_, salt, sum, err := decodePHC(hash)
		if err != nil || len(salt) != 16 || len(sum) != 32 {
			t.Errorf("%s: %d bytes of salt, %d of result, %v", name, len(salt), len(sum), err)
		}
	}
}

func TestAStoredHashHasAtLeastSixteenBytesOfResult(t *testing.T) {
	for length, good := range map[int]bool{15: false, 16: true} {
		stored := encodePHC(HashCost{64, 1, 1}, make([]byte, 16), make([]byte, length))
		if _, _, _, err := decodePHC(stored); (err == nil) != good {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}
