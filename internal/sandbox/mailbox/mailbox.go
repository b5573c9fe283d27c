// Package mailbox receives every mail the product sends on this machine and shows it at
// /mailbox: nothing leaves the machine.
//
// Invariants: a mail is answered 250 only once it is stored; HTML is shown in a sandboxed
// frame that can run nothing and load nothing. A decline fault on operation deliver
// (subject: the recipients) refuses a mail for now (451); hold_before and hold_after delay
// it before or after it is stored. A mail that is delivered again, with the same
// Message-ID, is shown once.
package mailbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/tradepost/tradepost/internal/sandbox"
)

const (
	bucket      = "mailbox"
	byMessageID = "mailbox_by_message_id"
	kept        = 2000 // mails; older ones are forgotten
	largest     = 5 << 20
)

var errEnough = errors.New("enough")

// Message is a received mail.
type Message struct {
	ID         string    `json:"id"`
	From       string    `json:"from"`
	To         []string  `json:"to"`
	Subject    string    `json:"subject"`
	Text       string    `json:"text"`
	HTML       string    `json:"html"`
	Links      []string  `json:"links"` // addresses in Text, in order
	ReceivedAt time.Time `json:"receivedAt"`
	MessageID  string    `json:"messageId"`
	Deliveries int       `json:"deliveries"` // how often it was delivered; it is shown once
}

// Mailbox is both the SMTP server and the pages that show what it received.
type Mailbox struct{ world *sandbox.World }

// New makes the mailbox; Routes gives it its world.
func New() *Mailbox { return &Mailbox{} }

// Operations are what faults can be armed for.
func (m *Mailbox) Operations() []sandbox.Operation {
	return []sandbox.Operation{{Name: "deliver", Changes: true, Codes: []string{"decline"}}}
}

// Listen opens the SMTP address, so that a port in use is named at start.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("mailbox: %w", err)
	}
	return listener, nil
}

// Serve receives mail until the context ends.
func (m *Mailbox) Serve(ctx context.Context, listener net.Listener) error {
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{box: m}, nil }))
	server.Domain = "sandbox"
	server.MaxMessageBytes = largest
	server.MaxRecipients = 50
	server.ReadTimeout, server.WriteTimeout = 30*time.Second, 30*time.Second
	ended := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer ended()
	err := server.Serve(listener)
	if ctx.Err() != nil || errors.Is(err, smtp.ErrServerClosed) {
		return nil
	}
	return err
}

// session is one SMTP conversation.
type session struct {
	box  *Mailbox
	from string
	to   []string
}

// Mail begins a mail.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	return nil
}

// Rcpt adds a recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Data stores the mail.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(r, largest))
	if err != nil {
		return err
	}
	if fault, armed := s.box.world.Faults.Take("mailbox", "deliver", s.to...); armed && fault.Code == "decline" {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "Try again later (sandbox: an injected fault)"}
	}
	message, err := read(bytes.NewReader(raw))
	if err != nil {
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: "Not a readable mail: " + err.Error()}
	}
	message.From, message.To, message.ReceivedAt, message.Deliveries = s.from, s.to, s.box.world.Clock.Now(), 1
	held, hold := s.box.world.Faults.TakeCode("mailbox", "deliver", []string{"hold_before", "hold_after"}, s.to...)
	if hold && held.Code == "hold_before" {
		s.box.world.Faults.Wait(context.Background(), held)
	}
	if err := s.box.store(message); err != nil {
		return err
	}
	if hold && held.Code == "hold_after" {
		s.box.world.Faults.Wait(context.Background(), held)
	}
	return nil
}

// Reset forgets the mail under way.
func (s *session) Reset() { s.from, s.to = "", nil }

// Logout ends the conversation.
func (s *session) Logout() error { return nil }

// store keeps the mail and forgets the oldest beyond what is kept. A mail whose
// Message-ID is known is that one, delivered once more.
func (m *Mailbox) store(message Message) error {
	return m.world.Store.Update(func(tx *sandbox.Tx) error {
		if known, err := m.again(tx, message); known || err != nil {
			return err
		}
		n, err := tx.NextID(bucket)
		if err != nil {
			return err
		}
		message.ID = fmt.Sprintf("%012d", n)
		if n > kept {
			if err := forget(tx, fmt.Sprintf("%012d", n-kept)); err != nil {
				return err
			}
		}
		if err := tx.Put(byMessageID, message.key(), message.ID); err != nil {
			return err
		}
		return tx.Put(bucket, message.ID, message)
	})
}

// key identifies a mail: its Message-ID and its recipients.
func (m *Message) key() string {
	if m.MessageID == "" {
		return m.ID
	}
	return m.MessageID + " " + strings.Join(m.To, " ")
}

// again counts another delivery of a mail that is here.
func (m *Mailbox) again(tx *sandbox.Tx, message Message) (known bool, err error) {
	var id string
	if known, err = tx.Get(byMessageID, message.key(), &id); err != nil || !known {
		return false, err
	}
	var here Message
	if known, err = tx.Get(bucket, id, &here); err != nil || !known {
		return false, err
	}
	here.Deliveries++
	return true, tx.Put(bucket, id, here)
}

func forget(tx *sandbox.Tx, id string) error {
	var old Message
	if _, err := tx.Get(bucket, id, &old); err != nil {
		return err
	}
	return errors.Join(tx.Delete(byMessageID, old.key()), tx.Delete(bucket, id))
}

// find answers the newest mails, at most limit, to a recipient that contains
// the text; all when it is empty.
func (m *Mailbox) find(to string, limit int) ([]Message, error) {
	to = strings.ToLower(strings.TrimSpace(to))
	list := []Message{}
	err := m.world.Store.View(func(tx *sandbox.Tx) error {
		return tx.EachReverse(bucket, func(_ string, raw []byte) error {
			var message Message
			if err := json.Unmarshal(raw, &message); err != nil {
				return err
			}
			if !strings.Contains(strings.ToLower(strings.Join(message.To, " ")), to) {
				return nil
			}
			if list = append(list, message); len(list) == limit {
				return errEnough
			}
			return nil
		})
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return list, err
}

func (m *Mailbox) get(id string) (message Message, found bool, err error) {
	err = m.world.Store.View(func(tx *sandbox.Tx) error {
		found, err = tx.Get(bucket, id, &message)
		return err
	})
	return message, found, err
}
