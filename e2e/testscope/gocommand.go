package testscope

import (
	"os"
	"os/exec"
)

// Go returns a command that runs the go tool in a folder, outside of the workspace tools/go.work. make runs the tests
// in that workspace, where the go tool refuses folders of other modules.
func Go(folder string, args ...string) *exec.Cmd {
	command := exec.Command("go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off")
	return command
}
