package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// tree is files by the path that they have in an archive.
type tree map[string]string

// add puts a file, or all files of a folder, under a path.
func (t tree) add(under, from string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		t[path.Join(under, filepath.ToSlash(relative))] = name
		return nil
	})
}

// archive writes a platform's programs with the web app as a compressed archive, and gives
// them as they lie in an image.
func archive(from source, o options, platform, bin, web string) (tree, error) {
	files := tree{}
	if err := errors.Join(files.add("app", bin), files.add("app/web", web)); err != nil {
		return nil, err
	}
	name := "tradepost-" + o.Version + "-" + strings.ReplaceAll(platform, "/", "-")
	packed := tree{}
	for at, file := range files {
		packed[path.Join(name, strings.TrimPrefix(at, "app/"))] = file
	}
	for _, file := range []string{
		"CHANGELOG.md", "docker-compose.yml", "docs/launch.md", "docs/operations.md", "docs/restore.md", "docs/upgrade.md",
	} {
		packed[path.Join(name, file)] = filepath.Join(from.root, file)
	}
	return files, packed.compress(filepath.Join(o.Out, name+".tar.gz"), from.at)
}

// chartVersion are the two lines of Chart.yaml that a release sets.
var chartVersion = regexp.MustCompile(`(?m)^(version|appVersion): .*$`)

// chart writes the Helm chart as `helm package` does: an archive named by the chart and its version, which is the
// release's without the v, as Helm wants it (semver.org).
func chart(from source, o options, work string) error {
	folder, files := filepath.Join(from.root, "deploy", "helm", "tradepost"), tree{}
	if err := files.add("tradepost", folder); err != nil {
		return err
	}
	maps.DeleteFunc(files, func(at, _ string) bool { return strings.HasPrefix(at, "tradepost/ci/") }) // as .helmignore says
	head, err := os.ReadFile(filepath.Join(folder, "Chart.yaml"))
	if err != nil {
		return err
	}
	number := strings.TrimPrefix(o.Version, "v")
	files["tradepost/Chart.yaml"] = filepath.Join(work, "Chart.yaml")
	if err := os.WriteFile(files["tradepost/Chart.yaml"], chartVersion.ReplaceAll(head, []byte(`${1}: "`+number+`"`)), 0o600); err != nil {
		return err
	}
	return files.compress(filepath.Join(o.Out, "tradepost-"+number+".tgz"), from.at)
}

// compress writes the files as a compressed archive.
func (t tree) compress(path string, at time.Time) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	compressed := gzip.NewWriter(out)
	return errors.Join(t.write(compressed, at), compressed.Close(), out.Close())
}

// write writes the files in the order of their paths, all of one date and owner.
func (t tree) write(out io.Writer, at time.Time) error {
	archive := tar.NewWriter(out)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if err := t.writeOne(archive, name, at); err != nil {
			return err
		}
	}
	return archive.Close()
}

func (t tree) writeOne(archive *tar.Writer, name string, at time.Time) error {
	file, err := os.Open(t[name])
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: info.Size(), ModTime: at, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.Copy(archive, file)
	return err
}
