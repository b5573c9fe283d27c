// Package telemetry is the processes' observability: a log that cannot hold secrets,
// metrics for Prometheus, and traces for an OTLP receiver.
//
// Invariants:
//
//   - A secret value given to NewLogger never reaches the log, in whatever line, attribute
//     or error text it turns up; attributes named like secrets are redacted whatever they
//     hold.
//   - Metrics contain routes, methods and status classes: no paths, no ids.
//   - Spans have ids, routes, steps and codes: no texts of errors, no amounts,
//     nothing personal. A caller cannot have a trace kept, or name it.
package telemetry

import (
	"bytes"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const redacted = "[redacted]"

// minSecret is the shortest value that is redacted in the log; shorter ones would redact
// ordinary words.
const minSecret = 6

// LogOptions are the options of a log.
type LogOptions struct {
	// Service is added to every line.
	Service string
	// Level is debug, info, warn or error; any other value is info.
	Level string
	// JSON writes one JSON object a line; otherwise lines are for people.
	JSON bool
	// Secrets are values that must not appear. Of a URL with a password, the
	// password is struck out as well.
	Secrets []string
}

// NewLogger makes a logger that writes to out.
func NewLogger(out io.Writer, o LogOptions) *slog.Logger {
	options := &slog.HandlerOptions{Level: levelOf(o.Level), ReplaceAttr: replaced}
	out = &redactingWriter{next: out, secrets: forms(o.Secrets)}
	var handler slog.Handler = slog.NewTextHandler(out, options)
	if o.JSON {
		handler = slog.NewJSONHandler(out, options)
	}
	return slog.New(traced{handler}).With("service", o.Service)
}

func levelOf(name string) slog.Level {
	var level slog.Level
	if level.UnmarshalText([]byte(name)) != nil {
		return slog.LevelInfo
	}
	return level
}

// secretNames mark attributes that hold secrets, anywhere in the name; case, "-" and "_" do
// not count.
var secretNames = []string{
	"password", "passphrase", "secret", "token", "authorization", "cookie", "apikey", "privatekey", "cvv", "totp",
}

var unjoined = strings.NewReplacer("-", "", "_", "")

// secretName remembers which names are a secret's: every attribute of every line is
// checked, and the number of names is bounded by the code.
var secretName sync.Map // of string to bool

// replaced writes the time of a line in UTC, whatever the machine's zone is, and redacts secrets.
func replaced(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && len(groups) == 0 && a.Value.Kind() == slog.KindTime {
		return slog.Time(a.Key, a.Value.Time().UTC())
	}
	return redactByName(groups, a)
}

func redactByName(_ []string, a slog.Attr) slog.Attr {
	secret, known := secretName.Load(a.Key)
	if !known {
		name := strings.ToLower(unjoined.Replace(a.Key))
		secret = slices.ContainsFunc(secretNames, func(word string) bool { return strings.Contains(name, word) })
		secretName.Store(a.Key, secret)
	}
	if secret == true {
		return slog.String(a.Key, redacted)
	}
	return a
}

// redactingWriter strikes secrets out of finished lines. Handlers of slog
// write a whole line at a time.
type redactingWriter struct {
	next    io.Writer
	secrets [][]byte
}

func (w *redactingWriter) Write(line []byte) (int, error) {
	clean := line
	for _, s := range w.secrets {
		if bytes.Contains(clean, s) { // a replacement copies the line, also where nothing is replaced
			clean = bytes.ReplaceAll(clean, s, []byte(redacted))
		}
	}
	if _, err := w.next.Write(clean); err != nil {
		return 0, err
	}
	return len(line), nil
}

// forms gives every spelling in which secrets may appear in a line: as they are, quoted as
// the handlers quote, escaped as in a URL.
func forms(secrets []string) [][]byte {
	var out [][]byte
	for _, s := range secrets {
		values := []string{s}
		if parsed, err := url.Parse(s); err == nil && parsed.User != nil {
			if password, ok := parsed.User.Password(); ok {
				values = append(values, password)
			}
		}
		for _, v := range values {
			if len(v) < minSecret {
				continue
			}
			quoted := strconv.Quote(v)
			spelled := []string{v, quoted[1 : len(quoted)-1], url.QueryEscape(v), url.PathEscape(v)}
			slices.Sort(spelled)
			for _, form := range slices.Compact(spelled) {
				out = append(out, []byte(form))
			}
		}
	}
	return out
}
