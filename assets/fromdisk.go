//go:build dev

package assets

import "os"

// sources are the files of this folder, read from disk for make dev. The program runs at the root of the repository.
var sources = os.DirFS("assets")
