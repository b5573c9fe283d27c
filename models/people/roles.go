package people

import (
	"context"
	"fmt"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/store"
)

// Grant gives a user a role, and reports whether they did not have it.
func Grant(ctx context.Context, db *store.DB, userID, role, by string) (added bool, err error) {
	result := db.ORM(ctx).Exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, userID, role, by)
	if result.Error != nil {
		return false, fmt.Errorf("grant role: %w", result.Error)
	}
	return result.RowsAffected > 0, nil
}

// SetRoles gives and removes roles until a user has exactly these.
func SetRoles(ctx context.Context, tx *store.DB, userID string, roles []string, by string) error {
	err := tx.ORM(ctx).Exec("DELETE FROM user_roles WHERE user_id = ? AND role <> ALL(?)", userID, pq.StringArray(roles)).Error
	for _, role := range roles {
		if err == nil {
			err = tx.ORM(ctx).Exec("INSERT INTO user_roles (user_id, role, granted_by) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", userID, role, by).Error
		}
	}
	if err != nil {
		return fmt.Errorf("store roles: %w", err)
	}
	return nil
}
