package supervise

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Logs joins what all units print into one stream, and keeps a file for each.
type Logs struct {
	dir    string
	stream io.Writer
	colour bool

	mu    sync.Mutex
	width int
	shade int
}

// NewLogs writes files into dir and lines to stream, which may be nil.
func NewLogs(dir string, stream io.Writer, colour bool) (*Logs, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Logs{dir: dir, stream: stream, colour: colour, width: 8}, nil
}

// Path is the log file of a unit.
func (l *Logs) Path(name string) string { return filepath.Join(l.dir, name+".log") }

// Tail returns the last lines of a unit's log.
func (l *Logs) Tail(name string, lines int) string {
	raw, err := os.ReadFile(l.Path(name))
	if err != nil {
		return ""
	}
	all := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

var shades = []string{"36", "33", "35", "32", "34", "96", "93", "95", "92", "94"}

// Writer returns where a unit prints. The file starts empty.
func (l *Logs) Writer(name string) (io.WriteCloser, error) {
	file, err := os.OpenFile(l.Path(name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	prefix := fmt.Sprintf("%-*s | ", l.width, name)
	if l.colour {
		prefix = "\x1b[" + shades[l.shade%len(shades)] + "m" + prefix + "\x1b[0m"
	}
	l.shade++
	return &lineWriter{logs: l, file: file, prefix: prefix}, nil
}

// Print puts a line of the launcher's own into the stream.
func (l *Logs) Print(line string) {
	if l.stream == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintln(l.stream, line) // a closed terminal must not stop the product
}

// lineWriter cuts a byte stream into whole lines, so that lines of different
// units never mix.
type lineWriter struct {
	logs   *Logs
	file   *os.File
	prefix string

	mu   sync.Mutex
	rest []byte
}

// Write implements io.Writer.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.file.Write(p) // a full disk loses lines: an error would close the process's output, which ends it
	if w.logs.stream == nil {
		return len(p), nil
	}
	w.rest = append(w.rest, p...)
	for {
		end := bytes.IndexByte(w.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		w.logs.Print(w.prefix + string(w.rest[:end]))
		w.rest = w.rest[end+1:]
	}
}

// Close closes the file.
func (w *lineWriter) Close() error { return w.file.Close() }
