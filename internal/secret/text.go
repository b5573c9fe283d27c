package secret

import (
	"fmt"
	"log/slog"
)

// redacted replaces a secret.
const redacted = "[redacted]"

// Text is a configured secret. However it is printed, logged or encoded, the result is
// "[redacted]"; Reveal gives the value.
type Text string

// Reveal gives the value itself, for the one call that needs it.
func (t Text) Reveal() string { return string(t) }

// String implements fmt.Stringer.
func (Text) String() string { return redacted }

// Format implements fmt.Formatter: no verb shows the value.
func (Text) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// MarshalJSON implements json.Marshaler.
func (Text) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText implements encoding.TextMarshaler, for every other encoder.
func (Text) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue implements slog.LogValuer.
func (Text) LogValue() slog.Value { return slog.StringValue(redacted) }
