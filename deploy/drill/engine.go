package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// engine runs containers with podman and runc, which need no service. All that it keeps is in one folder.
type engine struct{ folder string }

// needed are the Debian packages of programs that the drill uses.
var needed = map[string]string{
	"/usr/bin/podman": "podman", "/usr/sbin/runc": "runc", "/usr/lib/podman/netavark": "netavark", "/usr/lib/podman/aardvark-dns": "aardvark-dns",
	"/usr/sbin/iptables": "iptables", "/bin/busybox": "busybox-static", "/usr/sbin/gosu": "gosu", "/usr/bin/psql": "postgresql-client", "/bin/nc.openbsd": "netcat-openbsd",
}

// install makes those packages be there: on Debian as root it installs them, elsewhere it names what is missing.
func install(ctx context.Context) error {
	var missing []string
	for program, name := range needed {
		if _, err := os.Stat(program); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	if _, err := os.Stat("/etc/debian_version"); err != nil || os.Getuid() != 0 {
		return fmt.Errorf("the drill needs root on Debian and these packages: %s", strings.Join(missing, " "))
	}
	fmt.Println("installing", strings.Join(missing, " "))
	for _, args := range [][]string{{"update", "-q"}, append([]string{"install", "-q", "-y", "--no-install-recommends"}, missing...)} {
		if err := run(ctx, "/", []string{"DEBIAN_FRONTEND=noninteractive"}, "apt-get", args...); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes podman keep everything in the folder and give containers names in their networks.
func (e engine) prepare() error {
	settings := fmt.Sprintf("[network]\nnetwork_backend = \"netavark\"\nnetwork_config_dir = %q\n", filepath.Join(e.folder, "networks"))
	return errors.Join(os.MkdirAll(filepath.Join(e.folder, "networks"), 0o755), os.WriteFile(e.settings(), []byte(settings), 0o600))
}

func (e engine) settings() string { return filepath.Join(e.folder, "containers.conf") }

// podman runs one command of it and gives what it says.
func (e engine) podman(ctx context.Context, args ...string) (string, error) {
	global := []string{
		"--root", filepath.Join(e.folder, "storage"), "--runroot", filepath.Join(e.folder, "run"), "--tmpdir", filepath.Join(e.folder, "tmp"),
		"--storage-driver", "overlay", "--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "file",
	}
	command := exec.CommandContext(ctx, "podman", append(global, args...)...)
	command.Dir, command.Env = e.folder, append(os.Environ(), "CONTAINERS_CONF="+e.settings()) // conmon leaves files where it starts
	command.WaitDelay = 10 * time.Second
	var out, failed bytes.Buffer
	command.Stdout, command.Stderr = &out, &failed
	if err := command.Run(); err != nil {
		return strings.TrimSpace(out.String()), fmt.Errorf("podman %s: %w\n%s", strings.Join(args[:min(len(args), 4)], " "), err, failed.String())
	}
	return strings.TrimSpace(out.String()), nil
}

// close ends every container and removes all that was kept.
func (e engine) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	_, err := e.podman(ctx, "rm", "--all", "--force", "--time", "5")
	_, networks := e.podman(ctx, "network", "prune", "--force")
	_, _ = e.podman(ctx, "umount", "--all")
	return errors.Join(err, networks, os.RemoveAll(e.folder))
}
