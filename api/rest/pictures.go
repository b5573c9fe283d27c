package rest

import (
	"bytes"
	"image"
	"image/color"
)

// The limits of an image's decoding cost. A file of a few hundred bytes can demand all the
// memory of this process, or minutes of its time, so that both are computed from the file's
// header before it is decoded.
const (
	maxPixels  = 30_000_000
	MaxSide    = 10_000
	maxDecoded = 200 << 20 // bytes, of a process that has 400 MiB (docker-compose.yml)
	maxScans   = 100       // of a progressive JPEG: each walks over the whole picture; cameras write about ten
)

// turnedCost is how many bytes a pixel needs while a decoded picture is drawn as it is seen.
const turnedCost = 4

// affordable reports whether a picture can be decoded here, and turned.
func affordable(head image.Config, format string, raw []byte, orientation int) bool {
	if head.Width > MaxSide || head.Height > MaxSide || head.Width*head.Height > maxPixels {
		return false
	}
	each, scans := pngCost(head.ColorModel), 1
	if format == "jpeg" {
		each, scans = jpegCost(head.ColorModel, raw)
	}
	if orientation != upright { // what decoding alone needed is free by then
		decoded := 3
		switch head.ColorModel {
		case color.RGBA64Model, color.NRGBA64Model:
			decoded = 8
		case color.CMYKModel, color.RGBAModel, color.NRGBAModel:
			decoded = 4
		}
		each = max(each, decoded+turnedCost)
	}
	return head.Width*head.Height*each <= maxDecoded && scans <= maxScans
}

// pngCost is how many bytes a pixel needs while a PNG is decoded: an interlaced one is
// assembled from passes, of which the last is half of it.
func pngCost(model color.Model) int {
	switch model {
	case color.RGBA64Model, color.NRGBA64Model:
		return 12
	}
	return 6
}

// Markers of a JPEG (ITU-T T.81, table B.1).
const (
	jpegMark        = 0xff
	jpegProgressive = 0xc2
	jpegScan        = 0xda
	jpegRestart     = 0xd0 // to 0xd7, which stand alone, as the beginning does
	jpegBegin       = 0xd8
)

// jpegCost is how many bytes a pixel needs while a JPEG is decoded, and how many scans it
// has. A progressive one is kept as coefficients of four bytes each until its last scan;
// colours for print are made of two pictures.
func jpegCost(model color.Model, raw []byte) (each, scans int) {
	progressive, rest := jpegHead(raw)
	channels, each := 3, 3
	if model == color.CMYKModel {
		channels, each = 4, 8
	}
	if progressive {
		each += 4 * channels
	}
	return each, bytes.Count(rest, []byte{jpegMark, jpegScan})
}

// jpegHead skips the segments before the first scan, as the decoder does, and returns the
// rest: no marker is hidden in a segment's content.
func jpegHead(raw []byte) (progressive bool, rest []byte) {
	for len(raw) >= 4 {
		if raw[0] != jpegMark || raw[1] == 0 || raw[1] == jpegMark {
			raw = raw[1:]
			continue
		}
		kind := raw[1]
		switch {
		case kind == jpegScan:
			return progressive, raw
		case kind == jpegProgressive:
			progressive = true
		case kind >= jpegRestart && kind <= jpegBegin:
			raw = raw[2:]
			continue
		}
		raw = raw[min(2+int(raw[2])<<8+int(raw[3]), len(raw)):]
	}
	return progressive, nil
}
