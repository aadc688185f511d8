package portal_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/picturetest"
	"portico/store"
)

const senderPhone = "13900000777"

// licence sends a picture as an applicant of a phone to a company.
func (p *platform) licence(company int64, phone string, data []byte) (store.Upload, error) {
	p.t.Helper()
	token, err := p.LicenceToken(p.t.Context(), company, phone)
	noError(p.t, err)
	return p.UploadLicence(p.from(homeAddress), portal.UploadInput{Token: token, Body: bytes.NewReader(data)})
}

// unknownLicence demands the refusal of a licence in an application.
func unknownLicence(t *testing.T, err error) {
	t.Helper()
	if with := refused(t, err, portal.ValidationFailed); with.Fields["licence"] != portal.LicenceUnknown {
		t.Errorf("%v", with.Fields)
	}
}

func TestAnUploadTokenIsForOneFileForAWhile(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		send := func(token string) error {
			_, err := p.UploadLicence(p.from(homeAddress), portal.UploadInput{Token: token, Body: bytes.NewReader(picturetest.JPEG(60, 40))})
			return err
		}
		token, err := p.LicenceToken(t.Context(), 1001, senderPhone)
		noError(t, err)
		_, err = p.UploadLicence(p.from(homeAddress), portal.UploadInput{Token: token, Body: strings.NewReader("<svg/>")})
		refused(t, err, portal.UploadRejected)
		noError(t, send(token)) // a file that was refused did not use it up
		noError(t, send(token)) // the same picture again
		another := bytes.NewReader(picturetest.JPEG(61, 40))
		_, err = p.UploadLicence(p.from(homeAddress), portal.UploadInput{Token: token, Body: another})
		refused(t, err, portal.Forbidden)
		over, err := p.LicenceToken(t.Context(), 1001, "13900000778")
		noError(t, err)
		p.clock.advance(portal.UploadLife + time.Second)
		refused(t, send(over), portal.Forbidden)
		other, err := p.Remember(senderPhone) // sealed by us, for another purpose
		noError(t, err)
		for _, none := range []string{other, "", "x", token + "x", token[:20]} {
			refused(t, send(none), portal.Forbidden)
		}
		if stored, no := p.events(1001, "upload_stored"), p.events(1001, "upload_refused"); stored != 1 || no != 1 {
			t.Errorf("%d stored, %d refused", stored, no)
		}
	})
}

func TestAnUploadTokenIsTheApplicantsInTheirCompany(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, others := p.applies(1001, senderPhone).Ticket, p.applies(1001, "13900000778").Ticket
		token, err := p.LicenceToken(t.Context(), 1001, senderPhone)
		noError(t, err)
		at := func(company int64, ticket string) error {
			_, err := p.UploadLicence(p.from(homeAddress), portal.UploadInput{
				Token: token, Body: bytes.NewReader(picturetest.JPEG(60, 40)), AtDoor: true, CompanyID: company, Ticket: ticket,
			})
			return err
		}
		refused(t, at(1002, mine), portal.Forbidden)
		refused(t, at(1001, others), portal.Forbidden)
		refused(t, at(1001, ""), portal.Forbidden)
		noError(t, at(1001, mine))
	})
}

func TestTheSamePictureTwiceIsADuplicateOfItsOwnerAlone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		photo := picturetest.JPEG(60, 40)
		first, err := p.licence(1001, senderPhone, photo)
		noError(t, err)
		same, err := p.licence(1001, senderPhone, photo)
		if with := refused(t, err, portal.UploadRejected); with.Reason != portal.UploadDuplicate || same.ID != first.ID {
			t.Errorf("%s %s, want %s", with.Reason, same.ID, first.ID)
		}
		_, err = p.licence(1001, "13900000778", photo)
		noError(t, err)
		_, err = p.licence(1002, senderPhone, photo)
		noError(t, err)
		_, err = p.licence(1001, senderPhone, picturetest.JPEG(61, 40))
		noError(t, err)
		p.clock.advance(portal.AbandonedAfter + time.Second)
		_, err = p.licence(1001, senderPhone, photo)
		noError(t, err)
	})
}

