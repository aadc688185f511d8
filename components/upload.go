package components

import (
	"context"
	"encoding/json"
	"strings"

	"portico/locale"
)

// UploadField takes one picture. Three controls come of it: the file itself, named like the field; the hidden ID_key, which
// holds the key of a picture that is already with us; the box ID_remove ("1"), where there is one. A file that comes with
// the form counts before the box, the box before the key. The form's enctype is multipart/form-data.
type UploadField struct {
	ID       string // also the form name
	Label    string
	Hint     string
	Message  string
	Required bool
	Key      string // of the picture that is attached, "" for none
	Preview  string // its address on this site
	Token    string // lets a script send a picture ahead of the form; "" leaves the plain control
	URL      string // where to
	Max      int64  // bytes
}

// PictureTypes are the kinds of pictures that are taken, for a file control's accept.
const PictureTypes = "image/jpeg,image/png,image/webp"

func (f UploadField) describedBy() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, f.ID+"-hint")
	}
	if f.Message != "" {
		ids = append(ids, f.ID+"-msg")
	}
	return strings.Join(ids, " ")
}

func (f UploadField) props(ctx context.Context) string {
	texts := map[string]string{
		"optional": "", "attached": locale.T(ctx, "upload.attached"), "removeBox": locale.T(ctx, "upload.remove"),
		"camera": locale.T(ctx, "upload.camera"), "choose": locale.T(ctx, "upload.choose"),
		"replace": locale.T(ctx, "upload.replace"), "cancel": locale.T(ctx, "upload.cancel"),
		"remove": locale.T(ctx, "upload.delete"), "preparing": locale.T(ctx, "upload.preparing"),
		"progress": locale.T(ctx, "upload.progress", "num", "{num}"), "finishing": locale.T(ctx, "upload.finishing"),
		"done": locale.T(ctx, "upload.done"), "removed": locale.T(ctx, "upload.removed"),
		"cancelled": locale.T(ctx, "upload.cancelled"), "wrongType": locale.T(ctx, "upload.wrong_type"),
		"tooLarge": locale.T(ctx, "upload.over", "num", f.Max>>20), "already": locale.T(ctx, "upload.already"),
		"failed": locale.T(ctx, "upload.failed"), "withForm": locale.T(ctx, "upload.with_form"),
		"waiting": locale.T(ctx, "upload.waiting"), "notSent": locale.T(ctx, "upload.not_sent"),
		"again": locale.T(ctx, "upload.again"),
	}
	if !f.Required {
		texts["optional"] = locale.T(ctx, "field.optional")
	}
	props, _ := json.Marshal(map[string]any{
		"id": f.ID, "label": f.Label, "hint": f.Hint, "message": f.Message,
		"isRequired": f.Required, "accept": PictureTypes, "attached": f.Key, "preview": f.Preview, "url": f.URL, "token": f.Token, "max": f.Max, "texts": texts,
	})
	return string(props)
}
