package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxJSONDepth bounds nesting: no body of ours has more than three levels.
const maxJSONDepth = 16

// unmarshalStrictly decodes JSON and refuses what encoding/json hides. Unknown
// and differently cased keys are refused after it, by huma's validation, which
// knows the schema.
func unmarshalStrictly(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := refuseDoubles(decoder, "", 0); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected text after the JSON body")
	}
	return json.Unmarshal(data, v)
}

// notText ends what is said of a text that the database cannot hold; the field's
// name comes before it.
const notText = " holds a character that is no text"

// refuseDoubles walks one JSON value, that of a field, and refuses an object with
// a key twice, and what is no text.
func refuseDoubles(decoder *json.Decoder, field string, depth int) error {
	if depth > maxJSONDepth {
		return errors.New("the JSON body is nested too deeply")
	}
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	if text, is := token.(string); is && !storable(text) {
		return errors.New(field + notText)
	}
	open, isDelim := token.(json.Delim)
	if !isDelim {
		return nil
	}
	seen := map[string]bool{}
	for decoder.More() {
		if open == '{' {
			token, err := decoder.Token()
			if err != nil {
				return err
			}
			key, _ := token.(string)
			if seen[key] {
				return fmt.Errorf("key %q stands in the body twice", key)
			}
			seen[key] = true
			field = key
		}
		if err := refuseDoubles(decoder, field, depth+1); err != nil {
			return err
		}
	}
	_, err = decoder.Token() // the closing bracket
	return err
}
