package public

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/pictures"
	"portico/store"
)

const (
	maxShares = 256              // pictures in the cache, about 40 KB each
	shareWait = 10 * time.Second // the longest wait for another picture to be drawn
)

// Shares is a cache of the pictures of shared links. One picture is drawn at a time.
type Shares struct {
	mu   sync.Mutex
	made map[string][]byte
	turn chan struct{}
}

// NewShares returns an empty cache.
func NewShares() *Shares { return &Shares{made: map[string][]byte{}, turn: make(chan struct{}, 1)} }

// ShowShare sends the picture for shared links of the host's company. It redirects from a former address of the
// picture.
func (p *Pages) ShowShare(w http.ResponseWriter, r *http.Request) error {
	company := web.PlaceOf(r.Context()).Company
	name := chi.URLParam(r, "name")
	lang, ok := languageOfShare(company, name)
	if !ok {
		return redirectUncached(w, web.SharePath(company, locale.Of(r.Context())))
	}
	h := w.Header()
	h.Set("Etag", `"`+strings.TrimSuffix(name, ".png")+`"`)
	web.KeptByAll(w)
	web.ShownAnywhere(w)
	if strings.Contains(r.Header.Get("If-None-Match"), h.Get("Etag")) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	made, err := p.sharePicture(r.Context(), company, lang)
	if err != nil {
		h.Del("Etag")
		h.Set("Cache-Control", "no-store")
		return err
	}
	return web.WritePicture(w, r, pictures.Picture{Kind: "image/png", Data: made})
}

// languageOfShare returns the language of the picture with a name, false for a name that is no longer used.
func languageOfShare(company *store.Company, name string) (locale.Lang, bool) {
	for _, l := range locale.Langs {
		if current, _ := web.ShareName(company, l); current == name {
			return l, true
		}
	}
	return "", false
}

// sharePicture returns a company's picture from the cache, or draws it. It refuses with NotAvailable after shareWait.
func (p *Pages) sharePicture(ctx context.Context, company *store.Company, l locale.Lang) ([]byte, error) {
	name, seed := web.ShareName(company, l)
	if made := p.Shares.get(name); made != nil {
		return made, nil
	}
	late := time.NewTimer(shareWait)
	defer late.Stop()
	select {
	case p.Shares.turn <- struct{}{}:
		defer func() { <-p.Shares.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late.C:
		return nil, &access.Refused{Refusal: access.NotAvailable, Wait: shareWait}
	}
	if made := p.Shares.get(name); made != nil { // another request has drawn it
		return made, nil
	}
	look, err := p.readShareLook(ctx, company)
	if err != nil {
		return nil, err
	}
	look.Seed, look.Words = seed, "words-platform-"+string(l)
	if company != nil {
		look.Words = "words-company-" + string(l)
	}
	made, err := components.SharePicture(look)
	if err == nil {
		p.Shares.put(name, made)
	}
	return made, err
}

// readShareLook returns what a picture shows. Without the file of the icon the picture has none.
func (p *Pages) readShareLook(ctx context.Context, company *store.Company) (look components.ShareLook, err error) {
	if company == nil {
		return look, nil
	}
	look.Theme, look.Industry = company.Theme, company.IndustryID
	if name, own := strings.CutPrefix(company.IconURL, "/icon/"); own {
		icon, err := p.portal.Branding.Icon(ctx, name)
		if err != nil && !errors.Is(err, access.NotFound) {
			return look, err
		}
		look.Icon = icon.Data
	}
	return look, nil
}

func (s *Shares) get(name string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made[name]
}

func (s *Shares) put(name string, made []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.made) >= maxShares {
		clear(s.made)
	}
	s.made[name] = made
}
