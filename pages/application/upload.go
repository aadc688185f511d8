package application

import (
	"errors"
	"net/http"
	"time"

	"portico/portal/core"

	"github.com/go-chi/chi/v5"

	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/pictures"
)

// maxMultipart is the largest request of POST /upload, in bytes: one picture and a few short fields.
const maxMultipart = access.MaxUpload + 64<<10

// uploadAnswer is the JSON for scripts and apps: the stored file, or why it was refused.
type uploadAnswer struct {
	Key     string `json:"key,omitempty"`
	Width   int    `json:"width,omitempty"`  // pixels
	Height  int    `json:"height,omitempty"` // pixels
	Size    int64  `json:"size,omitempty"`   // bytes
	Token   string `json:"token,omitempty"`  // an applicant's token for the next picture
	Message string `json:"message,omitempty"`
}

// uploadInput reads the credentials of an upload: the form's token, the applicant's ticket or the app's session.
func (p *Pages) uploadInput(r *http.Request) application.UploadInput {
	return application.UploadInput{
		Token: r.PostForm.Get("token"), CheckSender: true, CompanyID: web.PlaceOf(r.Context()).CompanyID(),
		Ticket: p.web.Cookie(r, web.ApplicantCookie), Session: r.Header.Get("X-Token"),
	}
}

// UploadLicence mounts POST /upload, which only scripts and apps send.
func (p *Pages) UploadLicence(r chi.Router) {
	r.Post("/upload", p.web.Serve(p.refusalsAsJSON(uploads.WithFile(func(f *uploads.FormFile) web.Handler {
		return p.web.SameOrigin(f.With(p.readMultipart), f.With(p.submitUpload))
	}))))
}

// readMultipart reads a multipart form with a token and one file.
func (p *Pages) readMultipart(w http.ResponseWriter, r *http.Request, f *uploads.FormFile) error {
	if !uploads.IsMultipart(r) {
		return access.WrongType
	}
	return p.uploads.ReadParts(w, r, f, uploads.PartLimits{Whole: maxMultipart, Text: web.MaxForm, TextFile: ""},
		p.admitByToken)
}

// admitByToken refuses an upload without a valid token before it receives the file.
func (p *Pages) admitByToken(r *http.Request) (uploads.Sender, error) {
	if err := p.portal.Licences.MayUpload(p.uploadInput(r)); err != nil {
		return uploads.Stranger, err
	}
	who, err := p.AdmitApplicant(r)
	return max(who, uploads.TokenHolder), err
}

// submitUpload stores the picture of a business licence: POST /upload. The token proves that the form comes from this
// site.
func (p *Pages) submitUpload(w http.ResponseWriter, r *http.Request, f *uploads.FormFile) error {
	in := p.uploadInput(r)
	if in.Body = f.Content(); in.Body == nil {
		return access.BadRequest
	}
	u, err := p.portal.Licences.UploadLicence(r.Context(), in)
	answer := uploadAnswer{Key: u.ID, Width: u.Width, Height: u.Height, Size: u.Size, Token: p.nextUpload(r)}
	// The file has an id and is refused when an earlier request stored the same picture.
	if refused := new(access.Refused); errors.As(err, &refused) && u.ID != "" {
		answer.Message = web.RefusalText(r, refused)
		return web.WriteJSON(w, uploadStatus(w, refused), answer)
	}
	if err != nil {
		return err
	}
	return web.WriteJSON(w, http.StatusOK, answer)
}

// nextUpload returns another upload token for the applicant of this browser; "" without an applicant. Refusals carry
// one too, because the response with the last token may have been lost.
func (p *Pages) nextUpload(r *http.Request) string {
	companyID := web.PlaceOf(r.Context()).CompanyID()
	who, err := p.portal.Application.Applicant(p.web.Cookie(r, web.ApplicantCookie), companyID)
	if err != nil {
		return ""
	}
	token, err := p.portal.Licences.LicenceToken(r.Context(), companyID, who.Phone())
	if err != nil {
		return ""
	}
	return token
}

// refusalsAsJSON makes a handler answer refusals as JSON. Other errors are handled as on all pages.
func (p *Pages) refusalsAsJSON(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := h(w, r)
		if err == nil {
			return nil
		}
		refused := new(access.Refused)
		if plain := access.Refusal(""); !errors.As(err, &refused) && errors.As(err, &plain) {
			refused.Refusal = plain
		}
		if core.Unavailable(err) {
			refused = &access.Refused{Refusal: access.NotAvailable, Wait: 5 * time.Second}
		}
		if refused.Refusal == "" {
			return err
		}
		answer := uploadAnswer{Token: p.nextUpload(r), Message: web.RefusalText(r, refused)}
		return web.WriteJSON(w, uploadStatus(w, refused), answer)
	}
}

// uploadStatus returns the HTTP status for a refused file, and sets Retry-After.
func uploadStatus(w http.ResponseWriter, refused *access.Refused) int {
	status := web.RefusedStatus(w, refused) // with Retry-After
	notTaken := refused.Reason == pictures.UploadNotPicture || refused.Reason == pictures.UploadHEIC
	if refused.Refusal == access.UploadRejected && notTaken {
		return http.StatusUnsupportedMediaType
	}
	if failure, plain := web.Failures[refused.Refusal]; plain {
		return failure.Status
	}
	return status
}
