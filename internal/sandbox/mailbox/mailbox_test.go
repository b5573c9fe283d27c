package mailbox_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	gomail "github.com/wneessen/go-mail"

	"github.com/tradepost/tradepost/internal/sandbox"
	"github.com/tradepost/tradepost/internal/sandbox/mailbox"
)

// TestMailbox sends mails with a public client and reads them back.
func TestMailbox(t *testing.T) {
	world, err := sandbox.Open(sandbox.Config{Mode: "local", Data: t.TempDir()}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	box := mailbox.New()
	server := httptest.NewServer(world.Handler(box))
	listener, err := mailbox.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- box.Serve(ctx, listener) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-served); server.Close(); _ = world.Close() })

	send := func(to, subject, text, html string) error {
		m := gomail.NewMsg()
		require.NoError(t, m.From("no-reply@tradepost.test"))
		require.NoError(t, m.To(to))
		m.Subject(subject)
		m.SetBodyString(gomail.TypeTextPlain, text)
		m.AddAlternativeString(gomail.TypeTextHTML, html)
		c, err := gomail.NewClient("127.0.0.1", gomail.WithPort(listener.Addr().(*net.TCPAddr).Port), gomail.WithTLSPolicy(gomail.NoTLS))
		require.NoError(t, err)
		return c.DialAndSend(m)
	}
	long := "Please confirm: http://127.0.0.1:8090/verify?token=abc_def-0123456789abcdefghijklmnopqrstuvwxyz0123456789. Thank you — “Tradepost”."
	require.NoError(t, send("casey@example.com", "Confirm your e‑mail", long, "<p>Hello <script>alert(1)</script></p>"))
	require.NoError(t, send("ada@example.com", "Other", "Nothing here", "<p>x</p>"))

	res, err := http.Get(server.URL + "/mailbox/api/messages?to=casey@example.com")
	require.NoError(t, err)
	var mails []mailbox.Message
	require.NoError(t, json.NewDecoder(res.Body).Decode(&mails))
	_ = res.Body.Close()
	require.Len(t, mails, 1)
	require.Equal(t, "Confirm your e‑mail", mails[0].Subject)
	require.Equal(t, long, mails[0].Text)
	require.Equal(t, []string{"http://127.0.0.1:8090/verify?token=abc_def-0123456789abcdefghijklmnopqrstuvwxyz0123456789"}, mails[0].Links)

	page := func(path string) (string, http.Header) {
		res, err := http.Get(server.URL + path)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		require.Equal(t, 200, res.StatusCode, path)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return string(body), res.Header
	}
	list, header := page("/mailbox")
	require.Contains(t, list, "Other")
	require.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'")
	one, _ := page("/mailbox/" + mails[0].ID)
	require.Contains(t, one, `<a href="http://127.0.0.1:8090/verify?token=abc_def-0123456789`)
	require.NotContains(t, one, "<script>")
	framed, header := page("/mailbox/" + mails[0].ID + "/html")
	require.Contains(t, framed, "<p>Hello")
	require.Contains(t, header.Get("Content-Security-Policy"), "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'")

	_, err = world.Faults.Arm(sandbox.Fault{Provider: "mailbox", Operation: "deliver", Match: "bob@", Code: "decline"})
	require.NoError(t, err)
	require.Error(t, send("bob@example.com", "Refused once", "x", "x"))
	require.NoError(t, send("bob@example.com", "Then taken", "x", "x"))
}
