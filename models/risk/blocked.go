package risk

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/store"
)

// Kinds of addresses that coin is not sent to: our own wallets', which a refusal names to the customer, and those on
// a list, which none does.
const (
	AddressOwn     = "own"
	AddressBlocked = "blocked"
)

// BlockedAddress is an address we do not send to. Key is the form addresses
// are compared in.
type BlockedAddress struct{ Network, Key string }

// AddressList is a list as a file holds it.
type AddressList struct {
	Source string // its name: importing under it again replaces it
	Kind   string
	Format string
	Digest string // SHA-256 of the file
	// Addresses are what we could send to; Refused counts the other entries.
	Addresses []BlockedAddress
	Refused   int
}

// ListVersion is an import of a list: what it changed, by whom.
type ListVersion struct {
	ID                                       string `gorm:"primaryKey"`
	Source                                   string
	Version                                  int
	Kind                                     string
	Format                                   string
	SHA256                                   string `gorm:"column:sha256"`
	Held, Added, Removed, Unchanged, Refused int
	ImportedBy                               *string
	Reason                                   string
	CreatedAt                                time.Time `gorm:"default:clock_now()"`
}

// TableName implements GORM's Tabler.
func (ListVersion) TableName() string { return "address_lists" }

// ListImport says how a list is imported.
type ListImport struct {
	// Preview changes nothing, and answers what would change.
	Preview bool
	// Seen is the version whose preview was read; nil skips the check.
	Seen *int
	By   store.Actor
}

// ImportAddresses makes a list hold exactly these addresses: new ones are added, those no longer on it removed, which
// needs two people. The same list again is no new version.
func ImportAddresses(ctx context.Context, db *store.DB, list AddressList, in ListImport) (*ListVersion, error) {
	if len(list.Addresses) == 0 {
		return nil, store.Invalid("file", "no_addresses", "The file has no address on a network we use. The list was not changed.")
	}
	var next ListVersion
	waits := false
	err := db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockKey(ctx, "blocked:"+list.Source); err != nil {
			return fmt.Errorf("lock list: %w", err)
		}
		last, err := lastVersion(ctx, tx, list.Source)
		if err != nil {
			return err
		}
		if in.Seen != nil && *in.Seen != last.Version {
			return store.Conflict("list_changed", "Someone else has imported this list. Check the preview again.")
		}
		if last.Version > 0 && last.Kind != list.Kind {
			return store.Conflict("list_kind", "A list with this name exists for other addresses. Choose another name.")
		}
		if next, err = compare(ctx, tx, list); err != nil || in.Preview {
			next.Version = last.Version
			return err
		}
		if last.Version > 0 && next.Added == 0 && next.Removed == 0 {
			next = last
			next.Added, next.Removed, next.Unchanged = 0, 0, last.Held
			return nil
		}
		next.ID, next.Version, next.Reason = store.NewID(), last.Version+1, in.By.Reason
		if waits, err = listWaits(ctx, tx, &next, in.By); waits || err != nil {
			return err
		}
		return replaceList(ctx, tx, list, &next, in.By)
	})
	if err == nil && waits {
		err = errLoosens
	}
	return &next, err
}

// listWaits reports whether a list that loses addresses waits for a second person; an import by the operator's
// command, which has no actor, does not.
func listWaits(ctx context.Context, db *store.DB, next *ListVersion, by store.Actor) (bool, error) {
	thing := "list " + next.Source
	if next.Removed > 0 && by.ActorID != "" {
		agreed, err := agreed(ctx, db, loosening{thing, fmt.Sprint(next.Version, " ", next.SHA256), by})
		if !agreed || err != nil {
			return true, err
		}
	}
	return false, changed(ctx, db, thing)
}

func lastVersion(ctx context.Context, db *store.DB, source string) (last ListVersion, err error) {
	err = db.ORM(ctx).Where("source = ?", source).Order("version DESC").Limit(1).Find(&last).Error
	if err != nil {
		return ListVersion{}, fmt.Errorf("read list: %w", err)
	}
	return last, nil
}

// columns are the addresses as two arrays, for unnest.
func (l *AddressList) columns() map[string]any {
	var networks, keys pq.StringArray
	for _, a := range l.Addresses {
		networks, keys = append(networks, a.Network), append(keys, a.Key)
	}
	return map[string]any{"networks": networks, "keys": keys, "source": l.Source, "kind": l.Kind}
}

// given are the addresses of columns as a table.
const given = `given AS (SELECT DISTINCT * FROM unnest(CAST(@networks AS text[]), CAST(@keys AS text[])) AS g (network, address_key))`

// compare says what importing a list would change.
func compare(ctx context.Context, db *store.DB, list AddressList) (ListVersion, error) {
	out := ListVersion{Source: list.Source, Kind: list.Kind, Format: list.Format, SHA256: list.Digest, Refused: list.Refused}
	var have int
	err := db.ORM(ctx).Raw(`WITH `+given+` SELECT (SELECT count(*) FROM given),
		(SELECT count(*) FROM given JOIN blocked_addresses USING (network, address_key) WHERE source = @source),
		(SELECT count(*) FROM blocked_addresses WHERE source = @source)`, list.columns()).Row().Scan(&out.Held, &out.Unchanged, &have)
	if err != nil {
		return ListVersion{}, fmt.Errorf("compare list: %w", err)
	}
	out.Added, out.Removed = out.Held-out.Unchanged, have-out.Unchanged
	return out, nil
}

