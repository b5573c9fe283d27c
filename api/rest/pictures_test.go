package rest

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"net/http"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// bombJPEG is a progressive JPEG of so many pixels a side and colours, in one colour
// all over and with so many scans: small, however large it is decoded.
func bombJPEG(width, height, channels, scans int) []byte {
	out := []byte{0xff, 0xd8}
	segment := func(marker byte, content ...byte) {
		out = append(out, 0xff, marker)
		out = binary.BigEndian.AppendUint16(out, uint16(len(content)+2))
		out = append(out, content...)
	}
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(channels)}
	scan := []byte{byte(channels)}
	for c := range channels {
		frame, scan = append(frame, byte(c+1), 0x11, 0), append(scan, byte(c+1), 0)
	}
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc2, frame...)
	segment(0xc4, append(append([]byte{0x00, 1}, make([]byte, 15)...), 0)...) // one code of one bit: no difference
	segment(0xda, append(scan, 0, 0, 0x00)...)
	blocks := ((width + 7) / 8) * ((height + 7) / 8)
	out = append(out, make([]byte, (blocks*channels+7)/8)...)
	// One more scan over all of the first colour, of a few bytes: runs of blocks that end at once.
	segment(0xc4, append(append([]byte{0x10, 1}, make([]byte, 15)...), 0xe0)...)
	for range scans - 1 {
		segment(0xda, 1, 1, 0, 1, 63, 0x00)
		out = append(out, make([]byte, (blocks/16384+1)*15/8+1)...)
	}
	return append(out, 0xff, 0xd9)
}

// deepPNG is one colour all over, in two bytes a channel.
func deepPNG(t *testing.T, side int) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	require.NoError(t, encoder.Encode(&out, image.NewNRGBA64(image.Rect(0, 0, side, side))))
	return out.Bytes()
}

// Bar 37: a small file that needs more memory to decode than the process has, or minutes of
// its time, is refused before it is decoded.
func TestBar37APictureThatCostsTooMuchIsRefused(t *testing.T) {
	bombs := map[string][]byte{
		"progressive":           bombJPEG(5000, 5900, 3, 1),
		"progressive for print": bombJPEG(5000, 5900, 4, 1),
		"two bytes a channel":   deepPNG(t, 5000),
		"thousands of scans":    bombJPEG(3000, 4000, 3, 3000),
	}
	for name, raw := range bombs {
		t.Run(name, func(t *testing.T) {
			require.Less(t, len(raw), MaxUpload)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := Redraw(t.Context(), raw)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(maxDecoded), "decoding took memory")
			var refused *Problem
			require.ErrorAs(t, err, &refused)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
			require.Equal(t, "too_many_pixels", refused.Code)
		})
	}
	_, kind, err := Redraw(t.Context(), bombJPEG(3000, 4000, 3, 10))
	require.NoError(t, err, "a progressive photo of twelve megapixels is none")
	require.Equal(t, "image/jpeg", kind)
}