func TestAnAddressSendsTwentyFilesADay(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for range portal.UploadsADay {
			_, err := p.licence(1001, senderPhone, []byte("no picture"))
			refused(t, err, portal.UploadRejected)
			_, err = p.UploadToken(p.from(homeAddress), portal.UploadTokenInput{Name: "a.jpg", Type: "image/jpeg", Size: 9})
			noError(t, err)
		}
		_, err := p.licence(1001, senderPhone, picturetest.JPEG(60, 40))
		if with := refused(t, err, portal.TooManyAttempts); with.Wait <= 0 {
			t.Error("no wait")
		}
		_, err = p.UploadToken(p.from(homeAddress), portal.UploadTokenInput{Name: "a.jpg", Type: "image/jpeg", Size: 9})
		refused(t, err, portal.TooManyAttempts)
		p.clock.advance(24*time.Hour + time.Second)
		_, err = p.licence(1001, senderPhone, picturetest.JPEG(60, 40))
		noError(t, err)
	})
}

func TestAnAppSendsAFileAndTheFirstApplicantTakesIt(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for name, c := range map[string]struct {
			in   portal.UploadTokenInput
			want portal.Refusal
		}{
			"no name":    {portal.UploadTokenInput{Type: "image/png", Size: 9}, portal.ValidationFailed},
			"long name":  {portal.UploadTokenInput{Name: strings.Repeat("長", 256), Type: "image/png", Size: 9}, portal.ValidationFailed},
			"type":       {portal.UploadTokenInput{Name: "a.svg", Type: "image/svg+xml", Size: 9}, portal.UploadRejected},
			"size":       {portal.UploadTokenInput{Name: "a.png", Type: "image/png", Size: portal.MaxUpload + 1}, portal.UploadRejected},
			"no size":    {portal.UploadTokenInput{Name: "a.png", Type: "image/png"}, portal.UploadRejected},
			"no company": {portal.UploadTokenInput{Name: "a.png", Type: "image/png", Size: 9, CompanyID: 9999}, portal.NotFound},
		} {
			if _, err := p.UploadToken(p.from(homeAddress), c.in); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		form, err := p.UploadToken(p.from(homeAddress), portal.UploadTokenInput{Name: "../../etc/\x00x", Type: "image/png", Size: 5 << 20, Session: "a token"})
		if err != nil || form.URL != "http://account.portico.test/upload" || form.Method != "POST" || form.Headers["X-Token"] != "a token" || form.Expires != p.clock.in(portal.UploadLife) {
			t.Fatalf("%+v %v", form, err)
		}
		unknownLicence(t, p.TakeLicence(t.Context(), form.Key, 1001, senderPhone)) // nothing came yet
		in := portal.UploadInput{Token: form.Fields["token"], Body: bytes.NewReader(picturetest.PNG(60, 40)), AtDoor: true}
		_, err = p.UploadLicence(p.from(homeAddress), in)
		refused(t, err, portal.Forbidden) // another session
		in.Session = "a token"
		u, err := p.UploadLicence(p.from(homeAddress), in)
		if err != nil || u.ID != form.Key {
			t.Fatalf("%+v %v", u, err)
		}
		noError(t, p.TakeLicence(t.Context(), form.Key, 1001, senderPhone))
		noError(t, p.TakeLicence(t.Context(), form.Key, 1001, senderPhone))
		noError(t, p.UseUpload(t.Context(), form.Key, 1001))
		noError(t, p.TakeLicence(t.Context(), form.Key, 1001, senderPhone)) // applying again
		unknownLicence(t, p.TakeLicence(t.Context(), form.Key, 1001, "13900000778"))
		unknownLicence(t, p.TakeLicence(t.Context(), form.Key, 1002, senderPhone))
		unknownLicence(t, p.UseUpload(t.Context(), form.Key, 1002))
		for _, none := range []string{"", "x", "../x", form.Key + "x"} {
			unknownLicence(t, p.TakeLicence(t.Context(), none, 1001, senderPhone))
			unknownLicence(t, p.UseUpload(t.Context(), none, 1001))
		}
	})
}