func replaceList(ctx context.Context, db *store.DB, list AddressList, next *ListVersion, by store.Actor) error {
	if by.ActorID != "" {
		next.ImportedBy = &by.ActorID
	}
	for _, statement := range []string{
		`WITH ` + given + ` DELETE FROM blocked_addresses b WHERE source = @source AND kind = @kind
			AND NOT EXISTS (SELECT FROM given g WHERE g.network = b.network AND g.address_key = b.address_key)`,
		`WITH ` + given + ` INSERT INTO blocked_addresses (network, address_key, kind, source) SELECT network, address_key, @kind, @source FROM given ON CONFLICT DO NOTHING`,
	} {
		if err := db.ORM(ctx).Exec(statement, list.columns()).Error; err != nil {
			return fmt.Errorf("replace list: %w", err)
		}
	}
	if err := db.ORM(ctx).Create(next).Error; err != nil {
		return fmt.Errorf("store list: %w", err)
	}
	role := by.ActorRole
	if role == "" {
		role = "system"
	}
	return audit.Audit(ctx, db, audit.AuditEntry{ActorID: by.ActorID, ActorRole: role, Action: "addresses.import", ObjectKind: "address_list", ObjectID: list.Source,
		Before: map[string]any{"version": next.Version - 1, "addresses": next.Unchanged + next.Removed},
		After:  map[string]any{"version": next.Version, "addresses": next.Held, "added": next.Added, "removed": next.Removed, "refused": next.Refused, "sha256": next.SHA256},
		Reason: by.Reason, RequestID: by.RequestID})
}

// ListVersionView is an import with its actor; without one it is the command's.
type ListVersionView struct {
	ListVersion `gorm:"embedded"`
	ActorEmail  *string
}

// latestImports is how many imports a page shows.
const latestImports = 50

// AddressLists are the latest imports, and how many addresses each list holds.
func AddressLists(ctx context.Context, db *store.DB) (imports []ListVersionView, holds map[string]int, err error) {
	err = db.ORM(ctx).Raw(`SELECT l.*, u.email AS actor_email FROM address_lists l LEFT JOIN users u ON u.id = l.imported_by
		ORDER BY l.created_at DESC, l.id DESC LIMIT ?`, latestImports).Scan(&imports).Error
	if err != nil {
		return nil, nil, fmt.Errorf("read imports: %w", err)
	}
	var rows []struct {
		Source string
		N      int
	}
	if err := db.ORM(ctx).Raw("SELECT source, count(*) AS n FROM blocked_addresses GROUP BY source").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("count blocked addresses: %w", err)
	}
	holds = map[string]int{}
	for _, row := range rows {
		holds[row.Source] = row.N
	}
	return imports, holds, nil
}

// ListQuery gives what lists say of an address of a network, as a row.
func ListQuery(network, key string) string {
	return "SELECT kind, added_at FROM blocked_addresses WHERE network = " + network + " AND address_key = " + key + " ORDER BY kind DESC, added_at DESC LIMIT 1"
}

// Listing is what lists say of an address: its kind, "" when it is on none, and since when. Our own takes precedence.
func Listing(ctx context.Context, db *store.DB, network, key string) (kind string, since time.Time, err error) {
	var row struct {
		Kind    string
		AddedAt time.Time
	}
	err = db.ORM(ctx).Raw(ListQuery("?", "?"), network, key).Scan(&row).Error
	if err != nil {
		return "", time.Time{}, fmt.Errorf("read blocked addresses: %w", err)
	}
	return row.Kind, row.AddedAt, nil
}

// ErrOwnAddress refuses a destination of our own.
var ErrOwnAddress = store.Invalid("destAddress", "own_address", "This is one of our own addresses. Enter your own wallet address.")

// RefuseOwn refuses our own addresses. One on a list is not refused: the customer does not learn of the list, and the
// order waits for compliance.
func RefuseOwn(ctx context.Context, db *store.DB, network, key string) error {
	kind, _, err := Listing(ctx, db, network, key)
	if kind == AddressOwn {
		return ErrOwnAddress
	}
	return err
}

// RefuseAddress refuses our own addresses and those on lists, to staff.
func RefuseAddress(ctx context.Context, db *store.DB, network, key string) error {
	kind, _, err := Listing(ctx, db, network, key)
	if kind == AddressBlocked {
		return store.Invalid("destAddress", "blocked_address", "We can't send to this address. Enter another one.")
	}
	if kind == AddressOwn {
		return RefuseOwn(ctx, db, network, key)
	}
	return err
}

// ListOwnAddress puts an address of one of our wallets, by its key, on the list of those
// that nothing is sent to.
func ListOwnAddress(ctx context.Context, db *store.DB, network, key string) error {
	err := db.ORM(ctx).Exec("INSERT INTO blocked_addresses (network, address_key, kind, source) VALUES (?, ?, 'own', 'custody') ON CONFLICT DO NOTHING",
		network, key).Error
	if err != nil {
		return fmt.Errorf("list own address: %w", err)
	}
	return nil
}
