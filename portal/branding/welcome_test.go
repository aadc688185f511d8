package branding_test

import (
	"bytes"
	"image/jpeg"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
)

// setWelcome publishes a greeting and a picture of a width and height in pixels for company 1002; a width of 0 keeps
// the present picture.
func setWelcome(p *portaltest.Platform, greeting string, width, height int) error {
	in := branding.WelcomeInput{Greeting: greeting}
	if width > 0 {
		in.Picture = bytes.NewReader(picturetest.PNG(width, height))
	}
	return p.Branding.SetWelcome(p.From(portaltest.HomeAddress), p.Office("sur"), in)
}

// shownWelcome reads the published picture of company 1002 as visitors do.
func shownWelcome(p *portaltest.Platform) (pictures.Picture, error) {
	return p.Branding.Welcome(p.T.Context(), strings.TrimPrefix(p.Company(1002).WelcomeURL, access.WelcomePrefix))
}

func TestACompanysGreetingAndPictureArePublished(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, setWelcome(p, " Buenos  días ", 2000, 1000))
		c := p.Company(1002)
		if c.Greeting != "Buenos  días" || !strings.HasPrefix(c.WelcomeURL, "/welcome/") {
			t.Errorf("%q %q", c.Greeting, c.WelcomeURL)
		}
		shown, err := shownWelcome(p)
		portaltest.NoError(t, err)
		made, err := jpeg.DecodeConfig(bytes.NewReader(shown.Data))
		portaltest.NoError(t, err)
		if shown.Kind != "image/jpeg" || made.Width != pictures.WelcomeSide || made.Height != pictures.WelcomeSide/2 {
			t.Error(shown.Kind, made.Width, made.Height)
		}
		portaltest.NoError(t, setWelcome(p, "Buenos  días", 2000, 1000)) // the same press again
		if again := p.Company(1002); again != c || p.CountEvents(1002, "welcome_set") != 1 {
			t.Error("publishing the same again writes something")
		}
		p.Clock.Advance(2 * pictures.AbandonedAfter)
		portaltest.NoError(t, p.Sweep(t.Context()))
		_, err = shownWelcome(p)
		portaltest.NoError(t, err)
	})
}

func TestARemovedPictureAndGreetingCanBeUndone(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, setWelcome(p, "Hola", 60, 60))
		before := p.Company(1002)
		portaltest.NoError(t, p.Branding.SetWelcome(
			p.From(portaltest.HomeAddress), p.Office("sur"), branding.WelcomeInput{Remove: true},
		))
		if c := p.Company(1002); c.Greeting != "" || c.WelcomeURL != "" {
			t.Errorf("%+v", c)
		}
		p.Clock.Advance(2 * pictures.AbandonedAfter)
		portaltest.NoError(t, p.Sweep(t.Context()))
		portaltest.NoError(t, p.Branding.UndoAppearance(t.Context(), p.Office("sur"), companytest.UndoMark(p)))
		if c := p.Company(1002); c.Greeting != "Hola" || c.WelcomeURL != before.WelcomeURL {
			t.Errorf("%q %q", c.Greeting, c.WelcomeURL)
		}
		_, err := shownWelcome(p)
		portaltest.NoError(t, err)
	})
}

func TestAPictureThatNobodyCanRestoreIsRemoved(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, setWelcome(p, "", 60, 60))
		name := strings.TrimPrefix(p.Company(1002).WelcomeURL, access.WelcomePrefix)
		portaltest.NoError(t, setWelcome(p, "", 61, 61))
		portaltest.NoError(t, setWelcome(p, "", 62, 62))
		p.Clock.Advance(2 * pictures.AbandonedAfter)
		portaltest.NoError(t, p.Sweep(t.Context()))
		_, err := p.Branding.Welcome(t.Context(), name)
		portaltest.Refused(t, err, access.NotFound)
		_, err = shownWelcome(p)
		portaltest.NoError(t, err)
	})
}

func TestBadGreetingsAndPicturesAreRefused(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, greeting := range []string{"two\x00lines", strings.Repeat("好", 81)} {
			portaltest.WantField(t, setWelcome(p, greeting, 0, 0), "greeting", access.TextMalformed)
		}
		portaltest.NoError(t, setWelcome(p, strings.Repeat("好", 80), 0, 0))
		svg := branding.WelcomeInput{Picture: strings.NewReader("<svg/>")}
		portaltest.Refused(t, p.Branding.SetWelcome(p.From(portaltest.HomeAddress), p.Office("sur"), svg),
			access.UploadRejected)
		old := branding.WelcomeInput{Greeting: "x", Seen: "another look"}
		portaltest.WantField(t, p.Branding.SetWelcome(p.From(portaltest.HomeAddress), p.Office("sur"), old), "seen",
			access.LookChanged)
	})
}

func TestAnIconIsNoPictureOfASignInPage(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.Branding.SetIcon(
			p.From(portaltest.HomeAddress), p.Office("sur"), bytes.NewReader(picturetest.PNG(60, 60)),
		))
		id := access.UploadedIconID(p.Company(1002).IconURL)
		_, err := p.Branding.Welcome(t.Context(), id+".jpg")
		portaltest.Refused(t, err, access.NotFound)
	})
}
