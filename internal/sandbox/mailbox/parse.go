package mailbox

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
)

// links are web addresses in plain text.
var links = regexp.MustCompile(`https?://[^\s<>"]+[^\s<>".,;:!?)\]]`)

// read extracts subject, plain text and HTML from a mail.
func read(r io.Reader) (Message, error) {
	parsed, err := mail.ReadMessage(r)
	if err != nil {
		return Message{}, err
	}
	message := Message{MessageID: parsed.Header.Get("Message-Id")}
	if message.Subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject")); err != nil {
		message.Subject = parsed.Header.Get("Subject")
	}
	if err := message.part(parsed.Header.Get("Content-Type"), parsed.Header.Get("Content-Transfer-Encoding"), parsed.Body, 0); err != nil {
		return Message{}, err
	}
	message.Links = links.FindAllString(message.Text, -1)
	return message, nil
}

// part reads a body, descending into multipart ones; attachments are left out.
func (m *Message) part(contentType, encoding string, body io.Reader, depth int) error {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = "text/plain"
	}
	if strings.HasPrefix(kind, "multipart/") && depth < 5 {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			p, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := m.part(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p, depth+1); err != nil {
				return err
			}
		}
	}
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	switch {
	case kind == "text/html" && m.HTML == "":
		m.HTML = text
	case kind == "text/plain" && m.Text == "":
		m.Text = text
	}
	return nil
}
