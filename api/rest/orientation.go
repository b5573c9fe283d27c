package rest

import (
	"bytes"
	"encoding/binary"
	"image"
)

// upright is the orientation of a picture that is stored as it is seen (EXIF 2.3, tag 0x0112).
const upright = 1

// orientationOf reads how a camera was held. What cannot be read is upright: the picture then is shown as it is stored.
func orientationOf(format string, raw []byte) int {
	if format == "png" {
		return exifOrientation(pngExif(raw))
	}
	return exifOrientation(jpegExif(raw))
}

// jpegExif finds the EXIF data of a JPEG: a segment APP1 before the first scan.
func jpegExif(raw []byte) []byte {
	const app1, prefix = 0xe1, "Exif\x00\x00"
	for len(raw) >= 4 {
		if raw[0] != jpegMark || raw[1] == 0 || raw[1] == jpegMark {
			raw = raw[1:]
			continue
		}
		kind := raw[1]
		if kind == jpegScan {
			return nil
		}
		if kind >= jpegRestart && kind <= jpegBegin {
			raw = raw[2:]
			continue
		}
		end := min(2+int(raw[2])<<8+int(raw[3]), len(raw))
		if content := raw[min(4, end):end]; kind == app1 && bytes.HasPrefix(content, []byte(prefix)) {
			return content[len(prefix):]
		}
		raw = raw[max(end, 2):]
	}
	return nil
}

// pngExif finds the EXIF data of a PNG: a chunk eXIf.
func pngExif(raw []byte) []byte {
	const signature, head = 8, 8
	raw = raw[min(signature, len(raw)):]
	for len(raw) >= head {
		size, kind := int64(binary.BigEndian.Uint32(raw)), string(raw[4:head])
		raw = raw[head:]
		if size > int64(len(raw)) {
			return nil
		}
		if kind == "eXIf" {
			return raw[:size]
		}
		raw = raw[min(size+4, int64(len(raw))):] // and its checksum
	}
	return nil
}

// exifOrientation reads the tag in the first directory of EXIF data, which is a TIFF file.
func exifOrientation(exif []byte) int {
	const tag, short, head, entry = 0x0112, 3, 8, 12
	if len(exif) < head {
		return upright
	}
	var order binary.ByteOrder
	switch string(exif[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return upright
	}
	at := int64(order.Uint32(exif[4:]))
	if at+2 > int64(len(exif)) {
		return upright
	}
	rest := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(rest) < entry {
			return upright
		}
		if order.Uint16(rest) == tag && order.Uint16(rest[2:]) == short {
			if value := int(order.Uint16(rest[8:])); value >= 1 && value <= 8 {
				return value
			}
			return upright
		}
		rest = rest[entry:]
	}
	return upright
}

// turned draws a picture as it is seen.
func turned(picture image.Image, orientation int, format string) image.Image {
	if orientation == upright {
		return picture
	}
	bounds := picture.Bounds()
	width, height := bounds.Dx(), bounds.Dy()
	size := image.Rect(0, 0, width, height)
	if orientation >= 5 {
		size = image.Rect(0, 0, height, width)
	}
	var out interface {
		image.Image
		image.RGBA64Image
	}
	var set func(x, y, toX, toY int)
	from, quick := picture.(image.RGBA64Image)
	if !quick { // no decoder here makes one
		return picture
	}
	if format == "png" {
		drawn := image.NewNRGBA(size)
		out, set = drawn, func(x, y, toX, toY int) { drawn.SetRGBA64(toX, toY, from.RGBA64At(x, y)) }
	} else {
		drawn := image.NewRGBA(size)
		out, set = drawn, func(x, y, toX, toY int) { drawn.SetRGBA64(toX, toY, from.RGBA64At(x, y)) }
	}
	for y := range height {
		for x := range width {
			toX, toY := place(x, y, width, height, orientation)
			set(bounds.Min.X+x, bounds.Min.Y+y, toX, toY)
		}
	}
	return out
}

// place is where a stored pixel is seen.
func place(x, y, width, height, orientation int) (toX, toY int) {
	switch orientation {
	case 2: // mirrored
		return width - 1 - x, y
	case 3: // upside down
		return width - 1 - x, height - 1 - y
	case 4:
		return x, height - 1 - y
	case 5:
		return y, x
	case 6: // to be turned to the right
		return height - 1 - y, x
	case 7:
		return height - 1 - y, width - 1 - x
	case 8: // to be turned to the left
		return y, width - 1 - x
	}
	return x, y
}
