package main

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// imageUser is the user and group that the program has in the container. It is nobody on the host.
const imageUser = 65532

// writeImage writes portico_VERSION_image.tar: an OCI archive with an image for each architecture.
func (r release) writeImage(archs []string, programs map[string]string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range archs {
		image, err := r.image(arch, programs[arch])
		if err != nil {
			return fmt.Errorf("image for %s: %w", arch, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	work, err := os.MkdirTemp("", "portico-image-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	folder, err := layout.Write(work, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return err
	}
	names := layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": r.version.file,
		"io.containerd.image.name":          "localhost/portico:" + r.version.file,
	})
	if err := folder.AppendIndex(index, names); err != nil {
		return err
	}
	file, err := os.Create(r.file("portico_%s_image.tar", r.version.file))
	if err != nil {
		return err
	}
	return errors.Join(r.writeFolder(file, work), file.Close())
}

// writeFolder writes the files of a folder as a tar archive.
func (r release) writeFolder(w io.Writer, folder string) error {
	var entries []entry
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		name, _ := filepath.Rel(folder, path) // path is inside the folder
		if e.IsDir() {
			entries = append(entries, entry{filepath.ToSlash(name) + "/", 0o755, 0, nil})
			return nil
		}
		content, err := os.ReadFile(path)
		entries = append(entries, entry{filepath.ToSlash(name), 0o644, 0, content})
		return err
	})
	if err != nil {
		return err
	}
	return writeTar(w, r.date, entries)
}

// image returns the image of one architecture: nothing but the program, a user, the certificates of public authorities
// for calls to SMS providers and chat apps, and the folders that the program writes.
func (r release) image(arch, program string) (v1.Image, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	user := fmt.Sprintf("portico:x:%d:%d:Portico:/var/lib/portico:/sbin/nologin\n", imageUser, imageUser)
	notices, err := r.copyright()
	if err != nil {
		return nil, err
	}
	files := []entry{
		{"etc/", 0o755, 0, nil},
		{"etc/group", 0o644, 0, fmt.Appendf(nil, "portico:x:%d:\n", imageUser)},
		{"etc/passwd", 0o644, 0, []byte(user)},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, authorities()},
		{"tmp/", 0o1777, 0, nil},
		{"usr/", 0o755, 0, nil},
		{"usr/bin/", 0o755, 0, nil},
		{docFolder + "copyright", 0o644, 0, notices},
		{"var/lib/portico/", 0o700, imageUser, nil},
	}
	names, err := r.shipped()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		content, err := r.read(name)
		if err != nil {
			return nil, err
		}
		files = append(files, entry{docFolder + name, 0o644, 0, content})
	}
	base, err := layer(r, files)
	if err != nil {
		return nil, err
	}
	own, err := layer(r, []entry{{"usr/bin/portico", 0o755, 0, binary}})
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	added := v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "portico/release"}
	image, err = mutate.Append(
		image,
		mutate.Addendum{Layer: base, History: added, MediaType: types.OCILayer},
		mutate.Addendum{Layer: own, History: added, MediaType: types.OCILayer},
	)
	if err != nil {
		return nil, err
	}
	return r.configure(image, arch)
}

func (r release) configure(image v1.Image, arch string) (v1.Image, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS = "linux"
	config.Architecture = arch
	config.Created = v1.Time{Time: r.date}
	config.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", imageUser, imageUser), WorkingDir: "/var/lib/portico",
		Entrypoint: []string{"/usr/bin/portico"}, Cmd: []string{"serve"}, StopSignal: "SIGTERM",
		ExposedPorts: map[string]struct{}{"8080/tcp": {}}, Volumes: map[string]struct{}{"/var/lib/portico": {}},
		Env: []string{
			"PATH=/usr/bin", "PORTICO_ENV=production", "PORTICO_DATABASE=sqlite:/var/lib/portico/portico.db",
			"PORTICO_UPLOADS=dir:/var/lib/portico/uploads",
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "portico",
			"org.opencontainers.image.description": strings.SplitN(description, "\n", 2)[0],
			"org.opencontainers.image.version":     r.version.file,
			"org.opencontainers.image.revision":    r.commit,
			"org.opencontainers.image.created":     r.date.Format("2006-01-02T15:04:05Z"),
		},
	}
	return mutate.ConfigFile(image, config)
}

func layer(r release, entries []entry) (v1.Layer, error) {
	var buffer bytes.Buffer
	if err := writeTar(&buffer, r.date, entries); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(buffer.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}

// authorities returns the certificates that Mozilla trusts without conditions, as PEM.
func authorities() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return text.Bytes()
}
