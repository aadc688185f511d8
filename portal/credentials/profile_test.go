package credentials_test

import (
	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/credentials"
	"portico/portal/office"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/companytest"
	"portico/store"
)

func TestPeopleChangeTheirOwnNameAndJobTitle(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		s, m := signInAndAccount(p, portaltest.ManyPhone, "li.manager")
		save := func() error {
			return saveProfile(p, s, m, func(in *credentials.ProfileInput) { in.Name, in.Position = " 李伟强 ", "销售经理" })
		}
		portaltest.NoError(t, save())
		portaltest.NoError(t, save()) // sent twice
		if now := p.Account("li.manager"); now.Name != "李伟强" || now.DutyName != "销售经理" ||
			p.Account("li.shop").Name != "李伟" {
			t.Errorf("%+v", now.Account)
		}
		if n := p.CountEvents(1001, "profile_changed"); n != 1 {
			t.Errorf("%d events", n)
		}
		for _, c := range []struct {
			field  string
			want   access.Problem
			change func(*credentials.ProfileInput)
		}{
			{"name", access.NameRequired, func(in *credentials.ProfileInput) { in.Name = " " }},
			{"name", access.NameMalformed, func(in *credentials.ProfileInput) { in.Name = strings.Repeat("李", 41) }},
			{"position", access.TextMalformed,
				func(in *credentials.ProfileInput) { in.Position = strings.Repeat("长", 41) }},
			{"position", access.TextMalformed, func(in *credentials.ProfileInput) { in.Position = "a\u0007b" }},
		} {
			portaltest.WantField(t, saveProfile(p, s, m, c.change), c.field, c.want)
		}
		portaltest.NoError(t, saveProfile(p, s, m, func(in *credentials.ProfileInput) {
			in.Name, in.Position = strings.Repeat("李", 40), strings.Repeat("长", 40)
		}))
	})
}

func TestPeopleSeeTheProfilesOfTheirOwnOpenAccountsOnly(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		s, _ := signInAndAccount(p, portaltest.ManyPhone, "li.manager")
		for _, login := range []string{"jinsui", "buyer1"} {
			m := p.Account(login)
			_, err := p.Profiles.Profile(t.Context(), s, m.ID)
			portaltest.Refused(t, err, access.NotFound)
			portaltest.Refused(
				t, saveProfile(p, s, m, func(in *credentials.ProfileInput) { in.Name = "别人" }), access.NotFound,
			)
			portaltest.Refused(t, p.Profiles.RemovePortrait(t.Context(), s, m.ID), access.NotFound)
			portaltest.Refused(t, p.Profiles.UseWeChatPortrait(t.Context(), s, m.ID), access.NotFound)
		}
		p.SetAccountState("li.manager", store.AccountDisabled)
		m := p.Account("li.manager")
		portaltest.Refused(
			t, saveProfile(p, s, m, func(in *credentials.ProfileInput) { in.Name = "停用" }), access.AccountDisabled,
		)
		accounts, err := p.Profiles.ProfileAccounts(t.Context(), s)
		if err != nil || len(accounts) != 3 {
			t.Errorf("%d accounts, %v", len(accounts), err)
		}
		if p.Account("jinsui").Name != "陈静" || p.Account("li.manager").Name != "李伟" {
			t.Error("something was changed")
		}
	})
}

func TestAProfileThatWasChangedMeanwhileIsNotOverwritten(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		s, m := signInAndAccount(p, portaltest.ManyPhone, "li.manager")
		shown, err := p.Profiles.Profile(t.Context(), s, m.ID)
		portaltest.NoError(t, err)
		portaltest.NoError(
			t, p.Backoffice.EditPerson(t.Context(), p.Administrator(), m.ID, office.PersonInput{Name: "李经理"}),
		)
		in := func(in *credentials.ProfileInput) { in.Name, in.Seen = "李伟强", shown.Seen }
		portaltest.WantField(t, saveProfile(p, s, m, in), "seen", credentials.ProfileChanged)
		if p.Account("li.manager").Name != "李经理" {
			t.Error("it was overwritten")
		}
		shown, err = p.Profiles.Profile(t.Context(), s, m.ID)
		portaltest.NoError(t, err)
		portaltest.NoError(t, saveProfile(p, s, m, in))
	})
}

