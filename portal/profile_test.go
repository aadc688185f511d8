package portal_test

import (
	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/picturetest"
	"portico/store"
)

// profiled is a person's session with the account whose profile is changed.
func (p *platform) profiled(who, login string) (portal.Session, store.Member) {
	p.t.Helper()
	return p.signIn(accountHost, who).Session, p.account(login)
}

func (p *platform) saves(s portal.Session, m store.Member, change func(*portal.ProfileInput)) error {
	p.t.Helper()
	in := portal.ProfileInput{AccountID: m.ID, Name: m.Name, Position: m.DutyName, Session: s}
	change(&in)
	return p.SaveProfile(p.from(homeAddress), in)
}

func (p *platform) portraitOf(login string) (name string, picture portal.Picture, err error) {
	p.t.Helper()
	name = strings.TrimPrefix(p.account(login).HeadImg, "/portrait/")
	picture, err = p.Portrait(p.t.Context(), name)
	return name, picture, err
}

func TestPeopleChangeTheirOwnNameAndJobTitle(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		s, m := p.profiled(manyPhone, "li.manager")
		save := func() error {
			return p.saves(s, m, func(in *portal.ProfileInput) { in.Name, in.Position = " 李伟强 ", "销售经理" })
		}
		noError(t, save())
		noError(t, save()) // sent twice
		if now := p.account("li.manager"); now.Name != "李伟强" || now.DutyName != "销售经理" || p.account("li.shop").Name != "李伟" {
			t.Errorf("%+v", now.Account)
		}
		if n := p.events(1001, "profile_changed"); n != 1 {
			t.Errorf("%d events", n)
		}
		for _, c := range []struct {
			field  string
			want   portal.Problem
			change func(*portal.ProfileInput)
		}{
			{"name", portal.NameRequired, func(in *portal.ProfileInput) { in.Name = " " }},
			{"name", portal.NameMalformed, func(in *portal.ProfileInput) { in.Name = strings.Repeat("李", 41) }},
			{"position", portal.TextMalformed, func(in *portal.ProfileInput) { in.Position = strings.Repeat("长", 41) }},
			{"position", portal.TextMalformed, func(in *portal.ProfileInput) { in.Position = "a\u202eb" }},
		} {
			field(t, p.saves(s, m, c.change), c.field, c.want)
		}
		noError(t, p.saves(s, m, func(in *portal.ProfileInput) {
			in.Name, in.Position = strings.Repeat("李", 40), strings.Repeat("长", 40)
		}))
	})
}

func TestOnlyOnesOwnOpenAccountsHaveAProfile(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		s, _ := p.profiled(manyPhone, "li.manager")
		for _, login := range []string{"jinsui", "buyer1"} {
			m := p.account(login)
			_, err := p.Profile(t.Context(), s, m.ID)
			refused(t, err, portal.NotFound)
			refused(t, p.saves(s, m, func(in *portal.ProfileInput) { in.Name = "别人" }), portal.NotFound)
			refused(t, p.RemovePortrait(t.Context(), s, m.ID), portal.NotFound)
			refused(t, p.UseWeChatPortrait(t.Context(), s, m.ID), portal.NotFound)
		}
		p.setAccountState("li.manager", store.AccountDisabled)
		m := p.account("li.manager")
		refused(t, p.saves(s, m, func(in *portal.ProfileInput) { in.Name = "停用" }), portal.AccountDisabled)
		accounts, err := p.ProfileAccounts(t.Context(), s)
		if err != nil || len(accounts) != 3 {
			t.Errorf("%d accounts, %v", len(accounts), err)
		}
		if p.account("jinsui").Name != "陈静" || p.account("li.manager").Name != "李伟" {
			t.Error("something was changed")
		}
	})
}

func TestAProfileThatSomebodyChangedMeanwhileIsNotOverwritten(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		s, m := p.profiled(manyPhone, "li.manager")
		shown, err := p.Profile(t.Context(), s, m.ID)
		noError(t, err)
		noError(t, p.EditPerson(t.Context(), p.boss(), m.ID, portal.PersonInput{Name: "李经理"}))
		in := func(in *portal.ProfileInput) { in.Name, in.Seen = "李伟强", shown.Seen }
		field(t, p.saves(s, m, in), "seen", portal.ProfileChanged)
		if p.account("li.manager").Name != "李经理" {
			t.Error("it was overwritten")
		}
		shown, err = p.Profile(t.Context(), s, m.ID)
		noError(t, err)
		noError(t, p.saves(s, m, in))
	})
}

