package people

import (
	"context"
	"fmt"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/store"
)

// EffectiveRoles is the subquery of the staff roles that can be used now, as (user_id, role). An account that is
// frozen, disabled or closed keeps its rows in user_roles and has no role: its roles are back once it is unfrozen.
// Whatever asks who may act, or counts staff, reads this instead of user_roles (TestRolesAreReadInOnePlace).
const EffectiveRoles = `(SELECT r.user_id, r.role FROM user_roles r JOIN users holder ON holder.id = r.user_id
		WHERE holder.frozen_at IS NULL AND holder.disabled_at IS NULL AND holder.closed_at IS NULL)`

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

// LockTeam locks the roles of all staff for the rest of the transaction: two changes of them are serialized.
func LockTeam(ctx context.Context, tx *store.DB) error {
	if err := tx.LockKey(ctx, "team"); err != nil {
		return fmt.Errorf("lock the team: %w", err)
	}
	return nil
}

// checkAdminRemains returns an error if the account that was just frozen was the last effective admin.
func checkAdminRemains(ctx context.Context, tx *store.DB, frozen string) error {
	var last bool
	err := tx.Row(ctx, "SELECT EXISTS (SELECT FROM user_roles WHERE user_id = $1 AND role = 'admin') AND NOT EXISTS (SELECT FROM "+EffectiveRoles+" r WHERE role = 'admin')", frozen).Scan(&last)
	if err != nil {
		return fmt.Errorf("read admins: %w", err)
	}
	if last {
		return store.Conflict("last_admin", "This is the last admin who isn't frozen. Add another admin first.")
	}
	return nil
}
