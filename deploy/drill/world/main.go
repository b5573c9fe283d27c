// Command world stands where the providers and the mail server are: it runs the simulators and answers for them by TLS,
// with a certificate of the drill, so that the product's containers reach them under the names and ports of the real ones.
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// behind is where each public port leads: the simulators, and their mailbox.
var behind = map[string]string{":443": "127.0.0.1:8091", ":465": "127.0.0.1:8025"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "world:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	certificate, err := tls.LoadX509KeyPair("/etc/world/world.crt", "/etc/world/world.key")
	if err != nil {
		return err
	}
	for port, to := range behind {
		listener, err := tls.Listen("tcp", port, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
		if err != nil {
			return err
		}
		go serve(listener, to)
	}
	sandbox := exec.CommandContext(ctx, "/app/sandbox")
	sandbox.Cancel = func() error { return sandbox.Process.Signal(syscall.SIGTERM) }
	sandbox.Stdout, sandbox.Stderr = os.Stdout, os.Stderr
	if err := sandbox.Run(); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

func serve(listener net.Listener, to string) {
	for {
		from, err := listener.Accept()
		if err != nil {
			return
		}
		go join(from, to)
	}
}

// join copies both ways until one side ends.
func join(from net.Conn, to string) {
	defer func() { _ = from.Close() }()
	onward, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", to)
	if err != nil {
		return
	}
	defer func() { _ = onward.Close() }()
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{from, onward}, {onward, from}} {
		go func() { _, _ = io.Copy(way[0], way[1]); done <- struct{}{} }()
	}
	<-done
}
