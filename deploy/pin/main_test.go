package main

import (
	"bytes"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/require"
)

const compose = `services:
  # The database.
  db:
    image: HOST/postgres:18.4 # as tested
    command: [postgres]
  ours:
    image: tradepost:${TRADEPOST_VERSION:?}
  again:
    image: HOST/postgres:18.4
`

const dockerfile = `FROM HOST/golang:1.26.8-bookworm AS programs
FROM --platform=linux/amd64 HOST/golang:1.26.8-bookworm AS tests
RUN echo "image: HOST/golang:1.26.8-bookworm"
FROM programs AS more
FROM scratch AS product
`

// publish gives a tag of the registry another image for two platforms.
func publish(t *testing.T, tag string) v1.Hash {
	t.Helper()
	reference, err := name.NewTag(tag)
	require.NoError(t, err)
	index, err := random.Index(64, 1, 2)
	require.NoError(t, err)
	require.NoError(t, remote.WriteIndex(reference, index))
	digest, err := index.Digest()
	require.NoError(t, err)
	return digest
}

// Each image that others publish gets the digest of its tag, of all platforms together; all else stays as it was. Run
// again it changes nothing, until a publisher moves a tag, which it says. A tag that is not there changes no file.
func TestImagesArePinnedByTheDigestsOfTheirTags(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "docker-compose.yml"), filepath.Join(dir, "Dockerfile")}
	texts := []string{strings.ReplaceAll(compose, "HOST", host), strings.ReplaceAll(dockerfile, "HOST", host)}
	for i, file := range files {
		require.NoError(t, os.WriteFile(file, []byte(texts[i]), 0o600))
	}
	run := func() (string, error) {
		var said bytes.Buffer
		err := pin(t.Context(), &said, files)
		return said.String(), err
	}
	expect := func(of map[string]v1.Hash) {
		for i, file := range files {
			want := texts[i]
			for image, digest := range of {
				for _, behind := range []string{" #", " AS", "\n"} {
					want = strings.ReplaceAll(want, image+behind, image+"@"+digest.String()+behind)
				}
			}
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, want, string(raw))
		}
	}

	database, golang := host+"/postgres:18.4", host+"/golang:1.26.8-bookworm"
	first := publish(t, database)
	_, err := run()
	require.ErrorContains(t, err, golang)
	expect(nil)

	builder := publish(t, golang)
	said, err := run()
	require.NoError(t, err)
	require.Contains(t, said, database+"@"+first.String())
	expect(map[string]v1.Hash{database: first, golang: builder})

	said, err = run()
	require.NoError(t, err)
	require.Empty(t, said)

	second := publish(t, database)
	said, err = run()
	require.NoError(t, err)
	require.Contains(t, said, "moved the tag")
	expect(map[string]v1.Hash{database: second, golang: builder})
}
