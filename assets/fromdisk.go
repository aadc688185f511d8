//go:build dev

package assets

import "os"

// sources are the files of this folder, read when the program starts at the root of the repository: make dev.
var sources = os.DirFS("assets")
