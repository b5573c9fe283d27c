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
	for _, file := range []string{"CHANGELOG.md", "docker-compose.yml", "docs/launch.md", "docs/operations.md", "docs/upgrade.md"} {
		packed[path.Join(name, file)] = filepath.Join(from.root, file)
	}
	out, err := os.Create(filepath.Join(o.Out, name+".tar.gz"))
	if err != nil {
		return nil, err
	}
	compressed := gzip.NewWriter(out)
	return files, errors.Join(packed.write(compressed, from.at), compressed.Close(), out.Close())
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
