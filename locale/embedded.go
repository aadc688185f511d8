//go:build !dev

package locale

import (
	"embed"
	"io/fs"
)

//go:embed *.json
var embedded embed.FS

// catalogues are the files of this folder.
var catalogues fs.FS = embedded
