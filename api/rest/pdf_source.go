package rest

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// pdfSource is the file that the library reads. The library limits each object stream alone and cross-reference streams
// not at all. pdfSource limits all of them together before they are decompressed.
type pdfSource struct {
	raw      []byte
	at, from int64 // the offset, and that of the object that is read
	read     int   // bytes that may still be read
	unpacked int   // bytes that may still be unpacked
	prologs  int   // bytes of lists of packed objects that may still be unpacked
	measured bool
	err      error // is returned for ever
}

func (s *pdfSource) Read(part []byte) (int, error) {
	if s.read -= len(part); s.read < 0 && s.err == nil { // what is asked for is allocated already
		s.err = errBadPDF
	}
	if s.err != nil {
		return 0, s.err
	}
	if s.at >= int64(len(s.raw)) {
		return 0, io.EOF
	}
	n := copy(part, s.raw[s.at:])
	s.at += int64(n)
	return n, nil
}

func (s *pdfSource) Seek(offset int64, whence int) (int64, error) {
	if s.err != nil {
		return 0, s.err
	}
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += int64(len(s.raw))
	}
	if offset < 0 {
		return 0, errBadPDF
	}
	s.at = offset
	switch readerOfPDF() {
	case "":
		s.from = offset
	case readsPacked:
		s.err = s.measure(s.from, offset)
	}
	return offset, s.err
}

const (
	readsPacked = "the content of packed objects"
	readsValue  = "a value of their dictionary"
)

// readerOfPDF returns what the library is about to read, by its functions that are running: it unpacks two kinds of
// streams while it reads, one of them without a limit, and has no hook before that. readPDF refuses a file of which
// nothing was measured.
func readerOfPDF() string {
	var callers [24]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])])
	reads := ""
	for {
		frame, more := frames.Next()
		switch name := frame.Function[strings.LastIndexByte(frame.Function, '.')+1:]; name {
		case "dereferencedObject":
			reads = readsValue
		case "loadEncodedStreamContent":
			if reads == "" {
				reads = readsPacked
			}
		case "xRefStreamDict", "decodeObjectStream":
			return reads
		}
		if !more {
			return ""
		}
	}
}

var (
	pdfText    = regexp.MustCompile(`\((?:[^()\\/]|\\[^/])*\)`)
	pdfFilter  = regexp.MustCompile(`/Filter\s*(?:/FlateDecode\b|\[\s*/FlateDecode\s*\])`)
	pdfParms   = regexp.MustCompile(`/DecodeParms\s*(?:\[\s*)?<<`)
	pdfColumns = regexp.MustCompile(`/Columns[^/>]*\d{5}|/(?:Colors|BitsPerComponent)[^/>]*\d{2}`)
	pdfProlog  = regexp.MustCompile(`/First\s+(\d{1,7})\b`)
)

// measure counts a stream of packed objects against the limits. The object begins at from, its content at offset. The
// stream may have one filter at most, which must be a direct object.
func (s *pdfSource) measure(from, offset int64) error {
	s.measured = true
	if from >= offset || offset-from > maxPDFHead || offset > int64(len(s.raw)) {
		return errBadPDF
	}
	head := pdfText.ReplaceAll(s.raw[from:offset], []byte(" "))
	filters := bytes.Count(head, []byte("/Filter"))
	parms := bytes.Count(head, []byte("/DecodeParms"))
	switch {
	case bytes.ContainsAny(head, "#%()"), pdfColumns.Match(head):
		return errBadPDF
	case filters > 1 || filters == 1 && !pdfFilter.Match(head), parms > 1 || parms == 1 && !pdfParms.Match(head):
		return errBadPDF
	}
	prologs := pdfProlog.FindAllSubmatch(head, -1)
	if len(prologs) != bytes.Count(head, []byte("/First")) {
		return errBadPDF
	}
	for _, first := range prologs {
		n, _ := strconv.Atoi(string(first[1])) // has seven digits at most
		if s.prologs -= n; s.prologs < 0 {
			return errBadPDF
		}
	}
	if filters == 1 {
		return s.inflate(offset)
	}
	return nil
}

// inflate unpacks to nowhere what begins at an offset.
func (s *pdfSource) inflate(offset int64) error {
	packed := bytes.NewReader(s.raw[offset:])
	content, err := zlib.NewReader(packed)
	if err != nil {
		return errBadPDF
	}
	n, _ := io.CopyN(io.Discard, content, int64(s.unpacked)+1) // the library, too, takes what comes before a fault
	s.read -= int(packed.Size()) - packed.Len()
	if s.unpacked -= int(n); s.unpacked < 0 || s.read < 0 {
		return errBadPDF
	}
	return nil
}
