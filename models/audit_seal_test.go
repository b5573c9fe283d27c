package models_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/audit"
)

// noted writes a line of the audit log and seals it, once nothing earlier can still appear.
func (s *shop) noted(action string, with audit.Sealing) audit.AuditSeal {
	s.Helper()
	var line int64
	require.NoError(s, s.db.Pool().QueryRow(s.Context(), `INSERT INTO audit_log (actor_role, action, object_kind, object_id) VALUES ('admin', $1, 'order', 'x') RETURNING id`, action).Scan(&line))
	var last audit.AuditSeal
	require.Eventually(s, func() bool {
		require.NoError(s, audit.SealAudit(s.Context(), s.db, with))
		var err error
		last, err = audit.LastSeal(s.Context(), s.db)
		return err == nil && last.ThroughID >= line
	}, time.Minute, 10*time.Millisecond)
	return last
}

// verified is up to which line the audit log is as sealed, and the line of the seal that does not hold; 0 where all do.
func (s *shop) verified(keys [][]byte) (through, broken int64) {
	s.Helper()
	through, seal, err := audit.VerifyAudit(s.Context(), s.db, keys)
	require.NoError(s, err)
	if seal != nil {
		broken = seal.ThroughID
	}
	return through, broken
}

// rehash does as the database's owner what seals without a key could not prevent: it changes a line and hashes all anew.
func (s *shop) rehash(t *testing.T, mac string) {
	t.Helper()
	for _, sql := range []string{"ALTER TABLE audit_log DISABLE TRIGGER append_only", "ALTER TABLE audit_seals DISABLE TRIGGER append_only",
		"UPDATE audit_log SET action = 'nothing' WHERE id = (SELECT min(id) FROM audit_log)",
		`DO $$ DECLARE s record; before bytea := ''; last bigint := 0; BEGIN
			FOR s IN SELECT * FROM audit_seals ORDER BY through_id LOOP
				before := sha256(before || convert_to(coalesce((SELECT string_agg(audit_line(a), chr(10) ORDER BY a.id) FROM audit_log a WHERE a.id > last AND a.id <= s.through_id), ''), 'UTF8'));
				UPDATE audit_seals SET hash = before, mac = ` + mac + ` WHERE through_id = s.through_id;
				last := s.through_id;
			END LOOP; END $$`} {
		_, err := s.asOwner(t).Exec(t.Context(), sql)
		require.NoError(t, err)
	}
}

// The database's owner can change a line and hash all anew, and every hash holds; without the key no MAC does, and leaving
// the MACs out is found as well.
func TestOwnerWhoHashesAllAnewIsFound(t *testing.T) {
	for name, mac := range map[string]string{"with the old MACs": "mac", "without MACs": "NULL", "with a MAC of another key": "sha256(hash)"} {
		t.Run(name, func(t *testing.T) {
			s := openShop(t)
			first := s.noted("customer.frozen", sealing)
			last := s.noted("customer.unfrozen", sealing)
			through, broken := s.verified(sealing.Keys)
			require.Equal(t, []int64{last.ThroughID, 0}, []int64{through, broken})
			s.rehash(t, mac)
			through, broken = s.verified(nil)
			require.Equal(t, []int64{last.ThroughID, 0}, []int64{through, broken}, "the hashes hold")
			_, broken = s.verified(sealing.Keys)
			require.Contains(t, []int64{first.ThroughID, last.ThroughID}, broken)
			same, err := audit.VerifyCopy(t.Context(), s.db, last)
			require.NoError(t, err)
			require.False(t, same, "a copy kept elsewhere differs")
		})
	}
}

// Seals of releases without a key hold as long as a keyed one follows, and none without a MAC follows that.
func TestSealsWithoutAKeyHoldBeforeTheFirstKeyedOne(t *testing.T) {
	s := openShop(t)
	old := s.noted("old", audit.Sealing{})
	_, broken := s.verified(sealing.Keys)
	require.Equal(t, old.ThroughID, broken, "nothing after it has a MAC")
	earlier := s.noted("keyed", sealing)
	_, broken = s.verified(sealing.Keys)
	require.Zero(t, broken)
	rotated := [][]byte{[]byte("another key, of the next year"), sealing.Keys[0]}
	s.noted("with the next key", audit.Sealing{Keys: rotated})
	_, broken = s.verified(rotated)
	require.Zero(t, broken)
	_, broken = s.verified(rotated[:1])
	require.Equal(t, earlier.ThroughID, broken)
	unkeyed := s.noted("without", audit.Sealing{})
	_, broken = s.verified(rotated)
	require.Equal(t, unkeyed.ThroughID, broken)
}

// A seal is stored once its copy is kept: one that cannot be kept is made again, and the copy of one that was never stored
// is no break.
func TestSealIsStoredOnceItsCopyIsKept(t *testing.T) {
	s := openShop(t)
	first := s.noted("first", sealing)
	var copies []audit.AuditSeal
	away := audit.Sealing{Keys: sealing.Keys, Keep: func(_ context.Context, seal audit.AuditSeal) error {
		copies = append(copies, seal)
		return errors.New("the bucket is away")
	}}
	s.exec(`INSERT INTO audit_log (actor_role, action, object_kind, object_id) VALUES ('admin', 'second', 'order', 'x')`)
	require.Eventually(t, func() bool { return audit.SealAudit(t.Context(), s.db, away) != nil }, time.Minute, 10*time.Millisecond)
	last, err := audit.LastSeal(t.Context(), s.db)
	require.NoError(t, err)
	require.Equal(t, first.ThroughID, last.ThroughID)
	s.noted("third", sealing)
	same, err := audit.VerifyCopy(t.Context(), s.db, copies[0])
	require.NoError(t, err)
	require.True(t, same)
}
