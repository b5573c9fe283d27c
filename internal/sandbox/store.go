package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
)

// Store is the simulators' state: buckets of JSON documents in one bbolt file.
// Do not open a transaction inside another one: writes are serialised.
type Store struct{ db *bbolt.DB }

// OpenStore opens or creates sandbox.db in the folder. It fails when another
// process holds the file.
func OpenStore(folder string) (*Store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("sandbox data folder: %w", err)
	}
	path := filepath.Join(folder, "sandbox.db")
	// NoSync leaves flushing to the kernel: a killed process loses nothing, and
	// a simulator need not survive a power cut.
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: 5 * time.Second, NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return nil, fmt.Errorf("sandbox store %s: %w", path, err)
	}
	return &Store{db: db}, nil
}

// Close waits for open transactions and closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Update runs fn in the one write transaction; an error undoes it all.
func (s *Store) Update(fn func(*Tx) error) error {
	return s.db.Update(func(tx *bbolt.Tx) error { return fn(&Tx{tx}) })
}

// View runs fn in a read transaction that sees one consistent state.
func (s *Store) View(fn func(*Tx) error) error {
	return s.db.View(func(tx *bbolt.Tx) error { return fn(&Tx{tx}) })
}

// Tx is an open transaction of a Store.
type Tx struct{ tx *bbolt.Tx }

// Put stores v as JSON under the key, creating the bucket when it is new.
func (tx *Tx) Put(bucket, key string, v any) error {
	b, err := tx.tx.CreateBucketIfNotExists([]byte(bucket))
	if err != nil {
		return fmt.Errorf("bucket %s: %w", bucket, err)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s/%s: %w", bucket, key, err)
	}
	return b.Put([]byte(key), raw)
}

// Get decodes the document into v and reports whether there is one.
func (tx *Tx) Get(bucket, key string, v any) (bool, error) {
	b := tx.tx.Bucket([]byte(bucket))
	if b == nil {
		return false, nil
	}
	raw := b.Get([]byte(key))
	if raw == nil {
		return false, nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return false, fmt.Errorf("decode %s/%s: %w", bucket, key, err)
	}
	return true, nil
}

// Delete removes the document; a missing one is no error.
func (tx *Tx) Delete(bucket, key string) error {
	b := tx.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	return b.Delete([]byte(key))
}

// Each calls fn for the documents whose key has the prefix, in key order. Raw
// is valid only during the call; fn must not change the bucket.
func (tx *Tx) Each(bucket, prefix string, fn func(key string, raw []byte) error) error {
	b := tx.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for k, v := c.Seek([]byte(prefix)); k != nil && bytes.HasPrefix(k, []byte(prefix)); k, v = c.Next() {
		if err := fn(string(k), v); err != nil {
			return err
		}
	}
	return nil
}

// EachReverse is Each from the last key of the bucket to the first.
func (tx *Tx) EachReverse(bucket string, fn func(key string, raw []byte) error) error {
	b := tx.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for k, v := c.Last(); k != nil; k, v = c.Prev() {
		if err := fn(string(k), v); err != nil {
			return err
		}
	}
	return nil
}

// NextID is the bucket's own counter: 1, 2, 3, … without repeats.
func (tx *Tx) NextID(bucket string) (uint64, error) {
	b, err := tx.tx.CreateBucketIfNotExists([]byte(bucket))
	if err != nil {
		return 0, fmt.Errorf("bucket %s: %w", bucket, err)
	}
	return b.NextSequence()
}

// OnCommit runs fn once the write transaction is committed.
func (tx *Tx) OnCommit(fn func()) { tx.tx.OnCommit(fn) }
