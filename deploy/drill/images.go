package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/postgres"
)

// workshop makes images without pulling any: of programs that were built here, and of the machine's packages.
type workshop struct {
	engine
	root string // of the checkout
	mode string
	bin  string // of programs that are built once
}

// run runs a command of the toolchain; a failure shows its output.
func run(ctx context.Context, dir string, env []string, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said)
	}
	return nil
}

// product loads a release's image; without one, that of the commit that is checked out is made.
func (w workshop) product(ctx context.Context, version, archive string) error {
	if archive == "" {
		fmt.Println("building the release")
		out := filepath.Join(w.folder, "release")
		if err := run(ctx, w.root, nil, "go", "run", "./deploy/release", version, "--platforms", "linux/"+runtime.GOARCH, "--out", out); err != nil {
			return err
		}
		archive = filepath.Join(out, "tradepost-"+version+"-oci.tar")
	}
	id, err := w.podman(ctx, "pull", "--quiet", "oci-archive:"+archive)
	if err != nil {
		return err
	}
	_, err = w.podman(ctx, "tag", id, "tradepost:"+version)
	return err
}

// again makes the next version's image: the same programs under another name.
func (w workshop) again(ctx context.Context, version, next string) error {
	if _, err := w.podman(ctx, "create", "--name", "next", "tradepost:"+version); err != nil {
		return err
	}
	_, err := w.podman(ctx, "commit", "--quiet", "--change", "LABEL org.opencontainers.image.version="+next, "next", "tradepost:"+next)
	if err != nil {
		return err
	}
	_, err = w.podman(ctx, "tag", "tradepost-restore:"+version, "tradepost-restore:"+next)
	return err
}

// image is what a third party's image is made of here.
type image struct {
	programs map[string]string // by their place in the image; what they link comes along
	files    map[string]string // copied, folders too
	texts    map[string]string
	config   []string // as lines of a Dockerfile
}

// import makes an image and names it.
func (w workshop) importImage(ctx context.Context, name string, of image) error {
	dir := filepath.Join(w.folder, "rootfs", regexp.MustCompile(`\W`).ReplaceAllString(name, "-"))
	for _, folder := range []string{"tmp", "etc", "bin", "var/run/postgresql", "var/lib/postgresql"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return err
		}
	}
	for _, folder := range []string{"tmp", "var/lib/postgresql"} { // as Postgres' own image has them
		if err := os.Chmod(filepath.Join(dir, folder), 0o777|os.ModeSticky); err != nil {
			return err
		}
	}
	for place, program := range of.programs {
		if err := w.copyWithLibraries(ctx, program, dir, place); err != nil {
			return err
		}
	}
	for place, file := range of.files {
		if err := copyTo(ctx, file, filepath.Join(dir, place)); err != nil {
			return err
		}
	}
	for place, text := range of.texts {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, place)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, place), []byte(text), 0o755); err != nil {
			return err
		}
	}
	if err := run(ctx, dir, nil, "tar", "--owner=0", "--group=0", "--numeric-owner", "-cf", dir+".tar", "."); err != nil {
		return err
	}
	args := []string{"import", "--quiet"}
	for _, line := range of.config {
		args = append(args, "--change", line)
	}
	_, err := w.podman(ctx, append(args, dir+".tar", name)...)
	return err
}

func copyTo(ctx context.Context, from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return run(ctx, "/", nil, "cp", "-rTL", from, to)
}

// copyWithLibraries copies a program and the libraries that the machine links it with.
func (w workshop) copyWithLibraries(ctx context.Context, program, dir, place string) error {
	if err := copyTo(ctx, program, filepath.Join(dir, place)); err != nil {
		return err
	}
	var said bytes.Buffer
	command := exec.CommandContext(ctx, "ldd", program)
	command.Stdout = &said
	if err := command.Run(); err != nil {
		return nil //nolint:nilerr // a static program
	}
	for _, library := range librariesOf(said.String(), w.root) {
		if err := copyTo(ctx, library, filepath.Join(dir, library)); err != nil {
			return err
		}
	}
	return nil
}

var linked = regexp.MustCompile(`(/\S+) \(0x`)

// librariesOf returns the libraries of the machine from the output of ldd, without the libraries of the checkout. Their
// programs find those by a relative path, and an image with a checkout below /tmp would fill its tmpfs.
func librariesOf(said, root string) (libraries []string) {
	for _, found := range linked.FindAllStringSubmatch(said, -1) {
		if library := filepath.Clean(found[1]); !strings.HasPrefix(library, root+"/") {
			libraries = append(libraries, library)
		}
	}
	return libraries
}

const paths = "ENV PATH=/usr/local/bin:/usr/bin:/bin"

// third makes the images of third parties that compose names.
func (w workshop) third(ctx context.Context, names map[string]string) error {
	for _, make := range []func(context.Context, map[string]string) error{w.postgres, w.temporal, w.express, w.caddy, w.world, w.kraken} {
		if err := make(ctx, names); err != nil {
			return err
		}
	}
	return nil
}

