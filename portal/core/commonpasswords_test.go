package core

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/portal/access"
)

// Builds of Node compress to different bytes, so what is inside is compared.
func TestTheCommonPasswordsFileMatchesItsGenerator(t *testing.T) {
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat("../../node_modules/@zxcvbn-ts/language-common")
	}
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("commonpasswords.mjs cannot run: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var written [2]string
	for i := range written {
		file := filepath.Join(t.TempDir(), "commonpasswords.txt.gz")
		if out, err := exec.Command(node, "commonpasswords.mjs", file).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		packed, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		written[i] = string(packed)
	}
	if written[0] != written[1] {
		t.Error("the generator writes something else each time")
	}
	text, err := gunzip([]byte(written[0]))
	if err != nil {
		t.Fatal(err)
	}
	if text != commonPasswords() {
		t.Error("commonpasswords.txt.gz is stale: npm run passwords")
	}
}

func TestTheListOfCommonPasswordsIsLongSortedAndSmall(t *testing.T) {
	list := strings.Split(strings.TrimSuffix(commonPasswords(), "\n"), "\n")
	fit := 0
	for i, password := range list {
		if i > 0 && list[i-1] >= password {
			t.Fatalf("%q is listed before %q", list[i-1], password)
		}
		if len(password) >= access.MinPassword && len(password) <= access.MaxPasswordTyped &&
			!strings.ContainsFunc(password, isOutsideRule) {
			fit++
		}
	}
	if fit < 60_000 {
		t.Errorf("only %d of %d fit the default rule", fit, len(list))
	}
	if len(packedPasswords) > 210_000 || len(commonPasswords()) > 1<<20 {
		t.Errorf("%d bytes packed, %d unpacked", len(packedPasswords), len(commonPasswords()))
	}
}

func TestEveryCommonPasswordIsFoundInAnyCase(t *testing.T) {
	for password := range strings.Lines(commonPasswords()) {
		password = strings.TrimSuffix(password, "\n")
		if !isCommonPassword(password) || !isCommonPassword(strings.ToUpper(password)) {
			t.Errorf("%q is not found", password)
		}
	}
}

func TestCommonPasswordsComeFromBreachesAndLocalHabits(t *testing.T) {
	for _, password := range strings.Fields(`
		123456 password iloveyou dragon letmein sunshine qwerty trustno1 p@ssw0rd password! 1qaz2wsx
		a123456 A123456 woaini1314 qwe123 5201314 password1 Password1 PASSWORD123 password12! admin123
		woaini520 1314520 qq123456
		zxc123456 abc123456 123456abc 147258369 asd123 888888 88888888 666666 168168
		taobao123 weixin520 admin888 admin@123
		Admin2026 wang1990 zhangwei1314 wangwei888 liwei123456 chen520 contrasena1 teamo123
		Sunshine7 monkeys99 Football.1
		19900101 31121985 12311985 900101 311285
	`) {
		if !isCommonPassword(password) {
			t.Errorf("%s is taken", password)
		}
	}
	for _, password := range []string{
		"", "a", "\n", "\x00", "a\nb", "Demo2026", "Kf83mzQ2", "sunshine1234", "lluvia.cobre7", "mesa_verde_42",
		"7301946285",
		"99999999x", "19901301", "18990101", "21000101", "19900230", "~~~~~~", "zzzzzzzzzzzzzzzzzzzz1", "日常用的密码",
	} {
		if isCommonPassword(password) {
			t.Errorf("%q is refused", password)
		}
	}
}

func TestOnlyAWholeLineIsFoundInASortedList(t *testing.T) {
	const lines = "aa\nab\nabc\nb\nzz\n"
	for _, wanted := range []string{
		"", "a", "aa", "ab", "abc", "abcd", "ac", "b", "bb", "z", "zz", "zzz", "~", "aa\nab",
	} {
		if got, want := inLines(lines, wanted), slices.Contains(strings.Fields(lines), wanted); got != want {
			t.Errorf("%q: %t", wanted, got)
		}
	}
	if inLines("", "") || inLines("", "a") {
		t.Error("something is found in nothing")
	}
}
