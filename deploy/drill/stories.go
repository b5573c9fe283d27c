package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// stories runs the browser's stories of web/e2e/drill for a mode, which ask for what an operator does by a handler of this process.
func (c *cluster) stories(ctx context.Context, mode string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: c.operator(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	if err := c.float(ctx); err != nil {
		return err
	}
	hosts, err := c.hosts(ctx)
	if err != nil {
		return err
	}
	// The names of the internet are the drill's for the browser alone.
	command := exec.CommandContext(ctx, "unshare", "--mount", "--propagation", "private", "sh", "-c",
		`mount --bind "$1" /etc/hosts && exec npx playwright test --config e2e/drill/playwright.config.ts "$2"`, "sh", hosts, mode)
	command.Dir = filepath.Join(c.root, "web")
	command.Env = append(os.Environ(), "E2E_SITE_URL=https://"+siteHost, "E2E_IDENTITY_URL=https://"+identityHost, "E2E_SANDBOX_URL=https://checkout.stripe.com",
		"E2E_OPERATOR_URL=http://"+listener.Addr().String(), "NODE_EXTRA_CA_CERTS="+filepath.Join(c.folder, "roots.crt"))
	if _, own := c.project.Services["kraken"]; own {
		at, err := c.address(ctx, c.container("kraken", 0), "simulator")
		if err != nil {
			return err
		}
		command.Env = append(command.Env, "E2E_KRAKEN_URL=http://"+at+":8091")
	}
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

// hosts writes where the public names are: Caddy at the ports that compose publishes, the world in its network.
func (c *cluster) hosts(ctx context.Context) (string, error) {
	at, err := c.address(ctx, c.container("world", 0), "internet")
	if err != nil {
		return "", err
	}
	text := "127.0.0.1 localhost " + siteHost + " " + identityHost + "\n"
	for _, name := range outside {
		text += at + " " + name + "\n"
	}
	file := filepath.Join(c.folder, "hosts")
	return file, os.WriteFile(file, []byte(text), 0o644)
}

// operator does what an operator of the machine does.
func (c *cluster) operator() http.Handler {
	mux := http.NewServeMux()
	for action, do := range map[string]func(context.Context, map[string]string) error{"grant": c.grant, "starve": c.starve, "release": c.release, "restore": c.restore} {
		mux.HandleFunc("POST /"+action, func(rw http.ResponseWriter, r *http.Request) {
			in := map[string]string{}
			err := json.NewDecoder(r.Body).Decode(&in)
			if err == nil {
				err = do(r.Context(), in)
			}
			if err != nil {
				fmt.Println(action, err)
				http.Error(rw, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	return mux
}

// grant gives a role. The newest admin is named in the commands of the restore page.
func (c *cluster) grant(ctx context.Context, in map[string]string) error {
	if in["role"] == "admin" {
		c.admin = in["email"]
	}
	return c.command(ctx, nil, "admin", "grant", in["email"], "--role", in["role"])
}

// float books the opening balances of the simulators.
func (c *cluster) float(ctx context.Context) error {
	file := filepath.Join(c.root, "api", "server", "float_local.txt")
	return c.command(ctx, []string{"--volume", file + ":/float.txt:ro"}, "float", "seed", "/float.txt")
}

// command runs a command of the API by the service that compose has for operators.
func (c *cluster) command(ctx context.Context, more []string, args ...string) error {
	_, err := c.once(ctx, "operator", more, append([]string{"/app/api"}, args...)...)
	return err
}

// once runs a service that is never started by itself, with another command unless it is empty, and gives what it says.
func (c *cluster) once(ctx context.Context, name string, more []string, command ...string) (string, error) {
	service := c.project.DisabledServices[name]
	if err := checkService(service); err != nil {
		return "", err
	}
	if len(command) > 0 {
		service.Command = command
	}
	return c.podman(ctx, slices.Concat([]string{"run", "--rm"}, more, runOf(c.project, service, name)[2:])...)
}
