package main

import (
	"bytes"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

type platformImage struct {
	platform v1.Platform
	image    v1.Image
}

// imageOf makes the image that the Dockerfile's last stage describes, of programs that
// are built already. Its certificates are those of the module that go.sum pins.
func imageOf(from source, version, platform string, files tree) (platformImage, error) {
	roots, err := os.CreateTemp("", "roots-")
	if err != nil {
		return platformImage{}, err
	}
	defer func() { _ = os.Remove(roots.Name()) }()
	for root := range bundle.Roots() {
		err = errors.Join(err, pem.Encode(roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
	}
	if err := errors.Join(err, roots.Close()); err != nil {
		return platformImage{}, err
	}
	files["etc/ssl/certs/ca-certificates.crt"] = roots.Name()
	var raw bytes.Buffer
	if err := files.write(&raw, from.at); err != nil {
		return platformImage{}, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return platformImage{}, err
	}
	image, err := mutate.Append(mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1),
		mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: from.at}, CreatedBy: "make release"}})
	if err != nil {
		return platformImage{}, err
	}
	system, processor, _ := strings.Cut(platform, "/")
	image, err = mutate.ConfigFile(image, configured(image, from, version, system, processor))
	return platformImage{platform: v1.Platform{OS: system, Architecture: processor}, image: image}, err
}

// configured is an image's configuration: what the Dockerfile says, and what was built.
func configured(image v1.Image, from source, version, system, processor string) *v1.ConfigFile {
	was, err := image.ConfigFile()
	if err != nil {
		was = &v1.ConfigFile{}
	}
	as := was.DeepCopy()
	as.OS, as.Architecture, as.Created = system, processor, v1.Time{Time: from.at}
	as.Config = v1.Config{
		User: "65532:65532", Cmd: []string{"/app/api", "serve"}, Env: []string{"MODE=production", "WEB_DIR=/app/web"},
		Labels: map[string]string{"org.opencontainers.image.version": version, "org.opencontainers.image.revision": from.commit},
	}
	return as
}

// writeImages writes the images of all platforms under one index, as an OCI archive.
func writeImages(file string, from source, images []platformImage) error {
	folder, err := os.MkdirTemp("", "oci-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, one := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: one.image, Descriptor: v1.Descriptor{Platform: &one.platform}})
	}
	if _, err := layout.Write(folder, index); err != nil {
		return err
	}
	files := tree{}
	if err := files.add("", folder); err != nil {
		return err
	}
	out, err := os.Create(filepath.Clean(file))
	if err != nil {
		return err
	}
	return errors.Join(files.write(out, from.at), out.Close())
}