func TestAPortraitIsReencodedAsASquare(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		s, _ := signInAndAccount(p, portaltest.BuyerPhone, "buyer1")
		send := func(data []byte) error {
			return saveProfile(
				p, s, p.Account("buyer1"), func(in *credentials.ProfileInput) { in.Body = bytes.NewReader(data) },
			)
		}
		for _, file := range picturetest.Files() {
			err := send(file.Data)
			if (err != nil) != (file.Refused != "") {
				t.Errorf("%s: %v", file.Name, err)
			}
			if err != nil && !errors.Is(err, access.UploadRejected) && !errors.Is(err, access.TooManyAttempts) {
				t.Errorf("%s: %v", file.Name, err)
			}
			p.Clock.Advance(24 * time.Hour / pictures.UploadsADay * 2)
			s = p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		}
		p.Clock.Advance(24 * time.Hour)
		s = p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		portaltest.NoError(t, send(picturetest.JPEG(700, 500)))
		name, picture, err := readPortrait(p, "buyer1")
		portaltest.NoError(t, err)
		decoded, err := jpeg.Decode(bytes.NewReader(picture.Data))
		if err != nil || picture.Kind != "image/jpeg" || decoded.Bounds().Dx() != 320 || decoded.Bounds().Dy() != 320 {
			t.Errorf("%s: %v", name, err)
		}
		if bytes.Contains(picture.Data, []byte(picturetest.Canary)) || len(name) < 24 {
			t.Errorf("%s brings something along", name)
		}
		portaltest.NoError(t, send(picturetest.JPEG(100, 90)))
		next, small, err := readPortrait(p, "buyer1")
		portaltest.NoError(t, err)
		decoded, err = jpeg.Decode(bytes.NewReader(small.Data))
		if err != nil || decoded.Bounds().Dx() != 90 || next == name {
			t.Errorf("a small one: %v", err)
		}
		_, err = p.Profiles.Portrait(t.Context(), name)
		portaltest.Refused(t, err, access.NotFound)
		companytest.WantNoFile(p, "portrait/"+name)
	})
}

func TestRemovingAPortraitDeletesIt(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		s, m := signInAndAccount(p, portaltest.BuyerPhone, "buyer1")
		send := func(data []byte) {
			t.Helper()
			portaltest.NoError(
				t, saveProfile(p, s, m, func(in *credentials.ProfileInput) { in.Body = bytes.NewReader(data) }),
			)
		}
		send(picturetest.JPEG(60, 60))
		first, _, err := readPortrait(p, "buyer1")
		portaltest.NoError(t, err)
		send(picturetest.JPEG(60, 60)) // the same form again
		if again, _, err := readPortrait(p,
			"buyer1",
		); err != nil || again != first ||
			p.CountEvents(1001, "portrait_set") != 1 {
			t.Errorf("%s became %s, %v", first, again, err)
		}
		for range 2 {
			portaltest.NoError(t, p.Profiles.RemovePortrait(t.Context(), s, m.ID))
		}
		if p.Account("buyer1").HeadImg != "" || p.CountEvents(1001, "portrait_removed") != 1 {
			t.Error("it is still there")
		}
		companytest.WantNoFile(p, "portrait/"+first)
		_, err = p.Profiles.Portrait(t.Context(), first)
		portaltest.Refused(t, err, access.NotFound)
		if strings.Contains(p.DumpRows(), "portraits [") {
			t.Error("a row is left")
		}
	})
}

