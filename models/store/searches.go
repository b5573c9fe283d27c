package store

import (
	"fmt"
	"sync"
	"time"
)

// A search is counted by reading what it finds. That is quick for usual searches (an id, a reference, an address);
// for a text that a great part of all orders holds it is not, so such a count is kept for a short while.
const (
	searchPatience = 20 * time.Millisecond // a count that lasted longer is kept
	searchLifetime = 10 * time.Second      // for so long
	searchesKept   = 256
)

// searches keeps the counts of slow searches.
type searches struct {
	mu   sync.Mutex
	kept map[searched]counted
}

// searched is what was searched for; status and other filters are applied to its counts.
type searched struct{ list, userID, query string }

type counted struct {
	facets []Tallied
	until  time.Time
}

// CountSearch counts what a search finds, by facet; read does so by reading it.
func (db *DB) CountSearch(list, owner, query string, read func(facets *[]Tallied) error) ([]Tallied, error) {
	return db.searches.count(searched{list, owner, query}, read)
}

func (s *searches) count(key searched, read func(facets *[]Tallied) error) ([]Tallied, error) {
	s.mu.Lock()
	earlier, known := s.kept[key]
	s.mu.Unlock()
	begin := time.Now()
	if known && begin.Before(earlier.until) {
		return earlier.facets, nil
	}
	var facets []Tallied
	if err := read(&facets); err != nil {
		return nil, fmt.Errorf("count search: %w", err)
	}
	if now := time.Now(); now.Sub(begin) > searchPatience {
		s.keep(key, counted{facets, now.Add(searchLifetime)})
	}
	return facets, nil
}

func (s *searches) keep(key searched, c counted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept) >= searchesKept {
		s.kept = map[searched]counted{}
	}
	s.kept[key] = c
}
