//go:build dev

package locale

import "os"

// catalogues are the files of this folder, read when the program starts at the root of the repository: make dev.
var catalogues = os.DirFS("locale")
