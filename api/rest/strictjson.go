package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxJSONDepth bounds nesting: no body of ours has more than three levels.
const maxJSONDepth = 16

// UnmarshalStrictly decodes JSON and refuses what encoding/json hides. Unknown and
// differently cased keys are refused after it, by huma's validation, which has the schema.
//
// huma decodes a body twice: into an any to validate it against its schema, and then into
// the handler's input. What was let through the first time is only read the second; bodies
// that are not validated (SignedBytes) are not decoded at all.
func UnmarshalStrictly(data []byte, v any) error {
	tree, first := v.(*any)
	if !first {
		if json.Unmarshal(data, v) != nil {
			return errUnfit
		}
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	value, err := readValue(decoder, "", 0)
	if err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected text after the JSON body")
	}
	*tree = value
	return nil
}

// The messages for a body that cannot be read: the decoder's own text names Go's types.
var (
	errNotJSON = errors.New("the body is not JSON")
	errUnfit   = errors.New("the body contains a value that is out of range")
)

// errOf is the message for a decoder's error.
func errOf(err error) error {
	var unfit *json.UnmarshalTypeError
	if errors.As(err, &unfit) {
		return errUnfit
	}
	return errNotJSON
}

// notText is the end of the message about a text that the database cannot store, after the
// field's name.
const notText = " contains an invalid character"

// readValue reads one JSON value, that of a field, and refuses an object with a key
// twice, and what is no text.
func readValue(decoder *json.Decoder, field string, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, errors.New("the JSON body is nested too deeply")
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, errOf(err)
	}
	switch token {
	case json.Delim('{'):
		return readObject(decoder, depth)
	case json.Delim('['):
		return readList(decoder, field, depth)
	}
	if text, is := token.(string); is && !Storable(text) {
		return nil, errors.New(field + notText)
	}
	return token, nil
}

func readObject(decoder *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, errOf(err)
		}
		key, _ := token.(string)
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("key %q stands in the body twice", key)
		}
		if object[key], err = readValue(decoder, key, depth+1); err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); err != nil { // the closing bracket
		return nil, errOf(err)
	}
	return object, nil
}

func readList(decoder *json.Decoder, field string, depth int) (any, error) {
	list := []any{}
	for decoder.More() {
		value, err := readValue(decoder, field, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	if _, err := decoder.Token(); err != nil { // the closing bracket
		return nil, errOf(err)
	}
	return list, nil
}
