package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// call is a request as bytes, to be sent over and over by a person or another.
type call struct {
	what string
	body string // POSTed when there is one
	path string
	bare string        // the bare server's path, when it differs
	who  func(int) int // which customer sends it; nil is a visitor
	kind string        // sql: the same SQL; empty: an empty handler
}

// wire is one connection that sends the same request again and again. It does
// no more than it must: what it costs is on both sides of every ratio.
type wire struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

func dial(ctx context.Context, host string, c call, path string, p *person) (*wire, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	method := http.MethodGet
	if c.body != "" {
		method = http.MethodPost
	}
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\n", method, path, host)
	if p != nil {
		fmt.Fprintf(&text, "Cookie: %s\r\nSec-Fetch-Site: same-origin\r\n", p.cookie)
	}
	if c.body != "" {
		fmt.Fprintf(&text, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(c.body))
	}
	text.WriteString("\r\n" + c.body)
	return &wire{conn, bufio.NewReaderSize(conn, 64<<10), []byte(text.String())}, nil
}

// ask sends the request and reads the answer.
func (w *wire) ask() error {
	if _, err := w.conn.Write(w.request); err != nil {
		return err
	}
	response, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err == nil && response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, body)
	}
	return err
}

// side is one of the two servers that are compared.
type side struct {
	host string
	path func(call) string
}

// load sends a call over some connections as fast as answers come, or at a fixed rate.
func (h *platform) load(ctx context.Context, s side, c call, clients int, round time.Duration, rate float64) (perSecond float64, took []time.Duration, err error) {
	wires := make([]*wire, clients)
	for i := range wires {
		var p *person
		if c.who != nil {
			p = h.customers[c.who(i)%len(h.customers)]
		}
		if wires[i], err = dial(ctx, s.host, c, s.path(c), p); err != nil {
			return 0, nil, err
		}
		defer func() { _ = wires[i].conn.Close() }()
	}
	times := make([][]time.Duration, clients)
	begun := time.Now()
	var all sync.WaitGroup
	failed := make([]error, clients)
	for i, w := range wires {
		all.Go(func() {
			for n := 0; ; n++ {
				due := time.Now()
				if rate > 0 { // each connection its share, one after another; waiting counts
					due = begun.Add(time.Duration((float64(n) + float64(i)/float64(clients)) * float64(clients) / rate * float64(time.Second)))
					time.Sleep(time.Until(due))
				}
				if time.Since(begun) > round || ctx.Err() != nil {
					return
				}
				if failed[i] = w.ask(); failed[i] != nil {
					return
				}
				times[i] = append(times[i], time.Since(due))
			}
		})
	}
	all.Wait()
	for _, t := range times {
		took = append(took, t...)
	}
	return float64(len(took)) / time.Since(begun).Seconds(), took, errors.Join(append(failed, ctx.Err())...)
}
