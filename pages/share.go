package pages

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/portal/access"
	"portico/portal/pictures"
	"portico/store"
)

// shareDrawing changes with how the pictures are drawn, so that they get new addresses.
const shareDrawing = "1"

const (
	maxShares = 256              // pictures kept, some 40 KB each
	shareWait = 10 * time.Second // for one's turn
)

// shares are the pictures of shared links that were asked for; one is drawn at a time.
type shares struct {
	mu   sync.Mutex
	made map[string][]byte
	turn chan struct{}
}

func newShares() *shares { return &shares{made: map[string][]byte{}, turn: make(chan struct{}, 1)} }

// shareName is the name of a company's picture, the platform's for nil: another one whenever it would look different.
func shareName(c *store.Company) (name string, seed uint64) {
	of := shareDrawing
	if c != nil {
		of = fmt.Sprint(shareDrawing, "\n", c.ID, "\n", c.Theme, "\n", c.IndustryID, "\n", c.IconURL)
	}
	sum := sha256.Sum256([]byte(of))
	var own [8]byte
	if c != nil {
		binary.LittleEndian.PutUint64(own[:], uint64(c.ID))
	}
	arranged := sha256.Sum256(own[:])
	return hex.EncodeToString(sum[:8]) + ".png", binary.LittleEndian.Uint64(arranged[:])
}

func sharePath(c *store.Company) string {
	name, _ := shareName(c)
	return "/share/" + name
}

// showShare is the picture beside a shared link, of the host's company alone. A former address leads to the present
// one.
func (p *Pages) showShare(w http.ResponseWriter, r *http.Request) error {
	company := placeOf(r.Context()).Company
	name, _ := shareName(company)
	if chi.URLParam(r, "name") != name {
		return moved(w, sharePath(company))
	}
	h := w.Header()
	h.Set("Etag", `"`+strings.TrimSuffix(name, ".png")+`"`)
	keptByAll(w)
	if strings.Contains(r.Header.Get("If-None-Match"), h.Get("Etag")) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	made, err := p.share(r.Context(), company)
	if err != nil {
		h.Del("Etag")
		h.Set("Cache-Control", "no-store")
		return err
	}
	return writePicture(w, r, pictures.Picture{Kind: "image/png", Data: made})
}

// share gives a company's picture as it was drawn before, or draws it in its turn.
func (p *Pages) share(ctx context.Context, company *store.Company) ([]byte, error) {
	name, seed := shareName(company)
	if made := p.shares.get(name); made != nil {
		return made, nil
	}
	late := time.NewTimer(shareWait)
	defer late.Stop()
	select {
	case p.shares.turn <- struct{}{}:
		defer func() { <-p.shares.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late.C:
		return nil, &access.Refused{Refusal: access.NotAvailable, Wait: shareWait}
	}
	if made := p.shares.get(name); made != nil { // drawn meanwhile
		return made, nil
	}
	look, err := p.shareLook(ctx, company)
	if err != nil {
		return nil, err
	}
	look.Seed = seed
	made, err := components.SharePicture(look)
	if err == nil {
		p.shares.keep(name, made)
	}
	return made, err
}

// shareLook reads what a picture is made of. An icon whose file is gone does not matter.
func (p *Pages) shareLook(ctx context.Context, company *store.Company) (look components.ShareLook, err error) {
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

func (s *shares) get(name string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made[name]
}

func (s *shares) keep(name string, made []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.made) >= maxShares {
		clear(s.made)
	}
	s.made[name] = made
}
