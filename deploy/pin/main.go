// Command pin writes behind each tag of an image that others publish the digest that the tag has now, in
// docker-compose.yml and the Dockerfiles. It is run where the registries are reached; all tags are resolved, or no file
// is changed.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"regexp"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

type options struct {
	Files []string `arg:"" optional:"" default:"docker-compose.yml,Dockerfile,deploy/staging/Dockerfile" help:"Compose files and Dockerfiles."`
}

func main() {
	var o options
	parsed := kong.Parse(&o, kong.Name("pin"), kong.Description("Pin the images of others by their digests."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parsed.FatalIfErrorf(pin(ctx, os.Stdout, o.Files))
}

// named is a line that names an image: what is before the name, the name, a digest, what is behind it.
var named = regexp.MustCompile(`(?m)^(\s*image: |FROM (?:--platform=\S+ )?)([^\s@]+)(@sha256:[0-9a-f]{64})?(.*)$`)

// published reports whether a name is of an image with a tag, and not one that compose or a Dockerfile builds.
func published(image string) bool {
	return strings.Contains(path.Base(image), ":") && !strings.Contains(image, "$")
}

// pin rewrites the files, and says what it changed.
func pin(ctx context.Context, out io.Writer, files []string) error {
	digests := map[string]string{}
	texts := make([]string, len(files))
	for i, file := range files {
		raw, err := os.ReadFile(file) //nolint:gosec // the files are those that its caller names
		if err != nil {
			return err
		}
		texts[i] = string(raw)
		for _, line := range named.FindAllStringSubmatch(texts[i], -1) {
			image, before := line[2], line[3]
			if !published(image) || digests[image] != "" {
				continue
			}
			if digests[image], err = digest(ctx, image); err != nil {
				return err
			}
			switch before {
			case digests[image]:
			case "":
				fmt.Fprintln(out, image+digests[image])
			default:
				fmt.Fprintf(out, "%s%s, which was %s: its publisher moved the tag\n", image, digests[image], before)
			}
		}
	}
	for i, file := range files {
		text := named.ReplaceAllStringFunc(texts[i], func(line string) string {
			part := named.FindStringSubmatch(line)
			if !published(part[2]) {
				return line
			}
			return part[1] + part[2] + digests[part[2]] + part[4]
		})
		if text == texts[i] {
			continue
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil { //nolint:gosec // files of the checkout, as git writes them
			return err
		}
	}
	return nil
}

// digest is what a tag has at its registry, for all platforms, as it is written behind the tag.
func digest(ctx context.Context, image string) (string, error) {
	tag, err := name.NewTag(image)
	if err != nil {
		return "", err
	}
	found, err := remote.Head(tag, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return "", fmt.Errorf("%s: %w", image, err)
	}
	return "@" + found.Digest.String(), nil
}