// A picture that came in while the transaction failed, and one of a company that is gone, are removed after a day.
func TestAnUnusedPortraitIsRemovedAfterADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		now := store.At(p.Clock.Now())
		add := func(id string, company int64) string {
			t.Helper()
			portaltest.NoError(
				t,
				p.DB.Portraits.Add(t.Context(),
					store.Portrait{ID: id, CompanyID: company, AccountID: 1, CreatedAt: now}),
			)
			portaltest.NoError(t, p.Options.Files.Put(t.Context(), "portrait/"+id+".jpg", "image/jpeg", []byte("x")))
			return "portrait/" + id + ".jpg"
		}
		left, used := add("left", 1001), add("used", 1001)
		portaltest.NoError(t, p.DB.Portraits.Use(t.Context(), 1001, "used", now))
		p.Clock.Advance(pictures.AbandonedAfter - time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.ReadFile(p, left)
		p.Clock.Advance(2 * time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.WantNoFile(p, left)
		companytest.ReadFile(p, used)
		now = store.At(p.Clock.Now())
		id, err := p.DB.Companies.Add(
			t.Context(),
			store.Company{
				Name:      "Prueba",
				Language:  "es",
				Standing:  store.Trial,
				EndsAt:    now,
				Mall:      store.MallOpen,
				Sandbox:   true,
				CreatedAt: now,
				UpdatedAt: now,
			},
		)
		portaltest.NoError(t, err)
		gone := add("gone", id)
		portaltest.NoError(t, p.DB.Portraits.Use(t.Context(), id, "gone", now))
		portaltest.NoError(t, p.DB.Sandboxes.Remove(t.Context(), id, now+1))
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.WantNoFile(p, gone)
	})
}

func TestAnAddressUploadsAtMostTwentyPortraitsADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		s, m := signInAndAccount(p, portaltest.BuyerPhone, "buyer1")
		for i := range 21 {
			err := saveProfile(p,
				s, m, func(in *credentials.ProfileInput) { in.Body = bytes.NewReader(picturetest.JPEG(60+i, 60)) },
			)
			if limited := errors.Is(err, access.TooManyAttempts); limited != (i == 20) || !limited && err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
	})
}

// WechatPictures plays the picture server of WeChat: it notes each requested address and returns Data and Err.
type WechatPictures struct {
	Asked []string
	Data  []byte
	Err   error
}

// Fetch returns Data and Err, like portal.Options.FetchPicture.
func (w *WechatPictures) Fetch(_ context.Context, address string) ([]byte, error) {
	w.Asked = append(w.Asked, address)
	return w.Data, w.Err
}

func TestAWeChatPortraitIsFetchedOnlyWhenItsHolderAsks(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		files := &WechatPictures{Data: picturetest.JPEG(132, 132)}
		p.Restart(func(o *portal.Options) { o.FetchPicture = files.Fetch })
		shown := chattest.Xiao
		shown.Portrait = "https://thirdwx.qlogo.cn/mmopen/vi_32/Q0j4/132"
		s, m := signInAndAccount(p.Platform, portaltest.BuyerPhone, "buyer1")
		portaltest.Refused(
			t, p.Profiles.UseWeChatPortrait(p.From(portaltest.HomeAddress), s, m.ID), access.WrongParameters,
		) // nothing is linked
		p.Browser(portaltest.AccountHost, chattest.InWeChat).Link(access.WeChat, shown, portaltest.BuyerPhone)
		profile, err := p.Profiles.Profile(t.Context(), s, m.ID)
		if err != nil || !profile.WeChat || len(files.Asked) != 0 || p.Account("buyer1").HeadImg != "" {
			t.Fatalf("%+v, asked %v, %v", profile, files.Asked, err)
		}
		files.Err = errors.New("away")
		portaltest.Refused(
			t, p.Profiles.UseWeChatPortrait(p.From(portaltest.HomeAddress), s, m.ID), access.NotAvailable,
		)
		files.Err, files.Data = nil, []byte("<svg/>")
		portaltest.Refused(
			t, p.Profiles.UseWeChatPortrait(p.From(portaltest.HomeAddress), s, m.ID), access.UploadRejected,
		)
		files.Data = picturetest.JPEG(132, 132)
		portaltest.NoError(t, p.Profiles.UseWeChatPortrait(p.From(portaltest.HomeAddress), s, m.ID))
		name, picture, err := readPortrait(p.Platform, "buyer1")
		if err != nil || len(picture.Data) == 0 || bytes.Equal(picture.Data, files.Data) {
			t.Errorf("%s: %v", name, err)
		}
		if len(files.Asked) != 3 || files.Asked[2] != shown.Portrait {
			t.Errorf("asked %v", files.Asked)
		}
		all, err := p.Chatlogin.Identities(t.Context(), s)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Chatlogin.Unlink(t.Context(), s, all[0].Ref, "zh"))
		if profile, err := p.Profiles.Profile(t.Context(), s, m.ID); err != nil || profile.WeChat {
			t.Errorf("after unlinking: %+v, %v", profile, err)
		}
		if _, _, err := readPortrait(p.Platform, "buyer1"); err != nil {
			t.Errorf("our own copy went with the link: %v", err)
		}
	})
}

