// Package bucket writes objects whole.
package bucket

import (
	"context"

	"gocloud.dev/blob"
)

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
