package deploytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"
)

// Certificate is a certificate for the platform's hosts, as files, and the pool that trusts it.
type Certificate struct {
	CertificateFile, KeyFile string // PEM
	BothFile                 string // PEM of both, as HAProxy reads it
	Roots                    *x509.CertPool
}

// NewCertificate writes a self-signed certificate for the platform, all its sites and further hosts into a folder.
func NewCertificate(t testing.TB, folder string, hosts ...string) Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: Host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: append([]string{Host, "*." + Host}, hosts...), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	private := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(certificate))
	return Certificate{
		WriteFile(t, folder, "certificate.pem", certificate), WriteFile(t, folder, "key.pem", private),
		WriteFile(t, folder, "both.pem", certificate+private), roots,
	}
}
