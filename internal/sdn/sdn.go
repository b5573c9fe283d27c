// Package sdn reads lists of addresses to which sending is forbidden, in the forms in which
// they are published: OFAC's own sdn.xml, sdn_advanced.xml and sdnlist.txt, and what
// extractors make of them (one address a line, or a JSON array of them).
//
// Invariants:
//
//   - A file is hostile: it is read as a stream, no further than Most, for
//     MostEntries at most; entities and references to elsewhere are not followed.
//   - An address comes out in the form lists are compared in, or is refused with
//     the number of its line; of a JSON array, of its entry.
//   - An address is matched on every supported network, regardless of the coin in the list:
//     the same key can hold several.
package sdn

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/tradepost/tradepost/internal/address"
	"github.com/tradepost/tradepost/models/money"
)

// Bounds on what is read. The whole sdn_advanced.xml has about 100 MB.
const (
	Most        = 512 << 20
	MostEntries = 100_000
	mostLine    = 1 << 20
	// NamedRefusals is how many refused entries are named by their number.
	NamedRefusals = 50
)

// The forms of a list.
const (
	FormatText        = "text"
	FormatJSON        = "json"
	FormatXML         = "sdn_xml"
	FormatAdvancedXML = "sdn_advanced_xml"
)

// List is what a file holds.
type List struct {
	Format    string
	Digest    string // SHA-256 of the file
	Addresses []address.Result
	// Refused counts the entries that are no address of a supported network; RefusedAt are
	// the numbers of the first of them.
	Refused   int
	RefusedAt []int
}

// The ways in which a file cannot be read.
var (
	ErrTooMany    = fmt.Errorf("the list has more than %d entries", MostEntries)
	ErrTooLong    = errors.New("the file is too long")
	ErrUnreadable = errors.New("the file cannot be read as a list of addresses")
)

// marked begins the name of what OFAC's list calls an address.
const marked = "Digital Currency Address - "

// Read reads a list, whatever its form.
func Read(from io.Reader) (*List, error) {
	sum := sha256.New()
	limited := &io.LimitedReader{R: from, N: Most + 1}
	in := bufio.NewReaderSize(io.TeeReader(limited, sum), 64<<10)
	list := &List{}
	err := list.read(in)
	if err == nil {
		_, err = io.Copy(io.Discard, in) // the digest is of all of it
	}
	switch {
	case limited.N == 0:
		return nil, ErrTooLong
	case errors.Is(err, ErrTooMany):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	list.Digest = hex.EncodeToString(sum.Sum(nil))
	return list, nil
}

func (l *List) read(in *bufio.Reader) error {
	if mark, err := in.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3)
	}
	first, err := firstByte(in)
	if errors.Is(err, io.EOF) {
		l.Format = FormatText
		return nil
	}
	switch {
	case err != nil:
		return err
	case first == '<':
		return l.readXML(in)
	case first == '[':
		return l.readJSON(in)
	}
	return l.readText(in)
}

// firstByte is the first byte that is no blank, in the first few hundred; it
// stays to be read.
func firstByte(in *bufio.Reader) (byte, error) {
	head, err := in.Peek(512)
	if len(head) == 0 {
		return 0, err
	}
	if head = bytes.TrimLeft(head, " \t\r\n"); len(head) == 0 {
		return '\n', nil
	}
	return head[0], nil
}

// add adds an entry, with its number.
func (l *List) add(entry string, number int) error {
	if len(l.Addresses)+l.Refused >= MostEntries {
		return ErrTooMany
	}
	if place, ok := recognise(entry); ok {
		l.Addresses = append(l.Addresses, place)
		return nil
	}
	if l.Refused++; l.Refused <= NamedRefusals {
		l.RefusedAt = append(l.RefusedAt, number)
	}
	return nil
}

