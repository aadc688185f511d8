package browser

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// LocalStorage returns the local storage of the page's origin.
func LocalStorage(b *Tab) map[string]string {
	b.T.Helper()
	return Eval[map[string]string](b, `() => ({...localStorage})`)
}

// WantStorageKeys checks that the local storage has these keys and no others.
func WantStorageKeys(b *Tab, keys ...string) {
	b.T.Helper()
	slices.Sort(keys)
	if got := slices.Sorted(maps.Keys(LocalStorage(b))); !slices.Equal(got, keys) {
		b.T.Errorf("%s has stored %q, want %q", b.Address(), got, keys)
	}
}

// WantMirror checks that the local storage has these keys, and no keys except those that native apps read.
func WantMirror(b *Tab, keys ...string) {
	b.T.Helper()
	known := []string{
		"companyData",
		"mShop_user",
		"mMgr_user",
		"pcShop_user",
		"pcMgr_user",
		"lang",
		"accountList",
		"shareUserId",
		"shareClientId",
		"regionTreeList",
		"WechatproCode",
	}
	stored := LocalStorage(b)
	for _, key := range keys {
		if stored[key] == "" {
			b.T.Errorf("%s has not stored %q", b.Address(), key)
		}
	}
	for key, value := range stored {
		if !slices.Contains(known, key) {
			b.T.Errorf("%s has stored %q", b.Address(), key)
		}
		if strings.HasPrefix(value, "{") && !json.Valid([]byte(value)) {
			b.T.Errorf("%s has stored a broken %q: %s", b.Address(), key, value)
		}
	}
}
