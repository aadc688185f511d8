package application_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/branding"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/companytest"
	"portico/store"
)

// WantUnknownLicence fails the test unless err says that the licence of an application is unknown.
func WantUnknownLicence(t *testing.T, err error) {
	t.Helper()
	if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["licence"] != access.LicenceUnknown {
		t.Errorf("%v", with.Fields)
	}
}

func TestAnUploadTokenIsForOneFileAndExpires(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		send := func(token string) error {
			_, err := p.Licences.UploadLicence(p.From(portaltest.HomeAddress), application.UploadInput{
				Token: token, Body: bytes.NewReader(picturetest.JPEG(60, 40)),
			})
			return err
		}
		token, err := p.Licences.LicenceToken(t.Context(), 1001, applicationtest.SenderPhone)
		portaltest.NoError(t, err)
		_, err = p.Licences.UploadLicence(p.From(portaltest.HomeAddress), application.UploadInput{
			Token: token, Body: strings.NewReader("<svg/>"),
		})
		portaltest.Refused(t, err, access.UploadRejected)
		portaltest.NoError(t, send(token)) // a file that was refused did not use it up
		portaltest.NoError(t, send(token)) // the same picture again
		another := bytes.NewReader(picturetest.JPEG(61, 40))
		_, err = p.Licences.UploadLicence(p.From(portaltest.HomeAddress), application.UploadInput{
			Token: token, Body: another,
		})
		portaltest.Refused(t, err, access.Forbidden)
		late, err := p.Licences.LicenceToken(t.Context(), 1001, "13900000778")
		portaltest.NoError(t, err)
		over, err := p.Licences.LicenceToken(t.Context(), 1001, "13900000779")
		portaltest.NoError(t, err)
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		portaltest.NoError(t, send(late))
		p.Clock.Advance(time.Millisecond)
		portaltest.Refused(t, send(over), access.Forbidden)
		other, err := p.Sealing.Remember(applicationtest.SenderPhone) // sealed by us, for another purpose
		portaltest.NoError(t, err)
		for _, none := range []string{other, "", "x", token + "x", token[:20]} {
			portaltest.Refused(t, send(none), access.Forbidden)
		}
		if stored, no := p.CountEvents(1001, "upload_stored"), p.CountEvents(1001, "upload_refused"); stored != 2 ||
			no != 1 {
			t.Errorf("%d stored, %d refused", stored, no)
		}
	})
}

func TestAnUploadTokenWorksOnlyForItsApplicantAndCompany(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		mine, others := applicationtest.New(p, 1001, applicationtest.SenderPhone).Ticket, applicationtest.New(
			p, 1001, "13900000778",
		).Ticket
		token, err := p.Licences.LicenceToken(t.Context(), 1001, applicationtest.SenderPhone)
		portaltest.NoError(t, err)
		at := func(company int64, ticket string) error {
			_, err := p.Licences.UploadLicence(p.From(portaltest.HomeAddress), application.UploadInput{
				Token: token, Body: bytes.NewReader(picturetest.JPEG(60, 40)), CheckSender: true, CompanyID: company,
				Ticket: ticket,
			})
			return err
		}
		portaltest.Refused(t, at(1002, mine), access.Forbidden)
		portaltest.Refused(t, at(1001, others), access.Forbidden)
		portaltest.Refused(t, at(1001, ""), access.Forbidden)
		portaltest.NoError(t, at(1001, mine))
	})
}

func TestTheSamePictureIsADuplicateOnlyForTheSameOwner(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		photo := picturetest.JPEG(60, 40)
		first, err := applicationtest.UploadLicence(p, 1001, applicationtest.SenderPhone, photo)
		portaltest.NoError(t, err)
		same, err := applicationtest.UploadLicence(p, 1001, applicationtest.SenderPhone, photo)
		if with := portaltest.Refused(t, err, access.UploadRejected); with.Reason != pictures.UploadDuplicate ||
			same.ID != first.ID {
			t.Errorf("%s %s, want %s", with.Reason, same.ID, first.ID)
		}
		_, err = applicationtest.UploadLicence(p, 1001, "13900000778", photo)
		portaltest.NoError(t, err)
		_, err = applicationtest.UploadLicence(p, 1002, applicationtest.SenderPhone, photo)
		portaltest.NoError(t, err)
		_, err = applicationtest.UploadLicence(p, 1001, applicationtest.SenderPhone, picturetest.JPEG(61, 40))
		portaltest.NoError(t, err)
		p.Clock.Advance(pictures.AbandonedAfter + time.Second)
		_, err = applicationtest.UploadLicence(p, 1001, applicationtest.SenderPhone, photo)
		portaltest.NoError(t, err)
	})
}

