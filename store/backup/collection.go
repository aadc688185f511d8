package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Collection is a folder, or the part of a bucket under a prefix, that keeps the archives of a schedule.
type Collection struct {
	folder string // "" for a bucket
	bucket Place  // its name is the prefix, which ends with a slash or is empty
}

var errCollection = errors.New("backup: accepted are dir:PATH and s3://KEY:SECRET@endpoint/bucket/prefix, with " +
	"?region= where the endpoint does not tell it")

// The names of archives in a collection have the time at which they were made, in UTC.
const (
	namePrefix = "portico-"
	nameTime   = "20060102T150405Z"
	nameEnd    = ".backup"
)

// ParseCollection reads the name of a collection: dir:PATH, or s3://KEY:SECRET@endpoint/bucket/prefix?region=R. The
// prefix may be empty. No error contains the keys.
func ParseCollection(text string) (Collection, error) {
	if folder, ok := strings.CutPrefix(text, "dir:"); ok {
		if folder == "" {
			return Collection{}, errCollection
		}
		return Collection{folder: filepath.Clean(folder)}, nil
	}
	bucket, err := parseBucket(text)
	if err != nil {
		return Collection{}, errCollection
	}
	if bucket.name != "" {
		bucket.name += "/"
	}
	return Collection{bucket: bucket}, nil
}

// String returns the collection without keys.
func (c Collection) String() string {
	if c.folder != "" {
		return c.folder
	}
	return c.bucket.String()
}

// At returns the place of the archive that is made at a time.
func (c Collection) At(made time.Time) Place {
	name := namePrefix + made.UTC().Format(nameTime) + nameEnd
	if c.folder != "" {
		return Place{file: filepath.Join(c.folder, name)}
	}
	place := c.bucket
	place.name += name
	return place
}

// Times returns when the archives of the collection were made, oldest first. It leaves out everything with another
// name.
func (c Collection) Times(ctx context.Context) (all []time.Time, err error) {
	names, err := c.names(ctx)
	if err != nil {
		return nil, fmt.Errorf("backup: %s: %w", c, err)
	}
	for _, name := range names {
		text, hasPrefix := strings.CutPrefix(name, namePrefix)
		text, hasEnd := strings.CutSuffix(text, nameEnd)
		if made, err := time.Parse(nameTime, text); err == nil && hasPrefix && hasEnd {
			all = append(all, made)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all, nil
}

func (c Collection) names(ctx context.Context) (all []string, err error) {
	if c.folder == "" {
		options := minio.ListObjectsOptions{Prefix: c.bucket.name}
		for object := range c.bucket.client.ListObjects(ctx, c.bucket.bucket, options) {
			if object.Err != nil {
				return nil, object.Err
			}
			all = append(all, strings.TrimPrefix(object.Key, c.bucket.name))
		}
		return all, nil
	}
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(c.folder)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all, err
}

// remove removes the file or object.
func (p Place) remove(ctx context.Context) error {
	if p.client == nil {
		return os.Remove(p.file)
	}
	return p.client.RemoveObject(ctx, p.bucket, p.name, minio.RemoveObjectOptions{})
}