func TestPortraitsFetchedFromWeChatCountAsUploads(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		files := &WechatPictures{Err: errors.New("away")}
		p.Restart(func(o *portal.Options) { o.FetchPicture = files.Fetch })
		shown := chattest.Xiao
		shown.Portrait = "https://thirdwx.qlogo.cn/mmopen/vi_32/Q0j4/132"
		p.Browser(portaltest.AccountHost, chattest.InWeChat).Link(access.WeChat, shown, portaltest.BuyerPhone)
		s, m := signInAndAccount(p.Platform, portaltest.BuyerPhone, "buyer1")
		for range pictures.UploadsADay {
			portaltest.Refused(
				t, p.Profiles.UseWeChatPortrait(p.From(portaltest.HomeAddress), s, m.ID), access.NotAvailable,
			)
		}
		portaltest.Refused(
			t, p.Profiles.UseWeChatPortrait(p.From(portaltest.HomeAddress), s, m.ID), access.TooManyAttempts,
		)
		if len(files.Asked) != pictures.UploadsADay {
			t.Errorf("WeChat was asked %d times", len(files.Asked))
		}
	})
}

func TestAPortraitAddressTooLongForACookieIsDropped(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.Restart(func(o *portal.Options) { o.FetchPicture = new(WechatPictures).Fetch })
		for length, want := range map[int]bool{300: true, 301: false} {
			who := chattest.Identity(length)
			who.Portrait = "https://thirdwx.qlogo.cn/" + strings.Repeat("a", length-len("https://thirdwx.qlogo.cn/"))
			account := map[int]string{300: portaltest.BuyerPhone, 301: portaltest.BothPhone}[length]
			p.Browser(portaltest.AccountHost, chattest.InWeChat).Link(access.WeChat, who, account)
			s := p.SignIn(portaltest.AccountHost, account).Session
			accounts, err := p.Profiles.ProfileAccounts(t.Context(), s)
			portaltest.NoError(t, err)
			profile, err := p.Profiles.Profile(t.Context(), s, accounts[0].ID)
			if err != nil || profile.WeChat != want {
				t.Errorf("%d bytes: %v, %v", length, profile.WeChat, err)
			}
		}
	})
}

// signInAndAccount signs a person in and returns the session and the account of a name.
func signInAndAccount(p *portaltest.Platform, who, login string) (access.Session, store.Member) {
	p.T.Helper()
	return p.SignIn(portaltest.AccountHost, who).Session, p.Account(login)
}

// saveProfile changes the profile of an account.
func saveProfile(
	p *portaltest.Platform, s access.Session, m store.Member, change func(*credentials.ProfileInput),
) error {
	p.T.Helper()
	in := credentials.ProfileInput{AccountID: m.ID, Name: m.Name, Position: m.DutyName, Session: s}
	change(&in)
	return p.Profiles.SaveProfile(p.From(portaltest.HomeAddress), in)
}

// readPortrait reads the name and portrait of an account.
func readPortrait(p *portaltest.Platform, login string) (name string, picture pictures.Picture, err error) {
	p.T.Helper()
	name = strings.TrimPrefix(p.Account(login).HeadImg, "/portrait/")
	picture, err = p.Profiles.Portrait(p.T.Context(), name)
	return name, picture, err
}
