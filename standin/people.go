package standin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"image"
	"image/color"
	"image/png"
	"strings"
	"unicode"
	"unicode/utf8"
)

// person is an invented person.
type person struct {
	key      string // in URLs and the cookie
	name     string
	nick     string // at WeChat
	userID   string // at WeCom, for a member of the company; empty: an outsider
	customer bool   // an outsider who is a customer of the company at WeCom
}

// people are the built-in people.
var people = []person{
	{key: "xiaoman", name: "陈小满", nick: "满满", customer: true},
	{key: "linzhou", name: "林舟", nick: "林舟"},
	{key: "maria", name: "María Torres", nick: "María T."},
	{key: "zhouyan", name: "周妍", nick: "周妍", userID: "zhou.yan"},
	{key: "diego", name: "Diego Ramos", nick: "Diego", userID: "DiegoRamos"},
}

// The key of a person who was entered by name contains the name, so that the person is the same after a restart.
const (
	outsiderKey = "n."
	memberKey   = "m."
	maxName     = 20 // characters
)

// personNamed returns the person with a name. ok is false when the name is empty, too long or not printable.
func personNamed(name string, member bool) (p person, ok bool) {
	name = strings.TrimSpace(name)
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return person{}, false
	}
	p = person{key: outsiderKey + base64.RawURLEncoding.EncodeToString([]byte(name)), name: name, nick: name}
	if member {
		p.key = memberKey + strings.TrimPrefix(p.key, outsiderKey)
		sum := sha256.Sum256([]byte(p.key))
		p.userID = "member-" + hex.EncodeToString(sum[:4])
	}
	return p, true
}

// personOf returns the person with a key.
func personOf(key string) (person, bool) {
	for _, p := range people {
		if p.key == key {
			return p, true
		}
	}
	if len(key) < len(memberKey) {
		return person{}, false
	}
	kind, rest := key[:len(memberKey)], key[len(memberKey):]
	name, err := base64.RawURLEncoding.DecodeString(rest)
	if err != nil || kind != memberKey && kind != outsiderKey {
		return person{}, false
	}
	p, ok := personNamed(string(name), kind == memberKey)
	return p, ok && p.key == key
}

// openID identifies the person at one application, unionID at all applications of an owner, and externalID a customer
// at a company.
func (p person) openID(app string) string     { return "o" + p.id("openid", app)[:27] }
func (p person) unionID(app string) string    { return "o" + p.id("unionid", owner(app))[:27] }
func (p person) externalID(app string) string { return "wm" + p.id("external", app)[:30] }

func (p person) id(kind, of string) string {
	sum := sha256.Sum256([]byte("stand-in\n" + kind + "\n" + of + "\n" + p.key))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// pictureHost is the origin of the URLs of portraits. It is not a server: Picture draws them.
const pictureHost = "https://standin.invalid/"

// picture returns the URL of a portrait in the form that WeChat uses.
func (p person) picture() string {
	return pictureHost + p.id("picture", "")[:20] + "/132"
}

// Picture draws the portrait at a URL of the stand-in, as PNG: a square in two colours.
func Picture(_ context.Context, address string) ([]byte, error) {
	path, isOwn := strings.CutPrefix(address, pictureHost)
	if !isOwn {
		return nil, errors.New("stand-in: no such picture")
	}
	sum := sha256.Sum256([]byte(path))
	const side = 132
	drawn := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{
		color.RGBA{sum[0], sum[1], sum[2], 255}, color.RGBA{sum[3], sum[4], sum[5], 255},
	})
	for y := side / 2; y < side; y++ {
		for x := range side {
			drawn.SetColorIndex(x, y, 1)
		}
	}
	var out bytes.Buffer
	err := png.Encode(&out, drawn)
	return out.Bytes(), err
}

// initial is the letter in the person's mark.
func (p person) initial() string {
	first, _ := utf8.DecodeRuneInString(p.name)
	return string(unicode.ToUpper(first))
}
