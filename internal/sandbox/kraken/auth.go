package kraken

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// account is one API key with its own balances, orders and counters.
type account struct {
	Name   string
	Key    string
	Secret []byte
}

// Sign is Kraken's API-Sign for a private call: base64 of
// HMAC-SHA512(secret, path ‖ SHA256(nonce ‖ body)).
func Sign(secret []byte, path, nonce string, body []byte) string {
	digest := sha256.New()
	digest.Write([]byte(nonce))
	digest.Write(body)
	mac := hmac.New(sha512.New, secret)
	mac.Write([]byte(path))
	mac.Write(digest.Sum(nil))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// params are the fields of a request, whatever its body's form.
type params map[string]string

// parseBody reads a form or a JSON object into params.
func parseBody(contentType string, body []byte) (params, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return params{}, nil
	}
	if strings.Contains(contentType, "json") || bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return parseJSON(body)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	return flatten(form), nil
}

func flatten(form url.Values) params {
	fields := params{}
	for name, values := range form {
		fields[name] = strings.Join(values, ",")
	}
	return fields
}

func parseJSON(body []byte) (params, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	fields := params{}
	for name, value := range object {
		if err := fields.set(name, value); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// set keeps a JSON value as a form would hold it: a list by commas, an object
// by brackets ("close[price]", "orders[0][price]").
func (f params) set(name string, value any) error {
	switch v := value.(type) {
	case []any:
		list := make([]string, 0, len(v))
		for i, one := range v {
			text, ok := scalar(one)
			if !ok {
				if err := f.set(name+"["+strconv.Itoa(i)+"]", one); err != nil {
					return err
				}
				continue
			}
			list = append(list, text)
		}
		if len(list) > 0 {
			f[name] = strings.Join(list, ",")
		}
		return nil
	case map[string]any:
		for key, one := range v {
			if err := f.set(name+"["+key+"]", one); err != nil {
				return err
			}
		}
		return nil
	case nil:
		return nil
	}
	text, ok := scalar(value)
	if !ok {
		return errors.New("no value")
	}
	f[name] = text
	return nil
}

func scalar(value any) (text string, ok bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// on reports whether a switch is set. Clients write booleans as true, True or 1, and a
// switch that is sent is on unless it is denied: a client that only validates must never
// find an order placed.
func (f params) on(name string) bool {
	switch strings.ToLower(f[name]) {
	case "", "0", "false", "no":
		return false
	}
	return true
}

// authenticate finds the account of the key and checks the signature over the
// body as it was sent, unless every key is accepted. It answers a Kraken error string, empty when all is well.
func (s *Simulator) authenticate(r *http.Request, body []byte) (account, params, string) {
	key := r.Header.Get("API-Key")
	who, known := s.accounts[key]
	if open := s.accounts[""]; !known && key != "" && open.Name != "" {
		who, known = account{Name: open.Name, Key: key}, true
	}
	if !known || key == "" {
		return account{}, nil, errInvalidKey
	}
	fields, err := parseBody(r.Header.Get("Content-Type"), body)
	if err != nil {
		return account{}, nil, errInvalidArguments
	}
	// A URL's query is signed with its path, and equals the body; a nonce can come as a
	// header. Kraken's own client for Go does both.
	for name, value := range flatten(r.URL.Query()) {
		if _, sent := fields[name]; !sent {
			fields[name] = value
		}
	}
	if _, sent := fields["nonce"]; !sent {
		fields["nonce"] = r.Header.Get("API-Nonce")
	}
	if who.Secret == nil {
		return who, fields, ""
	}
	expected := Sign(who.Secret, r.URL.RequestURI(), fields["nonce"], body)
	if !hmac.Equal([]byte(expected), []byte(r.Header.Get("API-Sign"))) {
		return account{}, nil, errInvalidSignature
	}
	return who, fields, ""
}

// takeNonce checks that the nonce is above all the key has used, and keeps it.
func takeNonce(tx *sandbox.Tx, who account, text string) (problem string, err error) {
	nonce, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errInvalidNonce, nil
	}
	var last uint64
	if _, err := tx.Get(bucketNonce, who.Key, &last); err != nil {
		return "", err
	}
	if nonce <= last {
		return errInvalidNonce, nil
	}
	return "", tx.Put(bucketNonce, who.Key, nonce)
}