func TestAnAbandonedFileIsRemovedAfterADay(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		left, err := p.licence(1001, senderPhone, picturetest.JPEG(60, 40))
		noError(t, err)
		used, err := p.licence(1001, senderPhone, picturetest.JPEG(61, 40))
		noError(t, err)
		noError(t, p.UseUpload(t.Context(), used.ID, 1001))
		asked, err := p.UploadToken(p.from(homeAddress), portal.UploadTokenInput{Name: "a.jpg", Type: "image/jpeg", Size: 9})
		noError(t, err)
		p.clock.advance(portal.AbandonedAfter - time.Second)
		noError(t, p.Sweep(t.Context()))
		p.kept("licence/" + left.ID)
		p.clock.advance(2 * time.Second)
		unknownLicence(t, p.TakeLicence(t.Context(), left.ID, 1001, senderPhone))
		noError(t, p.Sweep(t.Context()))
		p.missing("licence/" + left.ID)
		p.kept("licence/" + used.ID)
		for _, id := range []string{left.ID, asked.Key} {
			if _, err := p.db.UploadByID(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%v", err)
			}
		}
	})
}

func TestTheFilesOfACompanyGoWithIt(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		now := store.At(p.clock.now())
		id, err := p.db.AddCompany(t.Context(), store.Company{Name: "Prueba", Language: "es", Standing: store.Trial, EndsAt: now, Mall: store.MallOpen, Sandbox: true, CreatedAt: now, UpdatedAt: now})
		noError(t, err)
		u, err := p.licence(id, senderPhone, picturetest.JPEG(60, 40))
		noError(t, err)
		noError(t, p.UseUpload(t.Context(), u.ID, id))
		noError(t, p.db.RemoveSandbox(t.Context(), id, now+1))
		noError(t, p.Sweep(t.Context()))
		p.missing("licence/" + u.ID)
	})
}

func TestARefusedApplicationIsKeptWithItsPicture(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, senderPhone)
		send := func(name string, picture io.ReadSeeker) (portal.SentApplication, error) {
			input := p.byTicket(in)
			input.ContactName, input.Licence, input.KeepRefused = name, picture, true
			return p.SendApplication(p.from(homeAddress), input)
		}
		licence := picturetest.JPEG(60, 40)
		sent, err := send("", bytes.NewReader(licence))
		refused(t, err, portal.ValidationFailed)
		key := sent.Typed.LicenceKey
		draft, err := p.draft(in.Ticket, 1001)
		if err != nil || key == "" || draft.LicenceKey != key || draft.CompanyName != in.CompanyName {
			t.Errorf("%q, %+v, %v", key, draft, err)
		}
		_, err = send("Irene", strings.NewReader("<svg/>"))
		refused(t, err, portal.UploadRejected)
		sent, err = send("Irene", bytes.NewReader(licence))
		if err != nil || sent.LicenceKey != key { // the same picture is the same file
			t.Errorf("%+v, %v", sent.Application, err)
		}
		if strings.Contains(p.rows(), "application_drafts ") {
			t.Error("the draft is still stored")
		}
	})
}

