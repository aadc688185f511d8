package components

import (
	"context"
	"encoding/json"
	"strings"

	"portico/locale"
)

// UploadField is a field for one picture. It has three controls: the file, named like the field; the hidden ID_key with
// the key of a picture that was uploaded before; and the checkbox ID_remove ("1") when there is such a picture. A file
// takes precedence over the checkbox, and the checkbox over the key. The form's enctype must be multipart/form-data.
type UploadField struct {
	ID       string // also the form name
	Label    string
	Hint     string
	Message  string
	Required bool
	Key      string // key of the attached picture, "" for none
	Preview  string // URL of the attached picture
	Token    string // lets a script upload the picture before the form is sent; "" for the plain control
	URL      string // where the script uploads to
	Max      int64  // maximum size in bytes
}

// PictureTypes are the accepted types of pictures, for the attribute accept of a file control.
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
		"drag":    locale.T(ctx, "upload.drag"),
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
		"isRequired": f.Required, "accept": PictureTypes, "attached": f.Key, "preview": f.Preview, "url": f.URL,
		"token": f.Token, "max": f.Max, "texts": texts,
	})
	return string(props)
}
