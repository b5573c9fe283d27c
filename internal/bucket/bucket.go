// Package bucket names objects, and writes them whole.
package bucket

import (
	"context"
	"crypto/rand"
	"regexp"

	"gocloud.dev/blob"
)

// Seals and Probes are the folders of a bucket of files: copies of the audit log's seals, and what doctor writes.
const (
	Seals  = "audit-seals/"
	Probes = "doctor/"
)

// NewName returns a random name for a file, of 260 bits.
func NewName() string { return rand.Text() + rand.Text() }

var name = regexp.MustCompile(`^[A-Z2-7]{52}$`)

// Named reports whether a name has the form of NewName, as the names of all files with a row have.
func Named(key string) bool { return name.MatchString(key) }

// Write stores an object as a whole or not at all. Bucket.WriteAll keeps the part of a file that a full disk had room
// for, in the place of the object that was there.
func Write(ctx context.Context, b *blob.Bucket, key string, content []byte, options blob.WriterOptions) error {
	ctx, drop := context.WithCancel(ctx)
	defer drop()
	if options.ContentType == "" {
		options.ContentType = "application/octet-stream"
	}
	w, err := b.NewWriter(ctx, key, &options)
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		drop()
		_ = w.Close() // says that it is dropped
		return err
	}
	return w.Close()
}
