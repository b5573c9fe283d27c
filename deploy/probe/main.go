// Command probe checks whether a process is healthy: it ends with 0 when an address answers 2xx within three seconds.
// The image has no shell and no curl, so the containers' health checks use it.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/tradepost/tradepost/internal/version"
)

// patience is how long an answer may take.
const patience = 3 * time.Second

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: probe <address>\nversion:", version.String())
		os.Exit(2)
	}
	if err := probe(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func probe(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil) //nolint:gosec // the address is of the service's own health check
	if err != nil {
		return err
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request) //nolint:gosec // as above
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s", address, answer.Status)
	}
	return nil
}