func TestALicenceIsSeenByItsApplicantAndTheReviewersAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, senderPhone)
		u, err := p.licence(1001, senderPhone, picturetest.JPEG(60, 40))
		noError(t, err)
		picture, err := p.LicenceOfApplicant(t.Context(), in.Ticket, 1001, u.ID)
		if err != nil || picture.Kind != "image/jpeg" || !bytes.Equal(picture.Data, p.kept("licence/"+u.ID)) {
			t.Errorf("%v", err)
		}
		for _, c := range []struct {
			ticket  string
			company int64
			key     string
		}{{"", 1001, u.ID}, {in.Ticket, 1002, u.ID}, {in.Ticket, 1001, "x"}, {in.Ticket, 1001, ""}, {p.applies(1001, "13900000778").Ticket, 1001, u.ID}} {
			_, err := p.LicenceOfApplicant(t.Context(), c.ticket, c.company, c.key)
			refused(t, err, portal.NotFound)
		}
		a := store.Application{ID: 1 << 52, CompanyID: 1001, Phone: senderPhone, State: store.ApplicationPending, CompanyName: "Bodega", ContactName: "Irene", LicenceKey: u.ID}
		_, err = p.db.AddApplication(t.Context(), a)
		noError(t, err)
		picture, err = p.LicenceOf(t.Context(), p.landed("jinsui", phoneScreen), a.ID)
		if err != nil || len(picture.Data) == 0 {
			t.Errorf("%v", err)
		}
		_, err = p.LicenceOf(t.Context(), p.landed("jinsui", phoneScreen), a.ID+1)
		refused(t, err, portal.NotFound)
		_, err = p.LicenceOf(t.Context(), p.landed("sur", phoneScreen), a.ID)
		refused(t, err, portal.NotFound)
		_, err = p.LicenceOf(t.Context(), p.landed("li.manager", phoneScreen), a.ID)
		refused(t, err, portal.Forbidden)
		p.updateCompany(1001, func(c *store.Company) { c.EmployeeRights = "applications" })
		_, err = p.LicenceOf(t.Context(), p.landed("li.manager", phoneScreen), a.ID)
		noError(t, err)
	})
}

func TestACompanysIconIsASquareAndReplacesTheOneBefore(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		office := p.landed("jinsui", phoneScreen)
		address := func() string {
			t.Helper()
			c, err := p.db.CompanyByID(t.Context(), 1001)
			noError(t, err)
			return c.IconURL
		}
		noError(t, p.SetIcon(p.from(homeAddress), office, bytes.NewReader(picturetest.PNG(600, 300))))
		first := address()
		name, ours := strings.CutPrefix(first, "/icon/")
		picture, err := p.Icon(t.Context(), name)
		if err != nil || !ours || picture.Kind != "image/png" {
			t.Fatalf("%s: %v", first, err)
		}
		refused(t, p.SetIcon(p.from(homeAddress), p.landed("li.manager", phoneScreen), bytes.NewReader(picturetest.PNG(60, 30))), portal.Forbidden)
		with := refused(t, p.SetIcon(p.from(homeAddress), office, strings.NewReader("<svg/>")), portal.UploadRejected)
		if with.Reason != portal.UploadNotPicture || address() != first {
			t.Errorf("%s %s", with.Reason, address())
		}
		noError(t, p.SetIcon(p.from(homeAddress), office, bytes.NewReader(picturetest.JPEG(30, 50))))
		if address() == first {
			t.Error("the address stays the same")
		}
		_, err = p.Icon(t.Context(), name) // until the next one is published, it may be wanted back
		noError(t, err)
		refused(t, p.RemoveIcon(t.Context(), p.landed("li.manager", phoneScreen)), portal.Forbidden)
		second := strings.TrimPrefix(address(), "/")
		noError(t, p.RemoveIcon(t.Context(), office))
		if address() != "" {
			t.Error(address())
		}
		p.clock.advance(time.Second)
		noError(t, p.Sweep(t.Context()))
		p.missing("icon/" + name)
		_, err = p.Icon(t.Context(), name)
		refused(t, err, portal.NotFound)
		noError(t, p.SetAppearance(t.Context(), office, portal.AppearanceInput{Name: "金穗", Language: "zh"}))
		noError(t, p.Sweep(t.Context()))
		p.missing(second)
		for _, none := range []string{"", "x", ".png", "../licence/x", "a/b.png"} {
			_, err := p.Icon(t.Context(), none)
			refused(t, err, portal.NotFound)
		}
		p.clock.advance(2 * portal.AbandonedAfter)
		noError(t, p.Sweep(t.Context()))
	})
}
