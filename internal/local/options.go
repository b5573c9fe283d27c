package local

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
)

// Options are the options of a stack. The zero value is `make run` without its output.
type Options struct {
	// Root is the checkout; found from the working directory when empty.
	Root string
	// DataDir keeps all state; DATA_DIR of the environment, else .data.
	DataDir string
	// FreePorts uses any free ports instead of the well-known ones.
	FreePorts bool
	// Address that the parts listen on; loopback when empty.
	Address string
	// Getenv reads overrides; os.Getenv when nil. Tests that must not depend on the
	// caller's environment give an empty one.
	Getenv func(string) string
	// Output gets the joined log of all parts, and the launcher's own progress.
	Output io.Writer
	// Colour the names of parts in Output.
	Colour bool
	// Bin is where binaries are built; bin/ in .data when empty.
	Bin string
	// Variant is another build of the product, for tests; the usual one when
	// zero.
	Variant Variant
	// Environ is added to the environment of each of the product's processes.
	Environ []string
	// Unwatched turns off the risk rules, and the alerts for what lasts long: for stacks in
	// which few customers buy all day, without compliance staff, and clocks are moved.
	Unwatched bool
	// Unsynced commits outlive every process of the stack, and not a crash of the machine:
	// for tests alone.
	Unsynced bool
	// Opened is called when the site answers, while Temporal may still be built.
	Opened func(*Stack)
	// BeforeTemporal is waited for before Temporal is started: tests hold it back.
	BeforeTemporal func(context.Context) error
	// TemporalInPostgres keeps Temporal's state in the stack's Postgres, as in production, instead of a file.
	TemporalInPostgres bool
	// TemporalProgram runs instead of the server that is built from the checkout.
	TemporalProgram string
}

// Variant is a build of the product's programs that lies beside the usual one.
type Variant struct {
	// Name of the build; its folder is Bin's with this behind it.
	Name string
	// Flags of go build.
	Flags []string
	// Root is the checkout to build from; the stack's own when empty.
	Root string
}

// bin is the folder of a build's programs.
func (o Options) bin(v Variant) string {
	if v.Name == "" {
		return o.Bin
	}
	return o.Bin + "-" + v.Name
}

func (o Options) complete() (Options, error) {
	if o.Root == "" {
		root, err := build.Root()
		if err != nil {
			return o, err
		}
		o.Root = root
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Output == nil {
		o.Output = io.Discard
	}
	o.DataDir = cmp.Or(o.DataDir, o.Getenv("DATA_DIR"), filepath.Join(o.Root, ".data"))
	var err error
	if o.DataDir, err = filepath.Abs(o.DataDir); err != nil {
		return o, err
	}
	o.Address = cmp.Or(o.Address, loopback)
	o.Bin = cmp.Or(o.Bin, filepath.Join(o.Root, ".data", "bin"))
	return o, nil
}

const loopback = "127.0.0.1"

// Ports of the stack.
type Ports struct {
	Site, Identity, Sandbox, Mail, Temporal, TemporalUI, Postgres int
	// TemporalServices are those of Temporal's history, matching and worker services.
	TemporalServices [3]int
	// TemporalMetrics is that of the Temporal server's /metrics.
	TemporalMetrics int
	// Health are the ports of the API and the workers for /healthz and /metrics.
	Health map[string]int
}

// wellKnown lists the ports that people type, with the variable that moves each.
func (p *Ports) wellKnown() []struct {
	port      *int
	what, env string
	usual     int
} {
	return []struct {
		port      *int
		what, env string
		usual     int
	}{
		{&p.Site, "the site", "SITE_PORT", 8080},
		{&p.Identity, "the identity provider", "IDENTITY_PORT", 8090},
		{&p.Sandbox, "the sandbox", "SANDBOX_PORT", 8091},
		{&p.Mail, "the mailbox", "MAIL_PORT", 8025},
		{&p.Temporal, "Temporal", "TEMPORAL_PORT", 7233},
		{&p.TemporalUI, "the Temporal web UI", "TEMPORAL_UI_PORT", 8233},
		{&p.Postgres, "Postgres", "POSTGRES_PORT", 54330},
	}
}

// choosePorts reads the ports from the environment, or chooses free ones.
func choosePorts(o Options) (Ports, error) {
	p := Ports{Health: map[string]int{}}
	watched := append([]string{"api", "identity"}, workers...)
	free, err := ports.Free(len(p.wellKnown()) + len(watched) + len(p.TemporalServices) + 1)
	if err != nil {
		return p, err
	}
	for i, known := range p.wellKnown() {
		*known.port = free[i]
		if o.FreePorts {
			continue
		}
		*known.port = known.usual
		if text := o.Getenv(known.env); text != "" {
			port, err := strconv.Atoi(text)
			if err != nil || port < 1 || port > 65535 {
				return p, fmt.Errorf("%s=%q is not a port", known.env, text)
			}
			*known.port = port
		}
	}
	for i, name := range watched {
		p.Health[name] = free[len(p.wellKnown())+i]
	}
	copy(p.TemporalServices[:], free[len(p.wellKnown())+len(watched):])
	p.TemporalMetrics = free[len(free)-1]
	return p, nil
}
