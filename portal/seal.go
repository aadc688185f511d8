package portal

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"portico/store"
)

// MinSecret is the least length of a master key, in bytes.
const MinSecret = 32

const (
	sealingKeyBytes = 32
	hashKeyBytes    = 32
	keyIDBytes      = 4
	// hashKeyWait is how long New waits for the database to read the key of keyed hashes.
	hashKeyWait = 10 * time.Second
)

var errUnsealed = errors.New("portal: not sealed with a known master key")

// sealingKey is derived from one master key. id names it in what it seals.
type sealingKey struct {
	id   string
	aead cipher.AEAD
}

// keys are what the master keys are used for. The first sealing key seals; each opens what it sealed. The key of keyed
// hashes does not depend on which master key is the first.
type keys struct {
	sealing []sealingKey
	hashes  []byte
}

func newSealingKey(secret []byte) (sealingKey, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "portico sealing 1", sealingKeyBytes)
	if err != nil {
		return sealingKey{}, fmt.Errorf("derive a sealing key: %w", err)
	}
	id, err := hkdf.Key(sha256.New, secret, nil, "portico key id 1", keyIDBytes)
	if err != nil {
		return sealingKey{}, fmt.Errorf("derive a key id: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealingKey{}, fmt.Errorf("derive a sealing key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	return sealingKey{id: string(id), aead: aead}, err
}

// setKeys derives the sealing keys and reads the key of keyed hashes from the database. The database of a new
// deployment gets one that is derived from the oldest master key, as earlier versions did.
func (p *Portal) setKeys(secrets [][]byte) error {
	for _, secret := range secrets {
		if len(secret) < MinSecret {
			return errors.New("portal: a master key is shorter than 32 bytes")
		}
		key, err := newSealingKey(secret)
		if err != nil {
			return err
		}
		p.keys.sealing = append(p.keys.sealing, key)
	}
	ctx, cancel := context.WithTimeout(context.Background(), hashKeyWait)
	defer cancel()
	found, err := p.readHashKey(ctx)
	if err != nil || found {
		return err
	}
	fresh, err := hkdf.Key(sha256.New, secrets[len(secrets)-1], nil, "portico tags 1", hashKeyBytes)
	if err != nil {
		return fmt.Errorf("derive the key of keyed hashes: %w", err)
	}
	if err := p.addHashKey(ctx, fresh); err != nil {
		return err
	}
	_, err = p.readHashKey(ctx)
	return err
}

func (p *Portal) addHashKey(ctx context.Context, key []byte) error {
	sealed, err := p.seal("hash key", key)
	if err != nil {
		return err
	}
	return p.db.AddHashKey(ctx, store.HashKey{KeyID: p.sealingKeyID(), Sealed: sealed, CreatedAt: store.At(p.now())})
}

// readHashKey takes the oldest key of keyed hashes that one of the master keys opens.
func (p *Portal) readHashKey(ctx context.Context) (found bool, err error) {
	all, err := p.db.HashKeys(ctx)
	if err != nil {
		return false, fmt.Errorf("read the key of keyed hashes: %w", err)
	}
	for _, k := range all {
		if p.unseal("hash key", k.Sealed, &p.keys.hashes) == nil {
			return true, nil
		}
	}
	return false, nil
}

// sealingKeyID names the key that seals, in the database.
func (p *Portal) sealingKeyID() string {
	return base64.RawURLEncoding.EncodeToString([]byte(p.keys.sealing[0].id))
}

// seal encrypts and authenticates v for one purpose with the first master key.
//
// Format: base64url(key id, 4 bytes; nonce, 12 bytes; ciphertext). Earlier versions wrote no key id.
func (p *Portal) seal(purpose string, v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	key := p.keys.sealing[0]
	nonce := make([]byte, key.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	sealed := key.aead.Seal(append([]byte(key.id), nonce...), nonce, plain, []byte(purpose))
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// unseal opens what seal made for the same purpose with any of the master keys.
func (p *Portal) unseal(purpose, sealed string, v any) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return errUnsealed
	}
	for _, key := range p.keys.sealing {
		if plain, ok := key.open(raw, purpose); ok {
			if json.Unmarshal(plain, v) != nil {
				return errUnsealed
			}
			return nil
		}
	}
	return errUnsealed
}

// open decrypts a sealed value, with or without the id of the key in front.
func (k sealingKey) open(raw []byte, purpose string) (plain []byte, ok bool) {
	if len(raw) >= keyIDBytes && string(raw[:keyIDBytes]) == k.id {
		if plain, ok := k.openBox(raw[keyIDBytes:], purpose); ok {
			return plain, true
		}
	}
	return k.openBox(raw, purpose)
}

func (k sealingKey) openBox(raw []byte, purpose string) (plain []byte, ok bool) {
	n := k.aead.NonceSize()
	if len(raw) < n {
		return nil, false
	}
	plain, err := k.aead.Open(nil, raw[:n], raw[n:], []byte(purpose))
	return plain, err == nil
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
