package rest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
)

// corners are the colors of a picture's corners: from the upper left on, clockwise.
type corners [4]color.RGBA

var (
	red, green = color.RGBA{R: 255, A: 255}, color.RGBA{G: 255, A: 255}
	blue, gray = color.RGBA{B: 255, A: 255}, color.RGBA{R: 128, G: 128, B: 128, A: 255}
)

// stored is what a camera stores of a scene of 48 by 32 pixels with these corners, held so.
func stored(t *testing.T, seen corners, orientation int) image.Image {
	t.Helper()
	const width, height = 48, 32
	scene := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			corner := 0
			switch right, low := x >= width/2, y >= height/2; {
			case right && low:
				corner = 2
			case right:
				corner = 1
			case low:
				corner = 3
			}
			scene.SetRGBA(x, y, seen[corner])
		}
	}
	w, h := width, height
	if orientation >= 5 {
		w, h = height, width
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			toX, toY := seenAt(x, y, w, h, orientation)
			out.SetRGBA(x, y, scene.RGBAAt(toX, toY))
		}
	}
	return out
}

// seenAt says where a stored pixel is seen, by the standard's words: which side of the scene row 0 and column 0 are.
func seenAt(x, y, w, h, orientation int) (toX, toY int) {
	rows := map[int]string{1: "top left", 2: "top right", 3: "bottom right", 4: "bottom left", 5: "left top", 6: "right top", 7: "right bottom", 8: "left bottom"}
	var row, column string
	_, _ = fmt.Sscan(rows[orientation], &row, &column)
	along := func(side string, at, size int) {
		switch side {
		case "top":
			toY = at
		case "bottom":
			toY = size - 1 - at
		case "left":
			toX = at
		case "right":
			toX = size - 1 - at
		}
	}
	along(row, y, h)
	along(column, x, w)
	return toX, toY
}

// exifOf is EXIF data with an orientation.
func exifOf(order binary.AppendByteOrder, mark string, orientation int) []byte {
	out := order.AppendUint32([]byte(mark), 8)
	out = order.AppendUint16(out, 1)
	out = order.AppendUint16(order.AppendUint16(out, 0x0112), 3)
	out = order.AppendUint32(out, 1)
	out = order.AppendUint16(order.AppendUint16(out, uint16(orientation)), 0)
	return order.AppendUint32(out, 0)
}

func withExif(t *testing.T, picture image.Image, format string, exif []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if format == "png" {
		require.NoError(t, png.Encode(&out, picture))
		chunk := append([]byte("eXIf"), exif...)
		all := binary.BigEndian.AppendUint32(nil, uint32(len(exif)))
		all = binary.BigEndian.AppendUint32(append(all, chunk...), crc32.ChecksumIEEE(chunk))
		const first = 8 + 25 // the signature and the header
		return append(append(append([]byte{}, out.Bytes()[:first]...), all...), out.Bytes()[first:]...)
	}
	require.NoError(t, jpeg.Encode(&out, picture, &jpeg.Options{Quality: 95}))
	segment := append([]byte("Exif\x00\x00"), exif...)
	head := append([]byte{0xff, 0xd8, 0xff, 0xe1}, byte((len(segment)+2)>>8), byte(len(segment)+2))
	return append(append(head, segment...), out.Bytes()[2:]...)
}

func TestPicturesAreStoredAsTheyAreSeen(t *testing.T) {
	want := corners{red, green, blue, gray}
	for _, format := range []string{"jpeg", "png"} {
		for orientation := 1; orientation <= 8; orientation++ {
			for mark, order := range map[string]binary.AppendByteOrder{"II*\x00": binary.LittleEndian, "MM\x00*": binary.BigEndian} {
				t.Run(fmt.Sprintf("%s %d %s", format, orientation, mark[:2]), func(t *testing.T) {
					raw := withExif(t, stored(t, want, orientation), format, exifOf(order, mark, orientation))
					clean, kind, err := Redraw(t.Context(), raw)
					require.NoError(t, err)
					require.Equal(t, "image/"+format, kind)
					require.NotContains(t, string(clean), "Exif")
					require.NotContains(t, string(clean), "eXIf")
					picture, _, err := image.Decode(bytes.NewReader(clean))
					require.NoError(t, err)
					require.Equal(t, image.Pt(48, 32), picture.Bounds().Size())
					for i, at := range []image.Point{{8, 8}, {40, 8}, {40, 24}, {8, 24}} {
						r, g, b, _ := picture.At(at.X, at.Y).RGBA()
						require.InDelta(t, float64(want[i].R), float64(r>>8), 24, "corner %d", i)
						require.InDelta(t, float64(want[i].G), float64(g>>8), 24, "corner %d", i)
						require.InDelta(t, float64(want[i].B), float64(b>>8), 24, "corner %d", i)
					}
				})
			}
		}
	}
}

// Broken metadata is no reason to refuse a picture, and breaks nothing.
func TestBrokenMetadataLeavesAPictureAsItIs(t *testing.T) {
	good := exifOf(binary.LittleEndian, "II*\x00", 6)
	broken := map[string][]byte{
		"empty": {}, "short": good[:5], "another kind": append([]byte("XX*\x00"), good[4:]...), "unknown orientation": exifOf(binary.LittleEndian, "II*\x00", 9),
		"zero": exifOf(binary.LittleEndian, "II*\x00", 0), "directory outside": append(append([]byte("II*\x00"), 0xff, 0xff, 0xff, 0xff), good[8:]...),
		"many entries": append(append(append([]byte{}, good[:8]...), 0xff, 0xff), good[10:14]...),
	}
	for name, exif := range broken {
		for _, format := range []string{"jpeg", "png"} {
			clean, _, err := Redraw(t.Context(), withExif(t, stored(t, corners{red, green, blue, gray}, 1), format, exif))
			require.NoError(t, err, name)
			picture, _, err := image.DecodeConfig(bytes.NewReader(clean))
			require.NoError(t, err)
			require.Equal(t, 48, picture.Width, name)
		}
	}
}

func FuzzOrientation(f *testing.F) {
	f.Add([]byte("II*\x00\x08\x00\x00\x00"), true)
	f.Add([]byte{0xff, 0xd8, 0xff, 0xe1, 0, 1}, false)
	f.Fuzz(func(t *testing.T, raw []byte, isPNG bool) {
		for _, format := range []string{"png", "jpeg"} {
			at := orientationOf(format, raw)
			require.True(t, at >= 1 && at <= 8)
		}
		at := exifOrientation(raw)
		require.True(t, at >= 1 && at <= 8)
		_ = isPNG
	})
}
