// Command run starts the whole product on this machine and keeps it running:
// `make run`. With the argument reset it forgets all state instead.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/mattn/go-isatty"

	"github.com/tradepost/tradepost/internal/local"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "\n"+err.Error())
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "reset":
		return local.Reset(local.Options{})
	case len(args) > 0:
		return fmt.Errorf("usage: run [reset]")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	stack, err := local.Start(ctx, local.Options{Output: os.Stdout, Colour: colour(), Opened: opened})
	if ctx.Err() != nil && err != nil {
		return fmt.Errorf("stopped before everything was up")
	}
	if err != nil {
		return err
	}
	stack.Say("%s", stack.Banner())
	<-ctx.Done()
	stop() // a second Ctrl-C ends at once
	stack.Say("stopping")
	stack.Stop()
	fmt.Println("· stopped")
	return nil
}

// opened prints the site's address while the rest is still being built.
func opened(stack *local.Stack) {
	stack.Say("the site is open: %s   (what is still missing stands on its pages)", stack.SiteURL())
}

// colour is for people: https://no-color.org
func colour() bool {
	return isatty.IsTerminal(os.Stdout.Fd()) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
