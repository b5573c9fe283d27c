package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// A second start finds the first one's namespace, and adds the search attribute
// that a later release asks for.
func TestStartIsIdempotentAndAddsAttributes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "temporal.db")
	first := describe(t, options{address: loopback, port: port(t), services: services(t), file: file, namespace: "shop", attributes: "OrderStatus,Asset", logLevel: "error"})
	second := describe(t, options{address: loopback, port: port(t), services: services(t), file: file, namespace: "shop", attributes: "OrderStatus,Asset,Rail", logLevel: "error"})
	if first != second {
		t.Fatalf("the second start made another namespace: %s, then %s", first, second)
	}
}

func TestPortInUseIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	taken := l.Addr().(*net.TCPAddr).Port
	_, err = startServer(t.Context(), options{address: loopback, port: taken, file: filepath.Join(t.TempDir(), "temporal.db")})
	if want := strconv.Itoa(taken); err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("got %v, want an error that names port %s", err, want)
	}
}

// A page of another site reads no workflow by a name of its own for this machine (DNS rebinding).
func TestWebUIAnswersThisMachineAlone(t *testing.T) {
	o := options{address: loopback, port: port(t), uiPort: port(t), namespace: "shop"}
	served, err := startUI(o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = served.Close() }()
	for host, want := range map[string]int{
		"localhost": http.StatusOK, "127.0.0.1:8233": http.StatusOK, "[::1]:8233": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "127.0.0.1.evil.example:8233": http.StatusMisdirectedRequest, "10.0.0.1": http.StatusMisdirectedRequest,
	} {
		for _, path := range []string{"/", "/api/v1/settings"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%s:%d%s", loopback, o.uiPort, path), nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s of %s: %d, want %d", path, host, answer.StatusCode, want)
			}
		}
	}
}

// describe starts a server, returns its namespace's id and stops it.
func describe(t *testing.T, o options) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	s, err := startServer(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	if err := s.completeAttributes(ctx, o); err != nil {
		t.Fatal(err)
	}
	c, err := client.DialContext(ctx, client.Options{HostPort: s.address, Namespace: o.namespace, Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	attributes, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: o.namespace})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range o.attributeNames() {
		if _, ok := attributes.GetCustomAttributes()[name]; !ok {
			t.Errorf("search attribute %s is missing", name)
		}
	}
	namespace, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: o.namespace})
	if err != nil {
		t.Fatal(err)
	}
	return namespace.GetNamespaceInfo().GetId()
}

// next counts the ports that were given, so that none is given twice.
var next atomic.Int64

func init() { next.Store(int64(os.Getpid()) * 100) }

// port is one that nothing listens on, of a range that stacks and the ports of
// connections are not in.
func port(t *testing.T) int {
	t.Helper()
	const first, count = 10000, 10000
	for range count {
		port := first + int(next.Add(1)%count)
		if free(t.Context(), loopback, port) == nil {
			return port
		}
	}
	t.Fatal("no loopback ports are free")
	return 0
}

func services(t *testing.T) servicePorts {
	return servicePorts{port(t), port(t), port(t)}
}
