package stripe

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// Buckets: one a kind of object by id, and beside each an index by age.
const (
	sessions      = "stripe_sessions"
	intents       = "stripe_intents"
	charges       = "stripe_charges"
	methods       = "stripe_methods"
	refunds       = "stripe_refunds"
	disputes      = "stripe_disputes"
	customers     = "stripe_customers"
	events        = "stripe_events"
	transactions  = "stripe_transactions"
	keys          = "stripe_keys"    // idempotency keys
	due           = "stripe_due"     // what the clock will bring
	hidden        = "stripe_hidden"  // objects that reads miss until a time
	balances      = "stripe_balance" // by currency
	payouts       = "stripe_payouts"
	settings      = "stripe_settings" // "pricing" → pricing, "denied" → what a restricted key is not given
	hookEndpoints = "stripe_endpoints"
	byAge         = "_by_age"
)

// kinds names the object of an id's prefix.
var kinds = map[string]struct{ bucket, name string }{
	"cs":  {sessions, "checkout.session"},
	"pi":  {intents, "payment_intent"},
	"ch":  {charges, "charge"},
	"pm":  {methods, "PaymentMethod"},
	"re":  {refunds, "refund"},
	"dp":  {disputes, "dispute"},
	"cus": {customers, "customer"},
	"evt": {events, "event"},
	"txn": {transactions, "balance_transaction"},
	"po":  {payouts, "payout"},
	"we":  {hookEndpoints, "webhook_endpoint"},
}

// newID is the prefix and 24 unguessable characters.
func newID(prefix string) string {
	const letters = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	raw := make([]byte, 24)
	_, _ = rand.Read(raw)
	for i, b := range raw {
		raw[i] = letters[int(b)%len(letters)]
	}
	return prefix + "_" + string(raw)
}

// insert stores a new object and enters it in the index by age.
func insert(tx *sandbox.Tx, bucket, id string, doc any) error {
	n, err := tx.NextID(bucket + byAge)
	if err != nil {
		return err
	}
	if err := tx.Put(bucket+byAge, fmt.Sprintf("%012d", n), id); err != nil {
		return err
	}
	return tx.Put(bucket, id, doc)
}

// load reads the object or refuses with resource_missing.
func load[T any](tx *sandbox.Tx, bucket, param, id string) (*T, error) {
	doc := new(T)
	found, err := tx.Get(bucket, id, doc)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, missing(param, kindOf(bucket), id)
	}
	return doc, nil
}

func kindOf(bucket string) string {
	for _, kind := range kinds {
		if kind.bucket == bucket {
			return kind.name
		}
	}
	return "object"
}

var errEnough = errors.New("enough")

// newest calls fn with the objects of a bucket, newest first, until it answers
// false.
func newest[T any](tx *sandbox.Tx, bucket string, fn func(id string, doc *T) bool) error {
	err := tx.EachReverse(bucket+byAge, func(_ string, raw []byte) error {
		var id string
		if err := json.Unmarshal(raw, &id); err != nil {
			return err
		}
		doc := new(T)
		found, err := tx.Get(bucket, id, doc)
		if err != nil || !found {
			return err
		}
		if !fn(id, doc) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// schedule records that the object is due at the time.
func schedule(tx *sandbox.Tx, at time.Time, id string) error {
	return tx.Put(due, fmt.Sprintf("%012d/%s", at.Unix(), id), id)
}

// firstDue finds the earliest scheduled entry that is due; key stays empty when there is
// none.
func firstDue(tx *sandbox.Tx, now time.Time, key, id *string) error {
	until := fmt.Sprintf("%012d0", now.Unix()) // '0' sorts behind the '/' of a key
	err := tx.Each(due, "", func(k string, raw []byte) error {
		if k >= until {
			return errEnough
		}
		*key = k
		if err := json.Unmarshal(raw, id); err != nil {
			return err
		}
		return errEnough
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// hide makes reads miss the object until the time.
func hide(tx *sandbox.Tx, id string, until time.Time) error { return tx.Put(hidden, id, until) }

func isHidden(tx *sandbox.Tx, id string, now time.Time) (bool, error) {
	var until time.Time
	found, err := tx.Get(hidden, id, &until)
	return found && now.Before(until), err
}

// balance changes the account's balance in the currency.
func balance(tx *sandbox.Tx, currency string, change int64) error {
	var amount int64
	if _, err := tx.Get(balances, currency, &amount); err != nil {
		return err
	}
	return tx.Put(balances, currency, amount+change)
}

// shown is the object as Stripe shows it: a generic document without what the
// store adds.
func shown(doc any) (map[string]any, error) {
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	for name := range object {
		if strings.HasPrefix(name, "_") {
			delete(object, name)
		}
	}
	return object, nil
}

// include adds a list that Stripe shows only when it is expanded: the lines of a checkout
// page, the refunds of a charge.
func include(tx *sandbox.Tx, object map[string]any, name string) error {
	id, _ := object["id"].(string)
	var inner any
	switch kind, _ := object["object"].(string); kind + "." + name {
	case "checkout.session.line_items":
		cs, err := load[sessionDoc](tx, sessions, "session", id)
		if err != nil {
			return err
		}
		inner = cs.lines()
	case "charge.refunds":
		back, err := refundsOf(tx, id)
		if err != nil {
			return err
		}
		inner = back
	default:
		return nil
	}
	seen, err := shown(inner)
	object[name] = seen
	return err
}

// expand replaces the id at the path by its object, through lists too.
func expand(tx *sandbox.Tx, object map[string]any, path string) error {
	name, rest, deeper := strings.Cut(path, ".")
	if err := include(tx, object, name); err != nil {
		return err
	}
	value, known := object[name]
	if !known {
		return invalid("", "expand", "This property cannot be expanded (%s).", path)
	}
	switch v := value.(type) {
	case string:
		prefix, _, _ := strings.Cut(v, "_")
		kind, expandable := kinds[prefix]
		if !expandable {
			return invalid("", "expand", "This property cannot be expanded (%s).", path)
		}
		doc, err := load[json.RawMessage](tx, kind.bucket, name, v)
		if err != nil {
			return err
		}
		if object[name], err = shown(doc); err != nil {
			return err
		}
		if deeper {
			return expand(tx, object[name].(map[string]any), rest)
		}
	case map[string]any:
		if deeper {
			return expand(tx, v, rest)
		}
	case []any:
		for _, element := range v {
			if inner, ok := element.(map[string]any); ok && deeper {
				if err := expand(tx, inner, rest); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
