package doctor

import (
	"context"
	"net"
	"strings"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// resolver asks a name server of the test: every name that is known has this
// machine's address, and the texts of names.
func (i *installation) resolver() *net.Resolver {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(i, err)
	i.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 1<<12)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if answer := i.resolve(buffer[:n]); answer != nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (i *installation) resolve(raw []byte) []byte {
	var asked dnsmessage.Message
	if asked.Unpack(raw) != nil || len(asked.Questions) != 1 {
		return nil
	}
	question := asked.Questions[0]
	i.mu.Lock()
	texts, known := i.names[strings.TrimSuffix(strings.ToLower(question.Name.String()), ".")]
	i.mu.Unlock()
	answer := dnsmessage.Message{Header: dnsmessage.Header{ID: asked.ID, Response: true, Authoritative: true, RecursionAvailable: true}, Questions: asked.Questions}
	header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
	switch {
	case !known:
		answer.RCode = dnsmessage.RCodeNameError
	case question.Type == dnsmessage.TypeA:
		answer.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
	case question.Type == dnsmessage.TypeTXT:
		for _, text := range texts {
			answer.Answers = append(answer.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.TXTResource{TXT: []string{text}}})
		}
	}
	packed, err := answer.Pack()
	require.NoError(i, err)
	return packed
}