func TestAPortraitIsDrawnAnewAsASquare(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		s, _ := p.profiled(buyerPhone, "buyer1")
		send := func(data []byte) error {
			return p.saves(s, p.account("buyer1"), func(in *portal.ProfileInput) { in.Body = bytes.NewReader(data) })
		}
		for _, file := range picturetest.Files() {
			err := send(file.Data)
			if (err != nil) != (file.Refused != "") {
				t.Errorf("%s: %v", file.Name, err)
			}
			if err != nil && !errors.Is(err, portal.UploadRejected) && !errors.Is(err, portal.TooManyAttempts) {
				t.Errorf("%s: %v", file.Name, err)
			}
			p.clock.advance(24 * time.Hour / portal.UploadsADay * 2)
			s = p.signIn(accountHost, buyerPhone).Session
		}
		p.clock.advance(24 * time.Hour)
		s = p.signIn(accountHost, buyerPhone).Session
		noError(t, send(picturetest.JPEG(700, 500)))
		name, picture, err := p.portraitOf("buyer1")
		noError(t, err)
		decoded, err := jpeg.Decode(bytes.NewReader(picture.Data))
		if err != nil || picture.Kind != "image/jpeg" || decoded.Bounds().Dx() != 320 || decoded.Bounds().Dy() != 320 {
			t.Errorf("%s: %v", name, err)
		}
		if bytes.Contains(picture.Data, []byte(picturetest.Canary)) || len(name) < 24 {
			t.Errorf("%s brings something along", name)
		}
		noError(t, send(picturetest.JPEG(100, 90)))
		next, small, err := p.portraitOf("buyer1")
		noError(t, err)
		decoded, err = jpeg.Decode(bytes.NewReader(small.Data))
		if err != nil || decoded.Bounds().Dx() != 90 || next == name {
			t.Errorf("a small one: %v", err)
		}
		_, err = p.Portrait(t.Context(), name)
		refused(t, err, portal.NotFound)
		p.missing("portrait/" + name)
	})
}

func TestRemovingAPortraitDeletesIt(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		s, m := p.profiled(buyerPhone, "buyer1")
		send := func(data []byte) {
			t.Helper()
			noError(t, p.saves(s, m, func(in *portal.ProfileInput) { in.Body = bytes.NewReader(data) }))
		}
		send(picturetest.JPEG(60, 60))
		first, _, err := p.portraitOf("buyer1")
		noError(t, err)
		send(picturetest.JPEG(60, 60)) // the same form again
		if again, _, err := p.portraitOf("buyer1"); err != nil || again != first || p.events(1001, "portrait_set") != 1 {
			t.Errorf("%s became %s, %v", first, again, err)
		}
		for range 2 {
			noError(t, p.RemovePortrait(t.Context(), s, m.ID))
		}
		if p.account("buyer1").HeadImg != "" || p.events(1001, "portrait_removed") != 1 {
			t.Error("it is still there")
		}
		p.missing("portrait/" + first)
		_, err = p.Portrait(t.Context(), first)
		refused(t, err, portal.NotFound)
		if strings.Contains(p.rows(), "portraits [") {
			t.Error("a row is left")
		}
	})
}

// A picture that came in while the transaction failed, and one of a company that is gone, are removed after a day.
func TestAPortraitThatNobodyShowsIsRemovedAfterADay(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		now := store.At(p.clock.now())
		add := func(id string, company int64) string {
			t.Helper()
			noError(t, p.db.AddPortrait(t.Context(), store.Portrait{ID: id, CompanyID: company, AccountID: 1, CreatedAt: now}))
			noError(t, p.options.Files.Put(t.Context(), "portrait/"+id+".jpg", "image/jpeg", []byte("x")))
			return "portrait/" + id + ".jpg"
		}
		left, used := add("left", 1001), add("used", 1001)
		noError(t, p.db.UsePortrait(t.Context(), 1001, "used", now))
		p.clock.advance(portal.AbandonedAfter - time.Second)
		noError(t, p.Sweep(t.Context()))
		p.kept(left)
		p.clock.advance(2 * time.Second)
		noError(t, p.Sweep(t.Context()))
		p.missing(left)
		p.kept(used)
		now = store.At(p.clock.now())
		id, err := p.db.AddCompany(t.Context(), store.Company{Name: "Prueba", Language: "es", Standing: store.Trial, EndsAt: now, Mall: store.MallOpen, Sandbox: true, CreatedAt: now, UpdatedAt: now})
		noError(t, err)
		gone := add("gone", id)
		noError(t, p.db.UsePortrait(t.Context(), id, "gone", now))
		noError(t, p.db.RemoveSandbox(t.Context(), id, now+1))
		noError(t, p.Sweep(t.Context()))
		p.missing(gone)
	})
}

