// Command release builds the artefacts of a version: the programs and the web app for each platform, images for them as
// one OCI archive, the Helm chart, a bill of materials, and a provenance statement. The same commit gives the same bytes on any
// machine.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

type options struct {
	Version   string   `arg:"" help:"The version, such as v1.2.3."`
	Platforms []string `default:"linux/amd64,linux/arm64" help:"What to build for, as GOOS/GOARCH."`
	Out       string   `default:".data/release" help:"The folder that it is written into; it must be empty or absent."`
	Builder   string   `default:"urn:tradepost:make-release" help:"Who builds, as a URI: the builder's id in the provenance."`
}

// versions are those of semver.org: they become names of files and a flag of the linker.
var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// programs are the product's, by the name that they have in the image.
func programs() map[string]string {
	return map[string]string{
		"api": "./api/server", "identity": "./internal/identity/server", "probe": "./deploy/probe",
		"core": "./worker/core", "payments": "./worker/payments", "exchange": "./worker/exchange", "custody": "./worker/custody", "backup": "./backup",
	}
}

func main() {
	var o options
	parsed := kong.Parse(&o, kong.Name("release"), kong.Description("Build a release from the commit that is checked out."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parsed.FatalIfErrorf(build(ctx, o))
}

func build(ctx context.Context, o options) error {
	from, err := readSource(ctx, ".")
	if err != nil {
		return err
	}
	web := filepath.Join(from.root, "web")
	fmt.Println("web app")
	for _, command := range [][]string{{"ci", "--no-audit", "--no-fund"}, {"run", "build"}} {
		if err := run(ctx, web, nil, os.Stderr, "npm", command...); err != nil {
			return err
		}
	}
	return assemble(ctx, from, o, programs(), filepath.Join(web, "dist"))
}

// assemble builds the programs and writes every file of a release.
func assemble(ctx context.Context, from source, o options, programs map[string]string, web string) error {
	if !versions.MatchString(o.Version) {
		return fmt.Errorf("version %q: such as v1.2.3 or v1.2.3-rc1 is wanted", o.Version)
	}
	if err := emptyFolder(o.Out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "tradepost-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	var images []platformImage
	for _, platform := range o.Platforms {
		fmt.Println("programs for", platform)
		bin := filepath.Join(work, strings.ReplaceAll(platform, "/", "-"))
		if err := compile(ctx, from, o.Version, platform, bin, programs); err != nil {
			return err
		}
		files, err := archive(from, o, platform, bin, web)
		if err != nil {
			return err
		}
		image, err := imageOf(from, o.Version, platform, files)
		if err != nil {
			return err
		}
		images = append(images, image)
	}
	if err := chart(from, o, work); err != nil {
		return err
	}
	bin := filepath.Join(work, strings.ReplaceAll(o.Platforms[0], "/", "-"))
	if err := writeImages(filepath.Join(o.Out, "tradepost-"+o.Version+"-oci.tar"), from, images); err != nil {
		return err
	}
	if err := writeMaterials(from, o, bin); err != nil {
		return err
	}
	return writeProvenance(from, o)
}

func emptyFolder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", path)
	}
	return nil
}
