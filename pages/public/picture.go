package public

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/assets"
	"portico/pages/web"
)

// ShowFavicon answers GET /favicon.ico: it redirects to the company's own icon, or to the platform's.
func ShowFavicon(w http.ResponseWriter, r *http.Request) {
	icon := assets.FaviconURL
	if c := web.PlaceOf(r.Context()).Company; c != nil && web.OwnIcon(c.IconURL) != "" {
		icon = web.OwnIcon(c.IconURL)
	}
	http.Redirect(w, r, icon, http.StatusFound)
}

// ShowChangePassword answers GET /.well-known/change-password, the address where password managers look for the page
// that changes a password.
func (p *Pages) ShowChangePassword(w http.ResponseWriter, r *http.Request) error {
	return web.SeeOther(w, strings.TrimSuffix(p.web.OtherSignIn(r), "/login")+"/password")
}

// ShowIcon sends a company's icon. The address changes with the icon, so caches may store it forever.
func (p *Pages) ShowIcon(w http.ResponseWriter, r *http.Request) error {
	picture, err := p.portal.Branding.Icon(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	web.KeptByAll(w)
	web.ShownAnywhere(w)
	return web.WritePicture(w, r, picture)
}

// ShowWelcome sends the picture of a company's own sign-in page. The address changes with the picture.
func (p *Pages) ShowWelcome(w http.ResponseWriter, r *http.Request) error {
	picture, err := p.portal.Branding.Welcome(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	web.KeptByAll(w)
	return web.WritePicture(w, r, picture)
}

// ShowPortrait sends a portrait. Other sites may show it: wrappers and destination sites get its address in
// head_img_. Shared caches must not keep it, and browsers keep it for a day, because the person may remove it.
func (p *Pages) ShowPortrait(w http.ResponseWriter, r *http.Request) error {
	picture, err := p.portal.Profiles.Portrait(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, max-age="+strconv.Itoa(web.DaySeconds))
	web.ShownAnywhere(w)
	h.Set("X-Robots-Tag", "noindex")
	return web.WritePicture(w, r, picture)
}

// ShowProductPicture answers GET /product/{name}: the picture of a product. A changed picture has another address.
func (p *Pages) ShowProductPicture(w http.ResponseWriter, r *http.Request) error {
	picture, err := p.portal.Shop.Picture(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	web.KeptByAll(w)
	w.Header().Set("X-Robots-Tag", "noindex")
	return web.WritePicture(w, r, picture)
}
