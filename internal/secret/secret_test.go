package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

const canary = "canary-4711"

func keysOf(t *testing.T, masters ...byte) *Keys {
	t.Helper()
	var all [][]byte
	for _, m := range masters {
		all = append(all, bytes.Repeat([]byte{m}, KeySize))
	}
	k, err := NewKeys(all...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestTextIsNeverPrinted(t *testing.T) {
	value := struct{ Key Text }{Text(canary)}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "key", value.Key, "all", value)
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "key", value.Key, "all", value)
	asJSON, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	printed := []string{log.String(), string(asJSON)}
	for _, verb := range []string{"%s", "%v", "%+v", "%#v", "%q", "%x", "%d"} {
		printed = append(printed, fmt.Sprintf(verb, value.Key), fmt.Sprintf(verb, value))
	}
	for _, text := range printed {
		if strings.Contains(text, canary) || strings.Contains(text, fmt.Sprintf("%x", canary)) {
			t.Errorf("the secret shows in %q", text)
		}
	}
	if value.Key.Reveal() != canary {
		t.Error("Reveal does not give the value")
	}
}

// A sealed value moved to another row, column or table does not open
// (bar 36, the part that is cryptography).
func TestBar36SealedValuesAreBoundToTheirPlace(t *testing.T) {
	k := keysOf(t, 1)
	home := Place{"gift_cards", "code", "7"}
	sealed, err := k.Seal(home, []byte(canary))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte(canary)) {
		t.Fatal("the sealed value holds the plain one")
	}
	if plain, err := k.Open(home, sealed); err != nil || string(plain) != canary {
		t.Fatalf("Open: %q, %v", plain, err)
	}
	for _, other := range []Place{{"gift_cards", "code", "8"}, {"gift_cards", "pin", "7"}, {"vouchers", "code", "7"}} {
		if _, err := k.Open(other, sealed); !errors.Is(err, ErrSealed) {
			t.Errorf("%+v: %v", other, err)
		}
	}
	for i := range sealed {
		altered := bytes.Clone(sealed)
		altered[i] ^= 1
		if _, err := k.Open(home, altered); !errors.Is(err, ErrSealed) {
			t.Fatalf("byte %d altered: %v: %s", i, err, asvs.Claim(t, "11.3.3"))
		}
	}
}

func TestRotationKeepsOldValuesReadable(t *testing.T) {
	before, after := keysOf(t, 1), keysOf(t, 2, 1)
	at := Place{"t", "c", "1"}
	sealed, err := before.Seal(at, []byte(canary))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := after.Open(at, sealed); err != nil || string(plain) != canary {
		t.Fatalf("Open after rotation: %q, %v: %s", plain, err, asvs.Claim(t, "11.2.2"))
	}
	if before.Stale(sealed) || !after.Stale(sealed) {
		t.Error("Stale does not tell the keys apart")
	}
	again, err := after.Seal(at, []byte(canary))
	if err != nil || after.Stale(again) {
		t.Errorf("sealed again: stale, or %v", err)
	}
	if _, err := keysOf(t, 2).Open(at, sealed); !errors.Is(err, ErrSealed) {
		t.Errorf("opened without its key: %v", err)
	}
	old, _ := before.Index("voucher", []byte("123"))
	all, err := after.Indexes("voucher", []byte("123"))
	if err != nil || len(all) != 2 || !bytes.Equal(all[1], old) {
		t.Errorf("the old index is not among %x (%v)", all, err)
	}
}

func TestIndexesTellOnlyEquality(t *testing.T) {
	k := keysOf(t, 1)
	index := func(k *Keys, domain, value string) string {
		out, err := k.Index(domain, []byte(value))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	base := index(k, "voucher", "123")
	if base != index(keysOf(t, 1), "voucher", "123") {
		t.Error("the same value has another index in another process")
	}
	for name, other := range map[string]string{
		"value": index(k, "voucher", "124"), "domain": index(k, "card", "123"),
		"key": index(keysOf(t, 2), "voucher", "123"), "split": index(k, "voucher:1", "23"),
	} {
		if other == base {
			t.Errorf("another %s has the same index", name)
		}
	}
}

func TestParseKeysNamesTheWrongOneWithoutShowingIt(t *testing.T) {
	good := "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	if _, err := ParseKeys(good + "," + strings.Replace(good, "AAEC", "BBEC", 1)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", canary, good + "," + canary, "AAEC"} {
		_, err := ParseKeys(bad)
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
