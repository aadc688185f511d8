package components

import "strings"

// Field is a labelled control with its hint and its message.
type Field struct {
	Kind     FieldKind
	ID       string // also the form name
	Label    string
	Hint     string // said before the mistake
	Message  string // said after it; "" for none
	Value    string // what was typed; never a password
	Complete string // autocomplete
	Max      int    // characters
	Pattern  string
	Numeric  bool
	Optional bool
	Last     bool // the keyboard's enter key sends the form

	Sending *CodeSending // for KindCode: this field's own button, in a form with two codes; nil: the form's button

	Region *RegionField // of KindRegion
	Upload *UploadField // of KindUpload
}

// FieldKind is what a field takes.
type FieldKind string

// The kinds.
const (
	KindText     FieldKind = ""
	KindPhone    FieldKind = "phone"
	KindPassword FieldKind = "password"
	KindCode     FieldKind = "code"
	KindAgree    FieldKind = "agree"    // a box that says yes to the service agreement; Value "1" when it is ticked
	KindIndustry FieldKind = "industry" // one of the twelve; Value is its id
	KindLines    FieldKind = "lines"    // several lines of text
	KindRegion   FieldKind = "region"   // province, city and district
	KindUpload   FieldKind = "upload"   // a picture
	KindNumber   FieldKind = "number"   // digits only
	KindCard     FieldKind = "card"     // a bank card's number, in fours
)

// CodeSending is the button beside a code field: what a press asks for, and how long until the next.
type CodeSending struct {
	Action  string // the button's value; "" is "send_code"
	URL     string // where a script asks; without one the form itself does
	Purpose string
	Send    []string // ids of the controls that say whom to send to
	Seconds int      // until a code may be asked for again; 0 now
	Message string   // what came of the last press, "" for nothing yet
}

// describedBy names the hint and the message of a field for screen readers.
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

// region and upload are the control of the field, with its message.
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

// Labelled is the field under another label.
func (f Field) Labelled(label string) Field {
	f.Label = label
	return f
}

func (f Field) enter() string {
	if f.Last {
		return "go"
	}
	return "next"
}

// Mistake is one line of an error summary: a message and the id of the field it belongs to, "" for none.
type Mistake struct{ Field, Message string }

// GroupPhone writes an 11-digit number the way people read it: 138 0013 8000.
func GroupPhone(phone string) string {
	if len(phone) != 11 {
		return phone
	}
	return phone[:3] + " " + phone[3:7] + " " + phone[7:]
}
