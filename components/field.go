package components

import "strings"

// Field is a labelled control with its hint and its error message.
type Field struct {
	Kind     FieldKind
	ID       string // also the form name
	Label    string
	Group    string // heading above it, for a part of a form; "" for none
	Hint     string // shown always
	Message  string // the error, "" for none
	Value    string // what was typed; never a password
	Complete string // value of the attribute autocomplete
	Max      int    // maximum length in characters
	Digits   int    // for KindCode: how many digits a code has
	Pattern  string
	Numeric  bool
	Decimal  bool     // a number with a fraction
	Options  []string // suggestions of a line of text
	Optional bool
	Kept     bool   // of a new password: the form has it already, so that the field may stay empty
	Rules    string // of a new password: the attribute passwordrules, "" for none
	Aside    Link   // stands in the row of the label of a password, zero for none
	Last     bool   // the enter key of an on-screen keyboard sends the form

	Sending *CodeSending // for KindCode: the button of this field, in a form with two codes; nil: the form's button

	Region *RegionField // for KindRegion
	Upload *UploadField // for KindUpload
}

// Link is a link with its label.
type Link struct{ Label, Href string }

// FieldKind is the kind of input of a field.
type FieldKind string

// The kinds of fields.
const (
	KindText     FieldKind = ""
	KindPhone    FieldKind = "phone"
	KindPassword FieldKind = "password"
	KindCode     FieldKind = "code"
	// a checkbox that accepts the service agreement; Value is "1" when it is checked
	KindAgree    FieldKind = "agree"
	KindIndustry FieldKind = "industry" // a choice of the twelve industries; Value is the id
	KindLines    FieldKind = "lines"    // several lines of text
	KindRegion   FieldKind = "region"   // province, city and district
	KindUpload   FieldKind = "upload"   // a picture
	KindNumber   FieldKind = "number"   // digits only
	KindCard     FieldKind = "card"     // a bank card's number, in groups of four
)

// CodeSending is the button beside a code field that sends a verification code.
type CodeSending struct {
	Action  string // the button's value; "" means "send_code"
	URL     string // where a script asks for the code; without scripts the form is sent
	Purpose string
	Send    []string // ids of the controls that name the recipient
	Seconds int      // seconds until the next code may be sent; 0: now
	Message string   // the result of the last press, "" for none
}

// describedBy returns the ids of the field's hint and messages, for aria-describedby.
func (f Field) describedBy() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, f.ID+"-hint")
	}
	if f.Kind == KindCode {
		ids = append(ids, f.ID+"-sent")
	}
	if f.Message != "" {
		ids = append(ids, f.ID+"-msg")
	}
	return strings.Join(ids, " ")
}

// region and upload return the control of the field, with the field's message.
func (f Field) region() RegionField {
	r := *f.Region
	r.Message = f.Message
	return r
}

func (f Field) upload() UploadField {
	u := *f.Upload
	u.Message = f.Message
	return u
}

// Labelled returns the field with another label.
func (f Field) Labelled(label string) Field {
	f.Label = label
	return f
}

func (f Field) enterKeyHint() string {
	if f.Last {
		return "go"
	}
	return "next"
}

// Mistake is a line of an error summary: a message, and the id of its field, "" for none.
type Mistake struct{ Field, Message string }

// GroupPhone formats an 11-digit number as people read it: 138 0013 8000.
func GroupPhone(phone string) string {
	switch {
	case len(phone) == 10 && (phone[:3] == "400" || phone[:3] == "800"): // a service number
		return phone[:3] + " " + phone[3:6] + " " + phone[6:]
	case len(phone) != 11:
		return phone
	}
	return phone[:3] + " " + phone[3:7] + " " + phone[7:]
}
