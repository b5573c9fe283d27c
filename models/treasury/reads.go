package treasury

import (
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// MoveFilter narrows a list of moves. Empty fields do not narrow.
type MoveFilter struct {
	Status MoveStatus
	Asset  money.Currency
}

// KnownMove is a move with the names of who proposed and decided it.
type KnownMove struct {
	Move     `gorm:"embedded"`
	Proposer string
	Decider  string
}

// ReadMove reads one move; NotFound when there is none.
func ReadMove(ctx context.Context, db *store.DB, id string) (*Move, error) {
	return store.RowByID[Move](ctx, db, id, "Move")
}

const knownMoves = `treasury_moves.*, coalesce(p.email, '') AS proposer, coalesce(d.email, '') AS decider`

// ReadKnownMove reads one move with who proposed and decided it.
func ReadKnownMove(ctx context.Context, db *store.DB, id string) (*KnownMove, error) {
	move, err := ReadMove(ctx, db, id)
	if err != nil {
		return nil, err
	}
	known := KnownMove{Move: *move}
	for _, who := range []struct {
		id   *string
		into *string
	}{{move.ProposedBy, &known.Proposer}, {move.DecidedBy, &known.Decider}} {
		if who.id == nil {
			continue
		}
		if err := db.ORM(ctx).Raw("SELECT email FROM users WHERE id = ?", *who.id).Row().Scan(who.into); err != nil {
			return nil, fmt.Errorf("read who decided: %w", err)
		}
	}
	return &known, nil
}

// Moves is one page of moves, newest first.
func Moves(ctx context.Context, db *store.DB, f MoveFilter, p store.Page) ([]KnownMove, *store.Cursor, error) {
	query := db.CustomPlans(ctx).Table("treasury_moves").Select(knownMoves).
		Joins("LEFT JOIN users p ON p.id = treasury_moves.proposed_by").Joins("LEFT JOIN users d ON d.id = treasury_moves.decided_by")
	if f.Status != "" {
		query = query.Where("treasury_moves.status = ?", f.Status)
	}
	if f.Asset != "" {
		query = query.Where("treasury_moves.asset = ?", f.Asset)
	}
	var rows []KnownMove
	if err := p.In(query, "treasury_moves").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read moves: %w", err)
	}
	rows, next := store.Cut(rows, p, func(m KnownMove) store.Cursor { return store.Cursor{At: m.CreatedAt, ID: m.ID} })
	return rows, next, nil
}

// CountMoves counts the moves that match a filter, without reading them.
func CountMoves(ctx context.Context, db *store.DB, f MoveFilter) (n int, err error) {
	facets, err := db.Tally(ctx, "treasury_moves", "")
	for _, t := range facets {
		asset, status, _ := strings.Cut(t.Facet, "/")
		if (f.Asset == "" || string(f.Asset) == asset) && (f.Status == "" || string(f.Status) == status) {
			n += t.N
		}
	}
	return n, err
}

// KnownMoveEvent is an event with the name of its actor.
type KnownMoveEvent struct {
	MoveEvent `gorm:"embedded"`
	Actor     string
}

// MoveTimeline reads a move's events from its beginning.
func MoveTimeline(ctx context.Context, db *store.DB, id string) ([]KnownMoveEvent, error) {
	var rows []KnownMoveEvent
	err := db.ORM(ctx).Table("treasury_move_events").Select("treasury_move_events.*, coalesce(u.email, '') AS actor").
		Joins("LEFT JOIN users u ON u.id = treasury_move_events.actor_id").Where("treasury_move_events.move_id = ?", id).
		Order("treasury_move_events.id").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the story of a move: %w", err)
	}
	return rows, nil
}
