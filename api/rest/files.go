package rest

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
)

// MaxUpload bounds an upload.
const MaxUpload = 8 << 20

// oneImage lets one image be drawn at a time, so that uploads together cannot exhaust the
// process's memory.
var oneImage = make(chan struct{}, 1)

// Redraw decodes an image and encodes it again, as it is seen: the orientation of the camera is in what is not kept.
// Its first bytes must be those of JPEG or PNG, regardless of its name and type; the cost of decoding is checked before
// it is decoded.
func Redraw(ctx context.Context, raw []byte) (clean []byte, contentType string, err error) {
	return redraw(ctx, raw, "Upload a JPEG or PNG picture")
}

// redraw is Redraw; wanted is said of what is no picture.
func redraw(ctx context.Context, raw []byte, wanted string) (clean []byte, contentType string, err error) {
	if len(raw) > MaxUpload {
		return nil, "", NewProblem(http.StatusRequestEntityTooLarge, "too_large", "Choose a file smaller than 8 MB").about("file")
	}
	head, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || format != "jpeg" && format != "png" {
		return nil, "", FieldProblem("file", "not_an_image", wanted)
	}
	orientation := orientationOf(format, raw)
	if !affordable(head, format, raw, orientation) {
		return nil, "", FieldProblem("file", "too_many_pixels", "This picture is too large. Choose a smaller one.")
	}
	select {
	case oneImage <- struct{}{}:
		defer func() { <-oneImage }()
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	picture, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, "", FieldProblem("file", "not_an_image", "This picture is damaged. Choose another one.")
	}
	picture = turned(picture, orientation, format)
	var out bytes.Buffer
	if format == "png" {
		err = png.Encode(&out, picture)
	} else {
		err = jpeg.Encode(&out, picture, &jpeg.Options{Quality: 88})
	}
	return out.Bytes(), "image/" + format, err
}

// FileKey names a file.
type FileKey struct {
	Key string `path:"key" maxLength:"64"`
}

// FileAnswer is a file that is shown in the browser.
type FileAnswer struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Policy      string `header:"Content-Security-Policy"`
	Body        []byte
}

// EraseBatch bounds the files erased in one round.
const EraseBatch = 100