// recognise finds the network of an address, whatever the coin, on the main networks or the
// test ones: a rehearsal has lists too. The case of an Ethereum address encodes only its
// checksum, which lists do not keep.
func recognise(text string) (address.Result, bool) {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		text = strings.ToLower(text)
	}
	for _, asset := range money.Assets {
		for _, nets := range []address.Nets{address.MainNets, address.TestNets} {
			if place, err := nets.Check(asset, text); err == nil {
				return place, true
			}
		}
	}
	return address.Result{}, false
}

// sdnText is how the text form names an address; it breaks its lines anywhere.
var sdnText = regexp.MustCompile(`Digital\s+Currency\s+Address\s+-\s+[A-Z]+\s+([0-9A-Za-z]+)`)

// readText reads one address a line, or OFAC's text. A line of a text that has
// blanks in it is prose.
func (l *List) readText(in *bufio.Reader) error {
	l.Format = FormatText
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), mostLine)
	before, number := "", 0
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		joined := before + " " + line
		if found := sdnText.FindAllStringSubmatchIndex(joined, -1); found != nil {
			for _, match := range found {
				if err := l.add(joined[match[2]:match[3]], number); err != nil {
					return err
				}
			}
			before = lastWords(joined[found[len(found)-1][1]:])
			continue
		}
		before = lastWords(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.ContainsAny(line, " \t") || endsMarked(line) {
			continue
		}
		if err := l.add(line, number); err != nil {
			return err
		}
	}
	return lines.Err()
}

// lastWords is the end of a line from which the name of an address may go on in
// the next.
func lastWords(line string) string {
	at := strings.LastIndex(line, "Digital")
	if at < 0 {
		return ""
	}
	return line[at:]
}

// endsMarked is a lone word of a broken name.
func endsMarked(line string) bool { return line == "Digital" }

// readJSON reads an array of addresses.
func (l *List) readJSON(in *bufio.Reader) error {
	l.Format = FormatJSON
	decoder := json.NewDecoder(in)
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for number := 1; decoder.More(); number++ {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		entry, ok := token.(string)
		if !ok {
			return fmt.Errorf("entry %d is no text", number)
		}
		if err := l.add(entry, number); err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return err
}

// xmlReading is the position in the stream of an XML list.
type xmlReading struct {
	text     strings.Builder
	addressy map[string]bool // the feature types that are addresses, by id
	typeID   string          // of the feature type that is being read
	feature  string          // the type of the feature that is being read
	idType   string          // of the simple form's document that is being read
	idNumber string
}

// readXML reads either of OFAC's XML forms.
func (l *List) readXML(in *bufio.Reader) error {
	l.Format = FormatXML
	decoder := xml.NewDecoder(in)
	at := &xmlReading{addressy: map[string]bool{}}
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			at.begin(t)
		case xml.CharData:
			if at.text.Len()+len(t) <= mostLine {
				at.text.Write(t)
			}
		case xml.EndElement:
			line, _ := decoder.InputPos()
			if err := l.end(at, t.Name.Local, line); err != nil {
				return err
			}
		}
	}
}

func (at *xmlReading) begin(t xml.StartElement) {
	at.text.Reset()
	attribute := func(name string) string {
		for _, a := range t.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	switch t.Name.Local {
	case "FeatureType":
		at.typeID = attribute("ID")
	case "Feature":
		at.feature = attribute("FeatureTypeID")
	case "id":
		at.idType, at.idNumber = "", ""
	}
}

func (l *List) end(at *xmlReading, name string, line int) error {
	text := strings.TrimSpace(at.text.String())
	at.text.Reset()
	switch name {
	case "FeatureType":
		if strings.HasPrefix(text, marked) {
			at.addressy[at.typeID] = true
		}
	case "VersionDetail":
		if at.addressy[at.feature] {
			l.Format = FormatAdvancedXML
			return l.add(text, line)
		}
	case "idType":
		at.idType = text
	case "idNumber":
		at.idNumber = text
	case "id":
		if strings.HasPrefix(at.idType, marked) {
			return l.add(at.idNumber, line)
		}
	}
	return nil
}
