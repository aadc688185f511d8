package site

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rsc.io/qr"
)

func TestQRCodePathHasEveryModule(t *testing.T) {
	for _, text := range []string{"1", "https://store1001.example.com/register/complete?invite=" +
		strings.Repeat("aB-_", 60)} {
		code, err := qr.Encode(text, qr.L)
		if err != nil {
			t.Fatal(err)
		}
		path, side := qrPath(text)
		black := map[string]bool{}
		for _, run := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(path, -1) {
			x, _ := strconv.Atoi(run[1])
			n, _ := strconv.Atoi(run[3])
			for i := range n {
				black[fmt.Sprint(x+i, " ", run[2])] = true
			}
		}
		for y := range side {
			for x := range side {
				if black[fmt.Sprint(x, " ", y)] != code.Black(x-quietZone, y-quietZone) {
					t.Fatalf("module %d, %d of %d is wrong", x, y, side)
				}
			}
		}
	}
	if path, side := qrPath(strings.Repeat("x", 5000)); path != "" || side != 0 {
		t.Error("a text that fits no code is drawn")
	}
}
