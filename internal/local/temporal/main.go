// Command temporal is the local stack's Temporal: the real server and its web
// UI in one process, on the loopback interface. With -address it is a member of a cluster
// over several hosts, which find each other in the Postgres that they share.
//
// It is a module of its own, accepts flags only and imports nothing of the product, so that
// its hundreds of dependencies stay out of the product's. Everything it needs it sets up by
// itself, idempotently: the schema, the namespace, the search attributes. It answers on its
// ports only when all of that exists, and ends cleanly on SIGTERM or SIGINT.
//
// State is one SQLite file by default, with a write-ahead log: it survives the
// death of the process at any moment. With -postgres it is a Postgres server,
// as in production.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
)

// options are the command's flags.
type options struct {
	address    string
	port       int
	uiPort     int
	metrics    int
	services   servicePorts
	file       string
	postgres   string
	namespace  string
	attributes string
	memory     int64
	logLevel   string
}

func main() {
	var o options
	flag.StringVar(&o.address, "address", loopback, "address to listen on; any other makes the process a member of a cluster, each service with a port for that, 300 below its gRPC port")
	flag.IntVar(&o.port, "port", 7233, "gRPC port")
	flag.IntVar(&o.uiPort, "ui-port", 8233, "port of the web UI on 127.0.0.1; 0 for none")
	flag.IntVar(&o.metrics, "metrics-port", 0, "port of /metrics on 127.0.0.1; 0 for none")
	o.services = servicePorts{7234, 7235, 7239}
	flag.Var(&o.services, "service-ports", "gRPC ports of the history, matching and worker services")
	flag.StringVar(&o.file, "file", "", "SQLite file that keeps the state")
	flag.StringVar(&o.postgres, "postgres", "", "URL of a Postgres server to keep the state in instead: databases <name> and <name>_visibility are made there")
	flag.StringVar(&o.namespace, "namespace", "tradepost", "namespace to register")
	flag.StringVar(&o.attributes, "search-attributes", "OrderStatus,Asset,Rail,Reference,Attention", "keyword search attributes to register")
	flag.Int64Var(&o.memory, "memory", 512, "soft memory limit in MiB; GOMEMLIMIT overrides it")
	flag.StringVar(&o.logLevel, "log-level", "error", "debug, info, warn or error")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "temporal:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if (o.file == "") == (o.postgres == "") {
		return fmt.Errorf("give either -file or -postgres")
	}
	if os.Getenv("GOMEMLIMIT") == "" && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(o.memory << 20)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	server, err := startServer(ctx, o)
	if err != nil {
		return err
	}
	defer server.stop()
	if err := server.completeAttributes(ctx, o); err != nil {
		return err
	}
	if o.uiPort != 0 {
		ui, err := startUI(o)
		if err != nil {
			return err
		}
		defer func() { _ = ui.Close() }()
	}
	slog.Info("temporal is ready", "address", server.address, "namespace", o.namespace)
	<-ctx.Done()
	return nil
}

func (o options) attributeNames() []string {
	return strings.FieldsFunc(o.attributes, func(r rune) bool { return r == ',' || r == ' ' })
}
