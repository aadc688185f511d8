package core

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"portico/portal/access"
	"portico/store"
)

// Limits of names in messages, in characters. They keep a notice within two parts of an SMS.
const (
	MaxNickInMessage  = 12 // of a nickname
	MaxLoginInMessage = 20 // of an account name
)

// Notify sends a notice in the background, because the change is already stored. The notice says where and when it
// happened, and names c if messages may carry its name.
func (v *Verification) Notify(ctx context.Context, m Message, c store.Company) {
	if m.Phone == "" {
		return
	}
	m.Company = NameInMessages(c)
	m.Login = loginInMessage(m.Login)
	m.Nick = nickInMessage(m.Nick)
	if m.At = v.core.Now(); !slices.Contains(byOthers, m.Notice) {
		m.Device = DeviceName(access.CallerOf(ctx).Agent)
	}
	v.SendInBackground(ctx, m)
}

// byOthers are the notices about another person's act. They leave out the device, which the recipient does not know.
var byOthers = []Notice{NoticeFirst, NoticeAdministrator, NoticeEmployee, NoticeRoles}

// NotifyOwner sends a notice about the phone or the account that was proven to the phone that belongs to it.
func (v *Verification) NotifyOwner(ctx context.Context, owner access.Subject, m Message) {
	m.Phone, m.Login = owner.Phone(), owner.Member.Login
	v.Notify(ctx, m, owner.Member.Company)
}

// devices are the devices that a User-Agent may name, the more exact first: an iPhone also claims to be a Mac.
var devices = []struct{ mark, name string }{
	{"iphone", "iPhone"}, {"ipad", "iPad"}, {"openharmony", "HarmonyOS"}, {"harmonyos", "HarmonyOS"},
	{"android", "Android"}, {"windows", "Windows"}, {"macintosh", "Mac"}, {"linux", "Linux"},
}

// DeviceName returns the kind of device that a User-Agent names, "" for an unknown one. It is one of a fixed list, so
// that nobody can put their own text into another person's messages.
func DeviceName(agent string) string {
	agent = strings.ToLower(agent)
	for _, d := range devices {
		if strings.Contains(agent, d.mark) {
			return d.name
		}
	}
	return ""
}

// nickInMessage cleans a nickname as company names are cleaned: it holds no link and no digits that look like a code.
func nickInMessage(nick string) string {
	return strings.TrimSpace(firstRunes(cleanCompany(nick), MaxNickInMessage))
}

// loginInMessage cleans an account name like a company's. A dot becomes a middle dot: the name stays readable, and no
// phone makes a link of it.
func loginInMessage(login string) string {
	digits := 0
	for _, r := range login {
		if unicode.IsNumber(r) {
			digits++
		}
	}
	clean := strings.Map(func(r rune) rune {
		switch {
		case r == '.':
			return '·'
		case r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsNumber(r) && digits <= maxCompanyDigits:
			return r
		}
		return -1
	}, login)
	return firstRunes(clean, MaxLoginInMessage)
}

func firstRunes(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
}
