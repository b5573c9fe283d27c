package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	bom "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

const version = "v0.0.1-test"

// checkout is a clone of this checkout's commit, in a folder of another name each time.
func checkout(t *testing.T) source {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	require.NoError(t, run(t.Context(), ".", nil, os.Stderr, "git", "clone", "-q", "--no-hardlinks", "--depth=1", "file://"+root(t), dir))
	from, err := readSource(t.Context(), dir)
	require.NoError(t, err)
	return from
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	return dir
}

// platforms are what a release is for by default, by the kind of their programs.
var platforms = map[string]elf.Machine{"linux/amd64": elf.EM_X86_64, "linux/arm64": elf.EM_AARCH64}

// made assembles a release of the smallest program, with a page in the web app's place.
func made(t *testing.T, from source) options {
	t.Helper()
	web := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(web, "index.html"), []byte("<!doctype html>"), 0o600))
	o := options{Version: version, Platforms: slices.Sorted(maps.Keys(platforms)), Out: filepath.Join(t.TempDir(), "dist"), Builder: "urn:test"}
	require.NoError(t, assemble(t.Context(), from, o, map[string]string{"probe": "./deploy/probe"}, web))
	return o
}

func TestARelease(t *testing.T) {
	from := checkout(t)
	o := made(t, from)
	t.Run("is the same wherever and whenever it is built", func(t *testing.T) { isReproducible(t, o) })
	t.Run("has the Dockerfile's image, with a program that says its version, for each platform", func(t *testing.T) { hasTheImages(t, from, o) })
	t.Run("has the chart, by the release's number", func(t *testing.T) { hasTheChart(t, from, o) })
	t.Run("names what is inside", func(t *testing.T) { namesWhatIsInside(t, o) })
}

func isReproducible(t *testing.T, first options) {
	second := made(t, checkout(t))
	sums, err := os.ReadFile(filepath.Join(first.Out, "SHA256SUMS"))
	require.NoError(t, err)
	require.Equal(t, 5, strings.Count(string(sums), "\n"))
	for _, file := range []string{"SHA256SUMS", "tradepost-" + version + ".intoto.json"} {
		a, err := os.ReadFile(filepath.Join(first.Out, file))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(second.Out, file))
		require.NoError(t, err)
		require.Equal(t, string(a), string(b), file)
	}
	check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = first.Out
	out, err := check.CombinedOutput()
	require.NoError(t, err, string(out))
}

func hasTheChart(t *testing.T, from source, o options) {
	packed := filepath.Join(o.Out, "tradepost-"+strings.TrimPrefix(version, "v")+".tgz")
	into := t.TempDir()
	require.NoError(t, run(t.Context(), into, nil, os.Stderr, "tar", "-xzf", packed))
	source := filepath.Join(from.root, "deploy", "helm", "tradepost")
	require.NoError(t, filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(source, path)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(into, "tradepost", name))
		if strings.HasPrefix(name, "ci/") {
			require.ErrorIs(t, err, fs.ErrNotExist, name)
			return nil
		}
		require.NoError(t, err)
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		if name == "Chart.yaml" {
			require.Contains(t, string(got), "\nversion: \"0.0.1-test\"\nappVersion: \"0.0.1-test\"\n")
			return nil
		}
		require.Equal(t, string(want), string(got), name)
		return nil
	}))
}

func TestAVersionIsNoPath(t *testing.T) {
	for _, bad := range []string{"", "1.2.3", "v1.2.3/../x", "v1.2.3 -X main.a=b", "v1"} {
		err := assemble(t.Context(), source{}, options{Version: bad, Out: t.TempDir()}, nil, "")
		require.ErrorContains(t, err, "is wanted", bad)
	}
}

func TestAReleaseIsBuiltFromACommit(t *testing.T) {
	from := checkout(t)
	require.NoError(t, os.WriteFile(filepath.Join(from.root, "go.mod"), []byte("module changed\n"), 0o600))
	_, err := readSource(t.Context(), from.root)
	require.True(t, errors.Is(err, errChanged), err)
}

