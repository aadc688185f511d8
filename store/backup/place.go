package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"

	"portico/gateway/s3address"
)

// Place is where one archive is or will be: a file, or an object in a bucket.
type Place struct {
	file   string // path of the file; "" for an object
	client *minio.Client
	bucket string
	name   string // of the object
}

// ErrExists says that there is a file or an object at the place, which is never replaced.
var ErrExists = errors.New("backup: this name is taken, and a backup replaces nothing; choose another one")

var errPlace = errors.New("backup: accepted are a file and s3://KEY:SECRET@endpoint/bucket/name, with ?region= where " +
	"the endpoint does not tell it")

// partSize is the size of a part of an upload, in bytes. One part is kept in memory; a bucket takes 10000 parts.
const partSize = 16 << 20

// ParsePlace reads the name of an archive: a path, or s3://KEY:SECRET@endpoint/bucket/name?region=R. Requests use
// https, except to this machine. No error contains the keys.
func ParsePlace(text string) (Place, error) {
	if !strings.HasPrefix(text, "s3://") {
		if text == "" || strings.HasSuffix(text, "/") {
			return Place{}, errPlace
		}
		return Place{file: filepath.Clean(text)}, nil
	}
	p, err := parseBucket(text)
	if err != nil || p.name == "" {
		return Place{}, errPlace
	}
	return p, nil
}

// parseBucket reads s3://KEY:SECRET@endpoint/bucket/name?region=R. The name may be empty.
func parseBucket(text string) (Place, error) {
	address, ok := s3address.Parse(text)
	if !ok {
		return Place{}, errPlace
	}
	bucket, name, _ := strings.Cut(address.Path, "/")
	options := address.Options()
	options.Region = address.Query.Get("region")
	client, err := minio.New(address.Endpoint, options)
	if err != nil || bucket == "" {
		return Place{}, errPlace
	}
	if name != "" {
		name = path.Clean(name)
	}
	return Place{client: client, bucket: bucket, name: name}, nil
}

// String returns the place without keys.
func (p Place) String() string {
	if p.client == nil {
		return p.file
	}
	return "s3://" + p.client.EndpointURL().Host + "/" + p.bucket + "/" + p.name
}

// workFolder returns the folder for temporary files, "" for that of the system.
func (p Place) workFolder() string {
	if p.client != nil {
		return ""
	}
	return filepath.Dir(p.file)
}

// check returns ErrExists when the place is taken.
func (p Place) check(ctx context.Context) (err error) {
	if p.client == nil {
		if _, err := os.Lstat(p.file); err == nil {
			return fmt.Errorf("%w: %s", ErrExists, p)
		}
		return nil
	}
	_, err = p.client.StatObject(ctx, p.bucket, p.name, minio.StatObjectOptions{})
	switch {
	case err == nil:
		return fmt.Errorf("%w: %s", ErrExists, p)
	case minio.ToErrorResponse(err).Code == minio.NoSuchKey:
		return nil
	}
	return fmt.Errorf("backup: %s: %w", p, err)
}

// put creates the file or object from what write writes. It exists only when write and the storage succeeded.
func (p Place) put(ctx context.Context, write func(out writer) error) error {
	if p.client == nil {
		return p.putFile(write)
	}
	in, out := io.Pipe()
	go func() { _ = out.CloseWithError(write(out)) }()
	_, err := p.client.PutObject(ctx, p.bucket, p.name, in, -1, minio.PutObjectOptions{
		ContentType: "application/octet-stream", PartSize: partSize, NumThreads: 1,
	})
	_ = in.CloseWithError(err)
	if err != nil {
		return fmt.Errorf("backup: %s: %w", p, err)
	}
	return nil
}

func (p Place) putFile(write func(out writer) error) (err error) {
	folder := filepath.Dir(p.file)
	part, err := os.CreateTemp(folder, "."+filepath.Base(p.file)+".part-*") // mode 0600
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	_ = lock(part) // see removeLeftovers
	defer func() { _ = os.Remove(part.Name()) }()
	if err := errors.Join(write(part), part.Sync(), part.Close()); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	// A link fails when the name was taken meanwhile; a rename would replace the file.
	if err := os.Link(part.Name(), p.file); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return syncFolder(folder)
}

// syncFolder makes sure that the names in a folder survive a crash of the machine.
func syncFolder(folder string) error {
	file, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return errors.Join(file.Sync(), file.Close())
}

// open reads the file or object.
func (p Place) open(ctx context.Context) (io.ReadCloser, error) {
	if p.client == nil {
		file, err := os.Open(p.file)
		if err != nil {
			return nil, fmt.Errorf("backup: %w", err)
		}
		return file, nil
	}
	object, err := p.client.GetObject(ctx, p.bucket, p.name, minio.GetObjectOptions{})
	if err == nil {
		_, err = object.Stat()
	}
	if err != nil {
		return nil, fmt.Errorf("backup: %s: %w", p, err)
	}
	return object, nil
}
