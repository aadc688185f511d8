//go:build dev

package locale

import "os"

// catalogues are the files of this folder, read from disk for make dev. The program runs at the root of the repository.
var catalogues = os.DirFS("locale")
