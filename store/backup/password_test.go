package backup

import (
	"strings"
	"testing"
)

func TestPasswordIsNotOnTheCommandLineOfPostgresPrograms(t *testing.T) {
	for _, address := range []string{
		"postgres://u:canary@h:5/d?sslmode=disable&default_query_exec_mode=exec",
		"postgres://u@h:5/d?password=canary&sslmode=disable",
	} {
		clean, password, err := withoutPassword(address)
		if err != nil || password != "canary" || clean != "postgres://u@h:5/d?sslmode=disable" {
			t.Errorf("%s: %s %s %v", address, clean, password, err)
		}
	}
	_, _, err := withoutPassword("postgres://u:canary@h:x/d")
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
}
