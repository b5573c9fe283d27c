package sandbox

import (
	"encoding/json"
	"strings"
)

// Effects counts what really happened, per provider, operation and order.
type Effects struct{ store *Store }

// Effect is one count.
type Effect struct {
	Provider  string `json:"provider"`
	Operation string `json:"operation"`
	Subject   string `json:"subject"`
	Count     int    `json:"count"`
}

// Count adds one, in the transaction that makes the effect.
func (e *Effects) Count(tx *Tx, provider, operation, subject string) error {
	key := provider + "/" + operation + "/" + subject
	effect := Effect{Provider: provider, Operation: operation, Subject: subject}
	if _, err := tx.Get("effects", key, &effect); err != nil {
		return err
	}
	effect.Count++
	return tx.Put("effects", key, effect)
}

// List answers the counts whose subject contains the marker; all when empty.
func (e *Effects) List(marker string) ([]Effect, error) {
	effects := []Effect{}
	err := e.store.View(func(tx *Tx) error {
		return tx.Each("effects", "", func(_ string, raw []byte) error {
			var effect Effect
			if err := json.Unmarshal(raw, &effect); err != nil {
				return err
			}
			if strings.Contains(effect.Subject, marker) {
				effects = append(effects, effect)
			}
			return nil
		})
	})
	return effects, err
}
