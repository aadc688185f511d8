package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printed reads an environment and returns the text that describes it.
func printed(t *testing.T, environ ...string) string {
	t.Helper()
	c, err := Read(environ)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := PrintInForce(&out, c.InForce); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPrintedSettingsCanBeReadAgain(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "sign")
	if err := os.WriteFile(secret, []byte("canary-sign-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := printed(t, "PORTICO_BASE=https://example.com", "PORTICO_CODE_RESEND=90s", "PORTICO_REGISTER=closed",
		"PORTICO_SIGN_SECRET_FILE="+secret, "PORTICO_SUPPORT=Customer service:4001234567")
	var environ []string
	for line := range strings.Lines(first) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			environ = append(environ, line)
		}
	}
	if len(environ) != 5 {
		t.Errorf("%d settings are set: %q", len(environ), environ)
	}
	if again := printed(t, environ...); again != first {
		t.Errorf("read again it is\n%s\nnot\n%s", again, first)
	}
	for _, s := range Settings() {
		if !strings.Contains(first, s.Name) {
			t.Errorf("%s is missing", s.Name)
		}
	}
}

func TestPrintedSettingsHideSecrets(t *testing.T) {
	const canary = "c4naryC4naryc4naryC4naryc4naryC4nary"
	text := printed(
		t,
		"PORTICO_SECRET="+canary+"01234567",
		"PORTICO_SIGN_SECRET="+canary+"1",
		"PORTICO_DATABASE=postgres://portico:"+canary+"@db/portico",
		"PORTICO_UPLOADS=s3://key:"+canary+"@s3.test/bucket",
		"PORTICO_BACKUP=s3://key:"+canary+"@s3.test/bucket/a", "PORTICO_SMS=webhook",
		"PORTICO_SMS_WEBHOOK=https://sms.test/",
		"PORTICO_SMS_WEBHOOK_SECRET="+canary+"2",
		"PORTICO_SMS_ALIYUN=key:"+canary,
		"PORTICO_SMS_SIGN=x",
		"PORTICO_WECHAT_APP=wx520c15f417810387:"+canary,
	)
	if strings.Contains(text, canary) {
		t.Errorf("a secret is printed:\n%s", text)
	}
	for _, want := range []string{
		"# PORTICO_SECRET=… (secret)\n",
		"# PORTICO_DATABASE=postgres://portico:xxxxx@db/portico (a secret is left out)\n",
		"# PORTICO_WECHAT_APP=… (secret)\n", "\nPORTICO_SMS=webhook\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