func TestAnAddressUploadsAtMostTwentyFilesADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for range pictures.UploadsADay {
			_, err := applicationtest.UploadLicence(p, 1001, applicationtest.SenderPhone, []byte("no picture"))
			portaltest.Refused(t, err, access.UploadRejected)
			_, err = p.Licences.UploadToken(p.From(portaltest.HomeAddress), application.UploadTokenInput{
				Name: "a.jpg", Type: "image/jpeg", Size: 9,
			})
			portaltest.NoError(t, err)
		}
		_, err := applicationtest.UploadLicence(p, 1001, applicationtest.SenderPhone, picturetest.JPEG(60, 40))
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait <= 0 {
			t.Error("no wait")
		}
		_, err = p.Licences.UploadToken(p.From(portaltest.HomeAddress), application.UploadTokenInput{
			Name: "a.jpg", Type: "image/jpeg", Size: 9,
		})
		portaltest.Refused(t, err, access.TooManyAttempts)
		p.Clock.Advance(24*time.Hour + time.Second)
		_, err = applicationtest.UploadLicence(p, 1001, applicationtest.SenderPhone, picturetest.JPEG(60, 40))
		portaltest.NoError(t, err)
	})
}

func TestAFileOfAnAppBelongsToTheFirstApplicantWhoUsesIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for name, c := range map[string]struct {
			in   application.UploadTokenInput
			want access.Refusal
		}{
			"no name": {application.UploadTokenInput{Type: "image/png", Size: 9}, access.ValidationFailed},
			"long name": {
				application.UploadTokenInput{Name: strings.Repeat("長", 256), Type: "image/png", Size: 9},
				access.ValidationFailed,
			},
			"type": {
				application.UploadTokenInput{Name: "a.svg", Type: "image/svg+xml", Size: 9}, access.UploadRejected,
			},
			"size": {
				application.UploadTokenInput{Name: "a.png", Type: "image/png", Size: access.MaxUpload + 1},
				access.UploadRejected,
			},
			"no size": {application.UploadTokenInput{Name: "a.png", Type: "image/png"}, access.UploadRejected},
			"no company": {
				application.UploadTokenInput{Name: "a.png", Type: "image/png", Size: 9, CompanyID: 9999},
				access.NotFound,
			},
		} {
			if _, err := p.Licences.UploadToken(p.From(portaltest.HomeAddress), c.in); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := p.Licences.UploadToken(p.From(portaltest.HomeAddress), application.UploadTokenInput{
			Name: strings.Repeat("長", 255), Type: "image/png", Size: 9,
		})
		portaltest.NoError(t, err)
		form, err := p.Licences.UploadToken(p.From(portaltest.HomeAddress), application.UploadTokenInput{
			Name: "../../etc/\x00x", Type: "image/png", Size: 5 << 20, Session: "a token",
		})
		if err != nil || form.URL != "http://account.portico.test/upload" || form.Method != "POST" ||
			form.Headers["X-Token"] != "a token" || form.Expires != p.Clock.In(10*time.Minute) {
			t.Fatalf("%+v %v", form, err)
		}
		// nothing came yet
		WantUnknownLicence(t, p.Licences.TakeLicence(t.Context(), form.Key, 1001, applicationtest.SenderPhone))
		in := application.UploadInput{
			Token: form.Fields["token"], Body: bytes.NewReader(picturetest.PNG(60, 40)), CheckSender: true,
		}
		_, err = p.Licences.UploadLicence(p.From(portaltest.HomeAddress), in)
		portaltest.Refused(t, err, access.Forbidden) // another session
		in.Session = "a token"
		u, err := p.Licences.UploadLicence(p.From(portaltest.HomeAddress), in)
		if err != nil || u.ID != form.Key {
			t.Fatalf("%+v %v", u, err)
		}
		portaltest.NoError(t, p.Licences.TakeLicence(t.Context(), form.Key, 1001, applicationtest.SenderPhone))
		portaltest.NoError(t, p.Licences.TakeLicence(t.Context(), form.Key, 1001, applicationtest.SenderPhone))
		portaltest.NoError(t, p.Licences.UseUpload(t.Context(), form.Key, 1001))
		// applying again
		portaltest.NoError(t, p.Licences.TakeLicence(t.Context(), form.Key, 1001, applicationtest.SenderPhone))
		WantUnknownLicence(t, p.Licences.TakeLicence(t.Context(), form.Key, 1001, "13900000778"))
		WantUnknownLicence(t, p.Licences.TakeLicence(t.Context(), form.Key, 1002, applicationtest.SenderPhone))
		WantUnknownLicence(t, p.Licences.UseUpload(t.Context(), form.Key, 1002))
		for _, none := range []string{"", "x", "../x", form.Key + "x"} {
			WantUnknownLicence(t, p.Licences.TakeLicence(t.Context(), none, 1001, applicationtest.SenderPhone))
			WantUnknownLicence(t, p.Licences.UseUpload(t.Context(), none, 1001))
		}
	})
}

func TestAnAbandonedFileIsRemovedAfterADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		left, err := applicationtest.UploadLicence(p, 1001, applicationtest.SenderPhone, picturetest.JPEG(60, 40))
		portaltest.NoError(t, err)
		used, err := applicationtest.UploadLicence(p, 1001, applicationtest.SenderPhone, picturetest.JPEG(61, 40))
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Licences.UseUpload(t.Context(), used.ID, 1001))
		asked, err := p.Licences.UploadToken(p.From(portaltest.HomeAddress), application.UploadTokenInput{
			Name: "a.jpg", Type: "image/jpeg", Size: 9,
		})
		portaltest.NoError(t, err)
		p.Clock.Advance(pictures.AbandonedAfter - time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.ReadFile(p, "licence/"+left.ID)
		p.Clock.Advance(2 * time.Second)
		WantUnknownLicence(t, p.Licences.TakeLicence(t.Context(), left.ID, 1001, applicationtest.SenderPhone))
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.WantNoFile(p, "licence/"+left.ID)
		companytest.ReadFile(p, "licence/"+used.ID)
		for _, id := range []string{left.ID, asked.Key} {
			if _, err := p.DB.Uploads.ByID(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%v", err)
			}
		}
	})
}

func TestRemovingACompanyDeletesItsFiles(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		now := store.At(p.Clock.Now())
		id, err := p.DB.Companies.Add(t.Context(), store.Company{
			Name: "Prueba", Language: "es", Standing: store.Trial, EndsAt: now, Mall: store.MallOpen, Sandbox: true,
			CreatedAt: now, UpdatedAt: now,
		})
		portaltest.NoError(t, err)
		u, err := applicationtest.UploadLicence(p, id, applicationtest.SenderPhone, picturetest.JPEG(60, 40))
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Licences.UseUpload(t.Context(), u.ID, id))
		portaltest.NoError(t, p.DB.Sandboxes.Remove(t.Context(), id, now+1))
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.WantNoFile(p, "licence/"+u.ID)
	})
}

func TestARefusedApplicationIsKeptWithItsPicture(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, applicationtest.SenderPhone)
		send := func(name string, picture io.ReadSeeker) (application.SentApplication, error) {
			input := applicationtest.Input(p, in)
			input.ContactName, input.Licence, input.KeepRefused = name, picture, true
			return p.Application.SendApplication(p.From(portaltest.HomeAddress), input)
		}
		licence := picturetest.JPEG(60, 40)
		sent, err := send("", bytes.NewReader(licence))
		portaltest.Refused(t, err, access.ValidationFailed)
		key := sent.Typed.LicenceKey
		draft, err := applicationtest.ReadDraft(p, in.Ticket, 1001)
		if err != nil || key == "" || draft.LicenceKey != key || draft.CompanyName != in.CompanyName {
			t.Errorf("%q, %+v, %v", key, draft, err)
		}
		_, err = send("Irene", strings.NewReader("<svg/>"))
		portaltest.Refused(t, err, access.UploadRejected)
		sent, err = send("Irene", bytes.NewReader(licence))
		if err != nil || sent.LicenceKey != key { // the same picture is the same file
			t.Errorf("%+v, %v", sent.Application, err)
		}
		if strings.Contains(p.DumpRows(), "application_drafts ") {
			t.Error("the draft is still stored")
		}
	})
}

