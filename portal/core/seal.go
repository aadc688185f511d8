package core

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

// MinSecret is the minimum length of a master key, in bytes.
const MinSecret = 32

const (
	sealingKeyBytes = 32
	hashKeyBytes    = 32
	keyIDBytes      = 4
	// hashKeyWait is how long New waits for the database to read the key of keyed hashes.
	hashKeyWait = 10 * time.Second
)

// ErrUnsealed says that no master key opens a value for a purpose, or that it has the wrong form.
var ErrUnsealed = errors.New("portal: not sealed with a known master key")

// sealingKey is derived from one master key. Sealed values begin with its id.
type sealingKey struct {
	id   string
	aead cipher.AEAD
}

// keys are derived from the master keys. The first sealing key seals; all of them open. The key of keyed hashes stays
// the same when another master key becomes the first.
type keys struct {
	sealing []sealingKey
	Hashes  []byte
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

// SetKeys derives the sealing keys and reads the key of keyed hashes from the database. The database of a new
// deployment gets one that is derived from the oldest master key, as earlier versions did.
func (s *Sealing) SetKeys(secrets [][]byte) error {
	for _, secret := range secrets {
		if len(secret) < MinSecret {
			return errors.New("portal: a master key is shorter than 32 bytes")
		}
		key, err := newSealingKey(secret)
		if err != nil {
			return err
		}
		s.Keys.sealing = append(s.Keys.sealing, key)
	}
	ctx, cancel := context.WithTimeout(context.Background(), hashKeyWait)
	defer cancel()
	found, err := s.readHashKey(ctx)
	if err != nil || found {
		return err
	}
	fresh, err := hkdf.Key(sha256.New, secrets[len(secrets)-1], nil, "portico tags 1", hashKeyBytes)
	if err != nil {
		return fmt.Errorf("derive the key of keyed hashes: %w", err)
	}
	if err := s.addHashKey(ctx, fresh); err != nil {
		return err
	}
	_, err = s.readHashKey(ctx)
	return err
}

func (s *Sealing) addHashKey(ctx context.Context, key []byte) error {
	sealed, err := s.Seal("hash key", key)
	if err != nil {
		return err
	}
	return s.core.DB.HashKeys.Add(
		ctx, store.HashKey{KeyID: s.sealingKeyID(), Sealed: sealed, CreatedAt: store.At(s.core.Now())},
	)
}

// readHashKey reads the oldest key of keyed hashes that a master key opens.
func (s *Sealing) readHashKey(ctx context.Context) (found bool, err error) {
	all, err := s.core.DB.HashKeys.All(ctx)
	if err != nil {
		return false, fmt.Errorf("read the key of keyed hashes: %w", err)
	}
	for _, k := range all {
		if s.Unseal("hash key", k.Sealed, &s.Keys.Hashes) == nil {
			return true, nil
		}
	}
	return false, nil
}

// sealingKeyID identifies the first sealing key in the database.
func (s *Sealing) sealingKeyID() string {
	return base64.RawURLEncoding.EncodeToString([]byte(s.Keys.sealing[0].id))
}

// Seal encrypts and authenticates v for one purpose with the first master key.
//
// Format: base64url(key id, 4 bytes; nonce, 12 bytes; ciphertext). Earlier versions wrote no key id.
func (s *Sealing) Seal(purpose string, v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	key := s.Keys.sealing[0]
	nonce := make([]byte, key.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	sealed := key.aead.Seal(append([]byte(key.id), nonce...), nonce, plain, []byte(purpose))
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Unseal opens into v what Seal made for the same purpose with any of the master keys. Otherwise it returns
// ErrUnsealed.
func (s *Sealing) Unseal(purpose, sealed string, v any) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return ErrUnsealed
	}
	for _, key := range s.Keys.sealing {
		if plain, ok := key.open(raw, purpose); ok {
			if json.Unmarshal(plain, v) != nil {
				return ErrUnsealed
			}
			return nil
		}
	}
	return ErrUnsealed
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

// Remember seals a phone or account name for the cookie of a browser that fills it in next time. Nobody can read it in
// the cookie.
func (s *Sealing) Remember(login string) (string, error) { return s.Seal("remember", login) }

// Remembered opens what Remember sealed. It returns "" for anything else.
func (s *Sealing) Remembered(sealed string) string {
	var login string
	if s.Unseal("remember", sealed, &login) != nil {
		return ""
	}
	return login
}
