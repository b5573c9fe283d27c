package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// conditions returns an error that names everything the drill lacks, before anything is built or installed.
func (w workshop) conditions(ctx context.Context, project *types.Project, archive string) error {
	lacking := []error{w.programs(), busyPorts(ctx, project)}
	if os.Getuid() != 0 {
		lacking = append(lacking, errors.New("the drill needs root for networks and memory limits"))
	}
	if archive == "" {
		lacking = append(lacking, committed(ctx, w.root))
	}
	return errors.Join(lacking...)
}

// programs names the missing programs, except those that the drill installs.
func (w workshop) programs() error {
	var lacking []error
	for _, name := range []string{"git", "go", "node", "npx", "unshare", "ldd", "tar"} {
		if _, err := exec.LookPath(name); err != nil {
			lacking = append(lacking, fmt.Errorf("the drill needs the program %s", name))
		}
	}
	if !exists(filepath.Join(w.root, "web", "node_modules", ".bin", "playwright")) {
		lacking = append(lacking, errors.New("the drill needs the packages of web: run npm ci there"))
	}
	return errors.Join(lacking...)
}

// committed returns an error that lists the changes of a checkout: a release is built from a commit.
func committed(ctx context.Context, root string) error {
	var out, failed bytes.Buffer
	command := exec.CommandContext(ctx, "git", "status", "--porcelain")
	command.Dir, command.Stdout, command.Stderr = root, &out, &failed
	if err := command.Run(); err != nil {
		return fmt.Errorf("the drill needs a checkout of git: %w\n%s", err, failed.String())
	}
	if changed := strings.TrimRight(out.String(), "\n"); changed != "" {
		return fmt.Errorf("the drill needs a clean checkout, or a release by --release; changed are:\n%s", changed)
	}
	return nil
}

// busyPorts names each port of this machine that compose publishes and something listens on.
func busyPorts(ctx context.Context, project *types.Project) error {
	var busy []error
	for _, name := range slices.Sorted(maps.Keys(project.Services)) {
		if slices.Contains(leftOut, name) {
			continue
		}
		for _, port := range project.Services[name].Ports {
			if err := bind(ctx, port); err != nil {
				busy = append(busy, fmt.Errorf("the drill needs port %s/%s for %s: %w", port.Published, port.Protocol, name, err))
			}
		}
	}
	return errors.Join(busy...)
}

// bind listens on a port and stops listening.
func bind(ctx context.Context, port types.ServicePortConfig) error {
	address := net.JoinHostPort(port.HostIP, port.Published)
	var listen net.ListenConfig
	if port.Protocol == "udp" {
		packets, err := listen.ListenPacket(ctx, "udp", address)
		if err != nil {
			return err
		}
		return packets.Close()
	}
	listener, err := listen.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return listener.Close()
}
