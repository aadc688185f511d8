package testscope

import (
	"os"
	"os/exec"
)

// Go returns a command of the go tool in a folder. It does not see the workspace of tools/, in which make runs the
// tests: there the tool would refuse folders of other modules.
func Go(folder string, args ...string) *exec.Cmd {
	command := exec.Command("go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off")
	return command
}