func TestALicenceIsSeenOnlyByItsApplicantAndTheReviewers(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, applicationtest.SenderPhone)
		u, err := applicationtest.UploadLicence(p.Platform, 1001, applicationtest.SenderPhone, picturetest.JPEG(60, 40))
		portaltest.NoError(t, err)
		picture, err := p.Licences.LicenceOfApplicant(t.Context(), in.Ticket, 1001, u.ID)
		if err != nil || picture.Kind != "image/jpeg" ||
			!bytes.Equal(picture.Data, companytest.ReadFile(p.Platform, "licence/"+u.ID)) {
			t.Errorf("%v", err)
		}
		for _, c := range []struct {
			ticket  string
			company int64
			key     string
		}{
			{"", 1001, u.ID}, {in.Ticket, 1002, u.ID}, {in.Ticket, 1001, "x"}, {in.Ticket, 1001, ""},
			{applicationtest.New(p, 1001, "13900000778").Ticket, 1001, u.ID},
		} {
			_, err := p.Licences.LicenceOfApplicant(t.Context(), c.ticket, c.company, c.key)
			portaltest.Refused(t, err, access.NotFound)
		}
		a := store.Application{
			ID: 1 << 52, CompanyID: 1001, Phone: applicationtest.SenderPhone, State: store.ApplicationPending,
			CompanyName: "Bodega", ContactName: "Irene", LicenceKey: u.ID,
		}
		_, err = p.DB.Applications.Add(t.Context(), a)
		portaltest.NoError(t, err)
		picture, err = p.Licences.LicenceOf(t.Context(), p.Land("jinsui", portaltest.PhoneScreen), a.ID)
		if err != nil || len(picture.Data) == 0 {
			t.Errorf("%v", err)
		}
		_, err = p.Licences.LicenceOf(t.Context(), p.Land("jinsui", portaltest.PhoneScreen), a.ID+1)
		portaltest.Refused(t, err, access.NotFound)
		_, err = p.Licences.LicenceOf(t.Context(), p.Land("sur", portaltest.PhoneScreen), a.ID)
		portaltest.Refused(t, err, access.NotFound)
		_, err = p.Licences.LicenceOf(t.Context(), p.Land("li.manager", portaltest.PhoneScreen), a.ID)
		portaltest.Refused(t, err, access.Forbidden)
		p.UpdateCompany(1001, func(c *store.Company) { c.EmployeeRights = "applications" })
		_, err = p.Licences.LicenceOf(t.Context(), p.Land("li.manager", portaltest.PhoneScreen), a.ID)
		portaltest.NoError(t, err)
	})
}

func TestACompanysIconIsMadeSquareAndReplacesTheFormerOne(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		office := p.Land("jinsui", portaltest.PhoneScreen)
		address := func() string {
			t.Helper()
			c, err := p.DB.Companies.ByID(t.Context(), 1001)
			portaltest.NoError(t, err)
			return c.IconURL
		}
		portaltest.NoError(
			t, p.Branding.SetIcon(p.From(portaltest.HomeAddress), office, bytes.NewReader(picturetest.PNG(600, 300))),
		)
		first := address()
		name, ours := strings.CutPrefix(first, "/icon/")
		picture, err := p.Branding.Icon(t.Context(), name)
		if err != nil || !ours || picture.Kind != "image/png" {
			t.Fatalf("%s: %v", first, err)
		}
		portaltest.Refused(
			t,
			p.Branding.SetIcon(
				p.From(portaltest.HomeAddress), p.Land("li.manager", portaltest.PhoneScreen),
				bytes.NewReader(picturetest.PNG(60, 30)),
			), access.Forbidden,
		)
		with := portaltest.Refused(
			t, p.Branding.SetIcon(p.From(portaltest.HomeAddress), office, strings.NewReader("<svg/>")),
			access.UploadRejected,
		)
		if with.Reason != pictures.UploadNotPicture || address() != first {
			t.Errorf("%s %s", with.Reason, address())
		}
		portaltest.NoError(
			t, p.Branding.SetIcon(p.From(portaltest.HomeAddress), office, bytes.NewReader(picturetest.JPEG(30, 50))),
		)
		if address() == first {
			t.Error("the address stays the same")
		}
		_, err = p.Branding.Icon(t.Context(), name) // until the next one is published, it may be wanted back
		portaltest.NoError(t, err)
		portaltest.Refused(
			t, p.Branding.RemoveIcon(t.Context(), p.Land("li.manager", portaltest.PhoneScreen)), access.Forbidden,
		)
		second := strings.TrimPrefix(address(), "/")
		portaltest.NoError(t, p.Branding.RemoveIcon(t.Context(), office))
		if address() != "" {
			t.Error(address())
		}
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.WantNoFile(p, "icon/"+name)
		_, err = p.Branding.Icon(t.Context(), name)
		portaltest.Refused(t, err, access.NotFound)
		portaltest.NoError(
			t, p.Branding.SetAppearance(t.Context(), office, branding.AppearanceInput{Name: "金穗", Language: "zh"}),
		)
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.WantNoFile(p, second)
		for _, none := range []string{"", "x", ".png", "../licence/x", "a/b.png"} {
			_, err := p.Branding.Icon(t.Context(), none)
			portaltest.Refused(t, err, access.NotFound)
		}
		p.Clock.Advance(2 * pictures.AbandonedAfter)
		portaltest.NoError(t, p.Sweep(t.Context()))
	})
}