// version is the tag of an image's name.
func version(name string) string { return name[strings.LastIndex(name, ":")+1:] }

// shell is busybox under the names of the programs that scripts use.
func shell(names ...string) map[string]string {
	programs := map[string]string{}
	for _, name := range append(names, "sh") {
		programs["/bin/"+name] = "/bin/busybox"
	}
	return programs
}

// accounts are the files that give root and another user their names.
func accounts(name string, id int) map[string]string {
	return map[string]string{
		"/etc/passwd": fmt.Sprintf("root:x:0:0::/:/bin/sh\n%s:x:%d:%[2]d::/:/bin/sh\n", name, id),
		"/etc/group":  fmt.Sprintf("root:x:0:\n%s:x:%d:\n", name, id),
	}
}

func (w workshop) postgres(ctx context.Context, names map[string]string) error {
	bin, err := postgres.Find(ctx, build.PostgresModule(w.root), os.Stderr)
	if err != nil {
		return err
	}
	clients, err := filepath.Glob("/usr/lib/postgresql/*/bin/psql")
	if err != nil || len(clients) == 0 {
		return fmt.Errorf("psql is not there: %w", err)
	}
	programs := shell("id", "mkdir", "chown", "chmod", "cat")
	programs["/bin/bash"], programs["/usr/local/bin/gosu"] = "/bin/bash", "/usr/sbin/gosu"
	for _, name := range []string{"psql", "pg_isready"} {
		programs["/usr/local/bin/"+name] = filepath.Join(filepath.Dir(clients[len(clients)-1]), name)
	}
	for _, name := range []string{"initdb", "pg_ctl", "postgres"} {
		programs["/usr/local/bin/"+name] = filepath.Join(bin, name)
	}
	native := filepath.Dir(bin)
	if err := w.restoring(ctx, names["restore"], native); err != nil {
		return err
	}
	return w.importImage(ctx, names["postgres"], image{
		programs: programs,
		files: map[string]string{"/usr/local/lib": filepath.Join(native, "lib"), "/usr/local/share": filepath.Join(native, "share"),
			"/usr/local/bin/docker-entrypoint.sh": filepath.Join(w.root, "deploy", "drill", "postgres.sh")},
		texts:  accounts("postgres", 999),
		config: []string{paths, `ENTRYPOINT ["docker-entrypoint.sh"]`, `CMD ["postgres"]`},
	})
}

