package core

import (
	"errors"
	"strings"
	"time"
	"unicode"

	"portico/portal/access"
	"portico/store"
)

// Message is an SMS. The client of the SMS provider writes its text in Lang: "zh", "es" or "en".
type Message struct {
	ID      string
	Phone   string // 11 digits
	Purpose access.Purpose
	Notice  Notice // instead of a code
	Code    string
	Lang    string
	Company string // mentioned in the text: a confirmed name, cleaned; "" for none
	Host    string // the host the code belongs to
	Way     string // the address a notice leads to, "" for none
	Login   string // the account that it is about, cleaned; "" for the phone itself
	App     access.ProviderName
	Nick    string    // of the identity at App, cleaned
	Device  string    // where it was done, one of a fixed list; "" unknown
	At      time.Time // when; zero is not said
	Waiting int       // applications that wait for a decision, up to WaitingShown+1
	Ended   bool      // passwords for signing in by name ended, too
}

// Notice is the kind of a message that informs a person of a change. It contains no code.
type Notice string

const (
	// NoticePassword says that the password was changed.
	NoticePassword Notice = "password_changed"
	// NoticeBound says that the phone was bound to an account.
	NoticeBound Notice = "phone_bound"
	// NoticeUnbound says that the phone was unbound from an account.
	NoticeUnbound Notice = "phone_unbound"
	// NoticePhoneChanged is sent to the former number.
	NoticePhoneChanged Notice = "phone_changed"

	// NoticeLinked says that a chat app was connected.
	NoticeLinked Notice = "identity_linked"
	// NoticeUnlinked says that a chat app was disconnected.
	NoticeUnlinked Notice = "identity_unlinked"
	// NoticeFirst says that an administrator made a first password for the account.
	NoticeFirst Notice = "first_password_given"
	// NoticeApproved says that the application was approved.
	NoticeApproved Notice = "application_approved"
	// NoticeRejected says that the application was rejected.
	NoticeRejected Notice = "application_rejected"
	// NoticeApplications says to a reviewer how many applications are pending.
	NoticeApplications Notice = "applications_waiting"

	// NoticeAdministrator is sent to the person who became an administrator.
	NoticeAdministrator Notice = "administrator_made"
	// NoticeEmployee is sent to the person who is no longer an administrator.
	NoticeEmployee Notice = "administrator_ended"
	// NoticeRoles is sent to the other administrators. Login is the account whose role changed.
	NoticeRoles Notice = "administrator_changed"
)

// ErrMaybeSent is the error of SendSMS when the provider may have sent the message. The message then counts, and its
// code is valid.
var ErrMaybeSent = errors.New("portal: the message may have been sent")

// hostOf returns the host of an origin of this platform, without the port. The host in a message never comes from the
// request.
func hostOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	host, _ = access.NormalHost(host)
	return host
}

const (
	// maxCompanyText is the longest company name in a message, in characters.
	maxCompanyText = 20
	// maxCompanyDigits is how many digits it may have before they look like a code.
	maxCompanyDigits = 3
)

// NameInMessages returns the name by which messages mention a company, "" for none: its name while that is the one the
// operator confirmed. Anybody can open a company, and its administrators choose its name.
func NameInMessages(c store.Company) string {
	if !NameConfirmed(c) {
		return ""
	}
	return cleanCompany(c.Name)
}

// NameConfirmed says whether the operator has confirmed the name that a company uses now.
func NameConfirmed(c store.Company) bool { return c.Name == c.ConfirmedName }

// cleanCompany keeps the letters and digits of a company's name: nothing in a message looks like a link or a second
// code.
func cleanCompany(name string) string {
	digits := 0
	for _, r := range name {
		if unicode.IsNumber(r) {
			digits++
		}
	}
	var kept strings.Builder
	n := 0
	for _, r := range name {
		switch {
		case n == maxCompanyText || unicode.IsNumber(r) && digits > maxCompanyDigits:
			continue
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			kept.WriteRune(r)
		case r == ' ' && kept.Len() > 0:
			kept.WriteByte(' ')
		default:
			continue
		}
		n++
	}
	return strings.Join(strings.Fields(kept.String()), " ")
}