func hasTheImages(t *testing.T, from source, o options) {
	images := unpacked(t, filepath.Join(o.Out, "tradepost-"+version+"-oci.tar"))
	require.Len(t, images, len(platforms))
	for platform, machine := range platforms {
		t.Run(platform, func(t *testing.T) { isTheDockerfiles(t, from, images[platform], machine) })
	}
}

func isTheDockerfiles(t *testing.T, from source, image v1.Image, machine elf.Machine) {
	require.NoError(t, validate.Image(image))
	config, err := image.ConfigFile()
	require.NoError(t, err)
	require.Equal(t, from.commit, config.Config.Labels["org.opencontainers.image.revision"])

	raw, err := os.ReadFile(filepath.Join(root(t), "Dockerfile"))
	require.NoError(t, err)
	_, last, found := strings.Cut(string(raw), "FROM scratch AS product\n")
	require.True(t, found)
	var copied []string
	for line := range strings.Lines(last) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "USER":
			require.Equal(t, rest, config.Config.User)
		case "ENV":
			require.Equal(t, strings.Fields(rest), config.Config.Env)
		case "CMD":
			var command []string
			require.NoError(t, json.Unmarshal([]byte(rest), &command))
			require.Equal(t, command, config.Config.Cmd)
		case "COPY":
			fields := strings.Fields(rest)
			copied = append(copied, strings.TrimPrefix(fields[len(fields)-1], "/"))
		}
	}
	layers, err := image.Layers()
	require.NoError(t, err)
	require.Len(t, layers, 1)
	files := contents(t, layers[0])
	for _, place := range copied {
		require.True(t, holds(files, place), place)
	}
	require.Contains(t, string(files["etc/ssl/certs/ca-certificates.crt"]), "BEGIN CERTIFICATE")
	require.True(t, bytes.Contains(files["app/probe"], []byte(from.commit)), "linked into the program")
	program, err := elf.NewFile(bytes.NewReader(files["app/probe"]))
	require.NoError(t, err)
	require.Equal(t, machine, program.Machine)
}

func namesWhatIsInside(t *testing.T, o options) {
	file, err := os.Open(filepath.Join(o.Out, "tradepost-"+version+".cdx.json"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	var all bom.BOM
	require.NoError(t, bom.NewBOMDecoder(file, bom.BOMFileFormatJSON).Decode(&all))
	named := map[string]string{}
	for _, c := range *all.Components {
		named[c.Name] = c.Version
	}
	require.Equal(t, strings.TrimPrefix(runtime.Version(), "go"), strings.TrimPrefix(named["stdlib"], "go"))
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	raw, err := os.ReadFile(filepath.Join(root(t), "web", "package-lock.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &lock))
	require.Equal(t, lock.Packages["node_modules/react"].Version, named["react"], asvs.Claim(t, "15.1.2"))
	require.Empty(t, named["vite"], "what only builds is not inside")
}

// unpacked are the images of an archive, by platform.
func unpacked(t *testing.T, file string) map[string]v1.Image {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "tar", "-xf", file, "-C", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	index, err := layout.ImageIndexFromPath(dir)
	require.NoError(t, err)
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	images := map[string]v1.Image{}
	for _, one := range manifest.Manifests {
		images[one.Platform.String()], err = index.Image(one.Digest)
		require.NoError(t, err)
	}
	return images
}

func contents(t *testing.T, layer v1.Layer) map[string][]byte {
	t.Helper()
	raw, err := layer.Uncompressed()
	require.NoError(t, err)
	defer func() { _ = raw.Close() }()
	found := map[string][]byte{}
	for archive := tar.NewReader(raw); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		require.Zero(t, header.Uid)
		found[header.Name], err = io.ReadAll(archive)
		require.NoError(t, err)
	}
}

func holds(files map[string][]byte, place string) bool {
	for name := range files {
		if name == place || strings.HasPrefix(name, place) {
			return true
		}
	}
	return false
}
