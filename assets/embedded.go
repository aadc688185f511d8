//go:build !dev

package assets

import (
	"embed"
	"io/fs"
)

//go:embed css/*.css icons.svg drawings.svg words.svg favicon.svg product/*.webp all:dist
var embedded embed.FS

// sources are the files of this folder.
var sources fs.FS = embedded
