package doctor

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/secret"
)

// The access keys of the buckets, and the keys that seal.
const (
	filesAccess  = "files-access"
	filesSecret  = "storage-canary-0123456789"
	backupAccess = "backup-access"
	backupSecret = "backup-canary-0123456789"
)

// keyOf is a key of 32 bytes in base64, of its own for each name.
func keyOf(name string) string {
	return base64.StdEncoding.EncodeToString([]byte(name + strings.Repeat("-", secret.KeySize-len(name))))
}

// opens says which access key each bucket is opened with.
var opens = map[string]string{"files": filesAccess, "seals": filesAccess, "backups": backupAccess}

// bucketOf is the bucket that a request is about.
func bucketOf(r *http.Request) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return name
}

// in limits requests to a bucket.
func in(bucket string, when func(*http.Request) bool) func(*http.Request) bool {
	return func(r *http.Request) bool { return bucketOf(r) == bucket && when(r) }
}

// store is a server of S3 with three buckets: objects by path.
func (i *installation) store(rw http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.storage != nil && i.storage(rw, r) {
		return
	}
	signed := r.Header.Get("Authorization") + "Credential=" + r.URL.Query().Get("X-Amz-Credential")
	if !strings.Contains(signed, "Credential="+opens[bucketOf(r)]+"/") && !i.reached[bucketOf(r)] {
		rw.WriteHeader(http.StatusForbidden)
		return
	}
	switch query := r.URL.Query(); {
	case query.Has("object-lock"):
		i.lock(rw, bucketOf(r))
	case query.Has("versioning"):
		status := "Suspended"
		if i.versioned[bucketOf(r)] {
			status = "Enabled"
		}
		_, _ = io.WriteString(rw, "<VersioningConfiguration><Status>"+status+"</Status></VersioningConfiguration>")
	default:
		i.object(rw, r)
	}
}

// lock is a bucket's default retention.
func (i *installation) lock(rw http.ResponseWriter, bucket string) {
	rw.Header().Set("Content-Type", "application/xml")
	if !i.locked[bucket] {
		rw.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(rw, "<Error><Code>ObjectLockConfigurationNotFoundError</Code><Message>There is none.</Message></Error>")
		return
	}
	_, _ = io.WriteString(rw, "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>"+
		"<Mode>COMPLIANCE</Mode><Days>30</Days></DefaultRetention></Rule></ObjectLockConfiguration>")
}

// object serves one object.
func (i *installation) object(rw http.ResponseWriter, r *http.Request) {
	if i.encrypted {
		rw.Header().Set("X-Amz-Server-Side-Encryption", "AES256")
	}
	content, there := i.bucket[r.URL.Path]
	switch {
	case r.URL.Query().Has("list-type"):
		i.list(rw, r)
	case r.Method == http.MethodPut:
		body, _ := io.ReadAll(r.Body)
		i.bucket[r.URL.Path] = unchunked(r.Header, body)
	case r.Method == http.MethodDelete:
		delete(i.bucket, r.URL.Path)
		rw.WriteHeader(http.StatusNoContent)
	case !there:
		rw.WriteHeader(http.StatusNotFound)
	default:
		rw.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		http.ServeContent(rw, r, "", time.Now(), bytes.NewReader(content))
	}
}

// list lists the objects of a bucket below a prefix, and of folders their names.
func (i *installation) list(rw http.ResponseWriter, r *http.Request) {
	prefix, delimiter := r.URL.Query().Get("prefix"), r.URL.Query().Get("delimiter")
	listed := map[string]bool{}
	for path := range i.bucket {
		key, here := strings.CutPrefix(path, "/"+bucketOf(r)+"/")
		if !here || !strings.HasPrefix(key, prefix) {
			continue
		}
		line := "<Contents><Key>" + key + "</Key><LastModified>2026-01-02T03:04:05Z</LastModified><Size>1</Size></Contents>"
		if delimiter != "" {
			if folder, _, within := strings.Cut(key[len(prefix):], delimiter); within {
				line = "<CommonPrefixes><Prefix>" + prefix + folder + delimiter + "</Prefix></CommonPrefixes>"
			}
		}
		listed[line] = true
	}
	rw.Header().Set("Content-Type", "application/xml")
	_, _ = io.WriteString(rw, "<ListBucketResult>"+strings.Join(slices.Sorted(maps.Keys(listed)), "")+"</ListBucketResult>")
}

// unchunked removes the frames from a body of the encoding aws-chunked.
func unchunked(header http.Header, body []byte) []byte {
	if header.Get("X-Amz-Decoded-Content-Length") == "" {
		return body
	}
	_, rest, _ := bytes.Cut(body, []byte("\r\n"))
	content, _, _ := bytes.Cut(rest, []byte("\r\n"))
	return content
}

// archived is the head of an archive in the bucket of backups, sealed with a key.
func (i *installation) archived(key string) {
	i.Helper()
	const name = "7123456789012345678/00000001/head"
	keys, err := secret.ParseKeys(key)
	require.NoError(i, err)
	var packed bytes.Buffer
	pack := gzip.NewWriter(&packed)
	_, err = pack.Write([]byte("{}"))
	require.NoError(i, err)
	require.NoError(i, pack.Close())
	sealed, err := keys.Seal(secret.Place{Table: "backup", Column: "object", ID: name}, packed.Bytes())
	require.NoError(i, err)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.bucket["/backups/"+name] = sealed
}
