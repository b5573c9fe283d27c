package dualcontrol

import (
	"context"

	"github.com/tradepost/tradepost/models/store"
)

// BarredPerson is a person whom an attestation of theirs bars from one of several releases.
type BarredPerson struct {
	Release int // its index
	Person  string
	Reason  string // as BarsOf has it
}

// BarredFrom returns every person whose own attestation bars them from one of several releases. It does not join accounts
// that reach one mailbox.
func BarredFrom(ctx context.Context, db *store.DB, releases []Release) ([]BarredPerson, error) {
	bars, err := barring(ctx, db, releases)
	if err != nil {
		return nil, err
	}
	barred := make([]BarredPerson, 0, len(bars))
	for _, b := range bars {
		barred = append(barred, BarredPerson{Release: b.N - 1, Person: b.By, Reason: store.ReasonOf(b.refusal())})
	}
	return barred, nil
}
