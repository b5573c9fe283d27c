// Package storage has the names of Google's storage client that the server's archiver is
// written against, and no client: none can be created.
package storage

import (
	"context"
	"errors"

	"google.golang.org/api/option"
)

// ScopeFullControl is the scope that an archiver requests.
const ScopeFullControl = "https://www.googleapis.com/auth/devstorage.full_control"

// ErrNotSupported is what every call answers.
var ErrNotSupported = errors.New("archives in Google Cloud Storage are not supported: this server is built without its client")

// Client of a storage service.
type Client struct{}

// NewClient refuses.
func NewClient(context.Context, ...option.ClientOption) (*Client, error) { return nil, ErrNotSupported }

// Bucket names a bucket.
func (*Client) Bucket(string) *BucketHandle { return &BucketHandle{} }

// BucketHandle is a bucket.
type BucketHandle struct{}

// Object names an object.
func (*BucketHandle) Object(string) *ObjectHandle { return &ObjectHandle{} }

// Objects lists objects.
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return &ObjectIterator{} }

// Attrs describes the bucket.
func (*BucketHandle) Attrs(context.Context) (*BucketAttrs, error) { return nil, ErrNotSupported }

// BucketAttrs describe a bucket.
type BucketAttrs struct{}

// ObjectHandle is an object.
type ObjectHandle struct{}

// NewWriter writes the object.
func (*ObjectHandle) NewWriter(context.Context) *Writer { return &Writer{} }

// NewReader reads the object.
func (*ObjectHandle) NewReader(context.Context) (*Reader, error) { return nil, ErrNotSupported }

// Attrs describes the object.
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error) { return nil, ErrNotSupported }

// ObjectAttrs describe an object.
type ObjectAttrs struct{ Name string }

// Query chooses objects.
type Query struct{ Prefix string }

// ObjectIterator iterates over objects.
type ObjectIterator struct{}

// Next is the next object.
func (*ObjectIterator) Next() (*ObjectAttrs, error) { return nil, ErrNotSupported }

// Writer writes an object.
type Writer struct{}

// Write implements io.Writer.
func (*Writer) Write([]byte) (int, error) { return 0, ErrNotSupported }

// Close implements io.Closer.
func (*Writer) Close() error { return ErrNotSupported }

// CloseWithError gives the object up.
func (*Writer) CloseWithError(error) error { return ErrNotSupported }

// Reader reads an object.
type Reader struct{}

// Read implements io.Reader.
func (*Reader) Read([]byte) (int, error) { return 0, ErrNotSupported }

// Close implements io.Closer.
func (*Reader) Close() error { return nil }