func TestANetworkAddressUploadsTwentyPortraitsADay(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		s, m := p.profiled(buyerPhone, "buyer1")
		for i := range 21 {
			err := p.saves(s, m, func(in *portal.ProfileInput) { in.Body = bytes.NewReader(picturetest.JPEG(60+i, 60)) })
			if limited := errors.Is(err, portal.TooManyAttempts); limited != (i == 20) || !limited && err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
	})
}

// wechatPictures are the pictures at WeChat: it counts who is asked, and answers what it is told to.
type wechatPictures struct {
	asked []string
	data  []byte
	err   error
}

func (w *wechatPictures) fetch(_ context.Context, address string) ([]byte, error) {
	w.asked = append(w.asked, address)
	return w.data, w.err
}

func TestThePortraitOfWeChatIsFetchedOnlyWhenItsHolderAsks(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		pictures := &wechatPictures{data: picturetest.JPEG(132, 132)}
		p.restart(func(o *portal.Options) { o.FetchPicture = pictures.fetch })
		shown := xiao
		shown.Head = "https://thirdwx.qlogo.cn/mmopen/vi_32/Q0j4/132"
		s, m := p.profiled(buyerPhone, "buyer1")
		refused(t, p.UseWeChatPortrait(p.from(homeAddress), s, m.ID), portal.WrongParameters) // nothing is linked
		p.browser(accountHost, inWeChat).links(portal.WeChat, shown, buyerPhone)
		profile, err := p.Profile(t.Context(), s, m.ID)
		if err != nil || !profile.WeChat || len(pictures.asked) != 0 || p.account("buyer1").HeadImg != "" {
			t.Fatalf("%+v, asked %v, %v", profile, pictures.asked, err)
		}
		pictures.err = errors.New("away")
		refused(t, p.UseWeChatPortrait(p.from(homeAddress), s, m.ID), portal.NotAvailable)
		pictures.err, pictures.data = nil, []byte("<svg/>")
		refused(t, p.UseWeChatPortrait(p.from(homeAddress), s, m.ID), portal.UploadRejected)
		pictures.data = picturetest.JPEG(132, 132)
		noError(t, p.UseWeChatPortrait(p.from(homeAddress), s, m.ID))
		name, picture, err := p.portraitOf("buyer1")
		if err != nil || len(picture.Data) == 0 || bytes.Equal(picture.Data, pictures.data) {
			t.Errorf("%s: %v", name, err)
		}
		if len(pictures.asked) != 3 || pictures.asked[2] != shown.Head {
			t.Errorf("asked %v", pictures.asked)
		}
		all, err := p.Identities(t.Context(), s)
		noError(t, err)
		noError(t, p.Unlink(t.Context(), s, all[0].Ref, "zh"))
		if profile, err := p.Profile(t.Context(), s, m.ID); err != nil || profile.WeChat {
			t.Errorf("after unlinking: %+v, %v", profile, err)
		}
		if _, _, err := p.portraitOf("buyer1"); err != nil {
			t.Errorf("our own copy went with the link: %v", err)
		}
	})
}

func TestPortraitsFetchedFromWeChatCountAsSentIn(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		pictures := &wechatPictures{err: errors.New("away")}
		p.restart(func(o *portal.Options) { o.FetchPicture = pictures.fetch })
		shown := xiao
		shown.Head = "https://thirdwx.qlogo.cn/mmopen/vi_32/Q0j4/132"
		p.browser(accountHost, inWeChat).links(portal.WeChat, shown, buyerPhone)
		s, m := p.profiled(buyerPhone, "buyer1")
		for range portal.UploadsADay {
			refused(t, p.UseWeChatPortrait(p.from(homeAddress), s, m.ID), portal.NotAvailable)
		}
		refused(t, p.UseWeChatPortrait(p.from(homeAddress), s, m.ID), portal.TooManyAttempts)
		if len(pictures.asked) != portal.UploadsADay {
			t.Errorf("WeChat was asked %d times", len(pictures.asked))
		}
	})
}
func TestAPortraitAddressTooLongForACookieIsDropped(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.restart(func(o *portal.Options) { o.FetchPicture = new(wechatPictures).fetch })
		for length, want := range map[int]bool{300: true, 301: false} {
			who := someone(length)
			who.Head = "https://thirdwx.qlogo.cn/" + strings.Repeat("a", length-len("https://thirdwx.qlogo.cn/"))
			account := map[int]string{300: buyerPhone, 301: bothPhone}[length]
			p.browser(accountHost, inWeChat).links(portal.WeChat, who, account)
			s := p.signIn(accountHost, account).Session
			accounts, err := p.ProfileAccounts(t.Context(), s)
			noError(t, err)
			profile, err := p.Profile(t.Context(), s, accounts[0].ID)
			if err != nil || profile.WeChat != want {
				t.Errorf("%d bytes: %v, %v", length, profile.WeChat, err)
			}
		}
	})
}
