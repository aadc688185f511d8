package portal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// MinSecret is the least length of the master key, in bytes (requirement 117).
const MinSecret = 32

var errUnsealed = errors.New("portal: not sealed by us")

// keys are derived from the master key, one for each use.
type keys struct {
	sealing cipher.AEAD
	tags    []byte
}

func deriveKeys(secret []byte) (keys, error) {
	sealing, err := hkdf.Key(sha256.New, secret, nil, "portico sealing 1", 32)
	if err != nil {
		return keys{}, fmt.Errorf("derive keys: %w", err)
	}
	tags, err := hkdf.Key(sha256.New, secret, nil, "portico tags 1", 32)
	if err != nil {
		return keys{}, fmt.Errorf("derive keys: %w", err)
	}
	block, err := aes.NewCipher(sealing)
	if err != nil {
		return keys{}, fmt.Errorf("derive keys: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	return keys{sealing: aead, tags: tags}, err
}

// seal encrypts and authenticates v for one purpose: noise to whoever reads it, refused after any change.
func (p *Portal) seal(purpose string, v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	nonce := make([]byte, p.keys.sealing.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(p.keys.sealing.Seal(nonce, nonce, plain, []byte(purpose))), nil
}

// unseal opens what seal made for the same purpose.
func (p *Portal) unseal(purpose, sealed string, v any) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || len(raw) < p.keys.sealing.NonceSize() {
		return errUnsealed
	}
	nonce, box := raw[:p.keys.sealing.NonceSize()], raw[p.keys.sealing.NonceSize():]
	plain, err := p.keys.sealing.Open(nil, nonce, box, []byte(purpose))
	if err != nil {
		return errUnsealed
	}
	if err := json.Unmarshal(plain, v); err != nil {
		return errUnsealed
	}
	return nil
}

// Remember seals a phone or login for the browser that asked to have it filled in next time, so that the
// cookie tells nobody else.
func (p *Portal) Remember(login string) (string, error) { return p.seal("remember", login) }

// Remembered opens it again; "" when it is not ours.
func (p *Portal) Remembered(sealed string) string {
	var login string
	if p.unseal("remember", sealed, &login) != nil {
		return ""
	}
	return login
}