// restoring makes the image of the Dockerfile's target restore, with Postgres' programs where its own image has them.
func (w workshop) restoring(ctx context.Context, name, native string) error {
	backup, err := w.build(ctx, "./backup", "backup")
	if err != nil {
		return err
	}
	const there = "/usr/lib/postgresql/18"
	programs := shell("cp")
	programs["/usr/local/bin/backup"], programs[there+"/bin/postgres"] = backup, filepath.Join(native, "bin", "postgres")
	return w.importImage(ctx, name, image{
		programs: programs,
		files:    map[string]string{there + "/lib": filepath.Join(native, "lib"), there + "/share": filepath.Join(native, "share")},
		texts:    accounts("postgres", 999),
		config:   []string{paths, "ENV PGDATA=/var/lib/postgresql/18/docker", "USER postgres", `ENTRYPOINT ["backup", "restore"]`},
	})
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// install builds a program of a module's release, once.
func (w workshop) install(ctx context.Context, pkg, release, name string) (string, error) {
	file := filepath.Join(w.bin, name+"-"+release)
	if exists(file) {
		return file, nil
	}
	fmt.Println("building", pkg, release)
	made := filepath.Join(w.bin, "made")
	if err := run(ctx, os.TempDir(), []string{"GOBIN=" + made, "GOFLAGS=", "CGO_ENABLED=0"}, "go", "install", "-trimpath", pkg+"@v"+release); err != nil {
		return "", err
	}
	return file, os.Rename(filepath.Join(made, filepath.Base(pkg)), file)
}

// build builds one of our own programs, as a release does: what that has compiled is used again.
func (w workshop) build(ctx context.Context, pkg, name string) (string, error) {
	file := filepath.Join(w.bin, name)
	return file, run(ctx, w.root, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-tags=nomsgpack", "-ldflags=-s -w", "-o", file, pkg)
}

// ofTemporal builds a program of Temporal's server in the local stack's module for it, which has compiled most of it: with
// a go.mod of its own, to which is added what that program needs besides.
func (w workshop) ofTemporal(ctx context.Context, pkg, release string) (string, error) {
	file := filepath.Join(w.bin, path.Base(pkg)+"-"+release)
	if exists(file) {
		return file, nil
	}
	fmt.Println("building", pkg)
	own := build.TemporalModule(w.root)
	module, err := os.ReadFile(filepath.Join(own, "go.mod"))
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(own, "go.sum"))
	if err != nil {
		return "", err
	}
	module = bytes.ReplaceAll(module, []byte("=> ./"), []byte("=> "+own+"/"))
	if err := errors.Join(os.WriteFile(filepath.Join(w.folder, "temporal.mod"), module, 0o600), os.WriteFile(filepath.Join(w.folder, "temporal.sum"), sums, 0o600)); err != nil {
		return "", err
	}
	return file, run(ctx, own, nil, "go", "build", "-tags="+build.Tags, "-mod=mod", "-modfile="+filepath.Join(w.folder, "temporal.mod"), "-o", file, pkg)
}

func (w workshop) temporal(ctx context.Context, names map[string]string) error {
	const module = "go.temporal.io/server"
	release := version(names["temporal"])
	server, err := w.ofTemporal(ctx, module+"/cmd/server", release)
	if err != nil {
		return err
	}
	sql, err := w.ofTemporal(ctx, module+"/cmd/tools/sql", release)
	if err != nil {
		return err
	}
	command, err := w.build(ctx, "./deploy/drill/temporal", "temporal")
	if err != nil {
		return err
	}
	cache, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	source := filepath.Join(strings.TrimSpace(string(cache)), module+"@v"+release)
	users := accounts("temporal", 1000)
	programs := shell("hostname", "awk")
	programs["/usr/bin/nc"] = "/bin/nc.openbsd"
	programs["/usr/local/bin/temporal-server"], programs["/usr/bin/getent"] = server, "/usr/bin/getent"
	if err := w.importImage(ctx, names["temporal"], image{
		programs: programs,
		files:    map[string]string{"/etc/temporal/entrypoint.sh": filepath.Join(source, "docker", "scripts", "sh", "entrypoint.sh")},
		texts:    users,
		config:   []string{paths, "USER temporal", "WORKDIR /etc/temporal", `CMD ["sh", "/etc/temporal/entrypoint.sh"]`},
	}); err != nil {
		return err
	}
	tools := shell("grep", "echo")
	tools["/usr/local/bin/temporal-sql-tool"], tools["/usr/local/bin/temporal"] = sql, command
	return w.importImage(ctx, names["temporal-schema"], image{
		programs: tools, files: map[string]string{"/etc/temporal/schema": filepath.Join(source, "schema")}, texts: users,
		config: []string{paths, "USER temporal"},
	})
}

func (w workshop) express(ctx context.Context, names map[string]string) error {
	node, err := exec.LookPath("node")
	if err != nil {
		return err
	}
	return w.importImage(ctx, names["bitgo-express"], image{
		programs: map[string]string{"/usr/local/bin/node": node},
		files:    map[string]string{"/express.js": filepath.Join(w.root, "deploy", "drill", "express.js")},
		texts:    accounts("node", 1000),
		config:   []string{paths, "USER node", `CMD ["node", "/express.js"]`},
	})
}

func (w workshop) caddy(ctx context.Context, names map[string]string) error {
	caddy, err := w.install(ctx, "github.com/caddyserver/caddy/v2/cmd/caddy", version(names["caddy"]), "caddy")
	if err != nil {
		return err
	}
	// Caddy warns of a file that is not as it formats it.
	if err := run(ctx, w.root, nil, caddy, "fmt", "--diff", "deploy/caddy/Caddyfile"); err != nil {
		return err
	}
	programs := shell("wget") // for its health check
	programs["/usr/bin/caddy"] = caddy
	return w.importImage(ctx, names["caddy"], image{
		programs: programs,
		texts:    accounts("caddy", 1000),
		config: []string{paths, "ENV XDG_CONFIG_HOME=/config", "ENV XDG_DATA_HOME=/data",
			`CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]`},
	})
}

func (w workshop) world(ctx context.Context, names map[string]string) error {
	programs := map[string]string{}
	for name, pkg := range map[string]string{"sandbox": "./internal/sandbox/server", "world": "./deploy/drill/world", "probe": "./deploy/probe"} {
		built, err := w.build(ctx, pkg, name)
		if err != nil {
			return err
		}
		programs["/app/"+name] = built
	}
	return w.importImage(ctx, names["world"], image{programs: programs, config: []string{paths, `CMD ["/app/world"]`}})
}

// kraken makes the last stage of its Dockerfile, of programs that were built here.
func (w workshop) kraken(ctx context.Context, names map[string]string) error {
	if names["kraken"] == "" {
		return nil
	}
	programs := filepath.Join(w.folder, "programs")
	if err := os.MkdirAll(filepath.Join(programs, "data"), 0o755); err != nil {
		return err
	}
	for _, name := range []string{"sandbox", "probe"} {
		if err := copyTo(ctx, filepath.Join(w.bin, name), filepath.Join(programs, "app", name)); err != nil {
			return err
		}
	}
	_, err := w.podman(ctx, "build", "--quiet", "--isolation", "chroot", "--build-context", "programs="+programs, "--target", "kraken", "--tag", names["kraken"],
		"--file", filepath.Join(w.root, "deploy", "staging", "Dockerfile"), programs)
	return err
}
