package store

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Role is the role of a process in Postgres. The roles are made by whoever may make roles (deploy/postgres/roles.sh);
// Migrate grants to them what Grants lists.
type Role string

// The roles of the API, of the four workers, and of the commands that an operator runs.
const (
	API      Role = "tradepost_api"
	Core     Role = "tradepost_core"
	Payments Role = "tradepost_payments"
	Exchange Role = "tradepost_exchange"
	Custody  Role = "tradepost_custody"
	Operator Role = "tradepost_operator"
)

// Roles are the roles of all processes.
var Roles = []Role{API, Core, Payments, Exchange, Custody, Operator}

// postingRights are those to the ledger's lines: all columns but who wrote one, which Postgres fills in.
const postingRights = "INSERT (group_key, line, event, order_id, gift_card_id, matter, matter_id, from_account, to_account, currency, amount)"

// Grants is what each process writes, by table: what its code reaches, and no more. A process that only locks the rows
// of a table has one column of it, since Postgres asks for that.
var Grants = map[string]map[Role]string{
	"account_closures": {API: "INSERT, UPDATE", Core: "UPDATE"},
	"account_rollups":  {Core: "INSERT, UPDATE"},
	"accounts":         {API: "INSERT", Core: "INSERT", Payments: "INSERT", Custody: "INSERT"},
	"address_lists":    {API: "INSERT", Operator: "INSERT"},
	"alert_calls":      {API: "INSERT", Core: "INSERT, UPDATE (next_try_at, attempts, last_error, sent_at, given_up_at), DELETE"},
	"alerts": {
		API:  "INSERT, UPDATE (count, since, gone_at, closed_at, about, acknowledged_at, acknowledged_by, acknowledged_note)",
		Core: "INSERT, UPDATE (count, since, gone_at, closed_at, about)",
	},
	"attestations": {
		API:      "INSERT, UPDATE (second_by, second_at, withdrawn_at, credited_at)",
		Core:     "INSERT, UPDATE (second_by, second_at, withdrawn_at, credited_at)",
		Payments: "UPDATE (withdrawn_at, credited_at)",
		Exchange: "UPDATE (second_by, second_at, withdrawn_at, credited_at)",
		Custody:  "UPDATE (second_by, second_at, withdrawn_at, credited_at)",
	},
	"audit_log":         {API: "INSERT", Core: "INSERT", Operator: "INSERT"},
	"audit_seals":       {Core: "INSERT"},
	"backup_codes":      {API: "INSERT, UPDATE (used_at), DELETE", Core: "DELETE"},
	"blocked_addresses": {API: "INSERT, DELETE", Custody: "INSERT", Operator: "INSERT, DELETE"},
	"chores":            {Core: "INSERT, UPDATE"},
	"coin_offers": {
		API:      "INSERT, UPDATE (status, refund_sequence, ended_at)",
		Core:     "UPDATE (status, refund_sequence, ended_at)",
		Payments: "UPDATE (status, refund_sequence, ended_at)",
		Custody:  "UPDATE (status, refund_sequence, ended_at)",
	},
	"confirmed_addresses": {API: "INSERT", Core: "DELETE"},
	"consents":            {API: "INSERT", Core: "UPDATE (address_prefix)"},
	"country_pricing":     {API: "INSERT, UPDATE, DELETE"},
	"customer_notes":      {API: "INSERT", Core: "UPDATE (body, erased_at)"},
	"daily_prices":        {Exchange: "INSERT, UPDATE (ask, source, pair, read_at)"},
	"data_exports":        {API: "INSERT, UPDATE", Core: "UPDATE"},
	"decisions": {
		API:      "INSERT, UPDATE (delivered_at, settled_at, outcome, outcome_code)",
		Core:     "INSERT, UPDATE (delivered_at, settled_at, outcome, outcome_code)",
		Payments: "UPDATE (delivered_at, settled_at, outcome, outcome_code)",
		Custody:  "UPDATE (delivered_at, settled_at, outcome, outcome_code)",
	},
	"devices":         {API: "INSERT, UPDATE", Core: "DELETE"},
	"disputes":        {API: "UPDATE", Core: "UPDATE", Payments: "INSERT, UPDATE", Custody: "UPDATE"},
	"earned_rewards":  {Core: "UPDATE"},
	"evidence":        {API: "INSERT, UPDATE", Core: "UPDATE", Payments: "UPDATE"},
	"exchange_orders": {Exchange: "INSERT, UPDATE"},
	"gift_card_decisions": {
		API:  "INSERT, UPDATE (delivered_at, settled_at, outcome_code)",
		Core: "UPDATE (delivered_at, settled_at, outcome_code)",
	},
	"gift_card_claims": {
		API:  "INSERT, UPDATE (reversed_at, reversal_reason, returned, returned_reference)",
		Core: "UPDATE (reason, reversal_reason)",
	},
	"gift_card_events": {API: "INSERT", Core: "INSERT"},
	"gift_card_images": {API: "INSERT, UPDATE (purged_at, erased_at, sealed_with)", Core: "UPDATE (purged_at, erased_at)"},
	"gift_cards":       {API: "INSERT, UPDATE", Core: "UPDATE"},
	"held_addresses":   {API: "INSERT, DELETE", Core: "UPDATE, DELETE"},
	"histories":        {Core: "INSERT, DELETE"},
	"histories_due":    {Core: "UPDATE, DELETE"},
	"idempotency_keys": {API: "INSERT, UPDATE, DELETE", Core: "DELETE"},
	"kyc_proposals": {
		API:  "INSERT, UPDATE (status, decided_by, decided_at, answer, decision_id)",
		Core: "UPDATE (reason, labels, answer, status, decided_at)",
	},
	"kyc_records":              {API: "INSERT, UPDATE", Core: "INSERT, UPDATE"},
	"ledger_snapshot_balances": {Core: "INSERT"},
	"ledger_snapshots":         {Core: "INSERT"},
	"login_attempts":           {API: "INSERT, UPDATE, DELETE"},
	"mailed_links":             {API: "INSERT, UPDATE (used_at), DELETE", Core: "UPDATE (token_hashes), DELETE"},
	"mails": {
		API:      "INSERT, UPDATE (next_try_at, attempts, last_error, sent_at, given_up_at, to_address)",
		Core:     "INSERT, UPDATE (next_try_at, attempts, last_error, sent_at, given_up_at, to_address), DELETE",
		Payments: "INSERT, UPDATE (next_try_at, attempts, last_error, sent_at, given_up_at, to_address)",
		Exchange: "INSERT, UPDATE (next_try_at, attempts, last_error, sent_at, given_up_at, to_address)",
		Custody:  "INSERT, UPDATE (next_try_at, attempts, last_error, sent_at, given_up_at, to_address)",
	},
	"markets": {Exchange: "INSERT, UPDATE"},
	"matter_decisions": {
		API:     "INSERT, UPDATE (delivered_at, settled_at, outcome_code)",
		Core:    "UPDATE (delivered_at, settled_at, outcome_code)",
		Custody: "UPDATE (delivered_at, settled_at, outcome_code)",
	},
	"matter_events":   {API: "INSERT", Core: "INSERT", Payments: "INSERT", Exchange: "INSERT", Custody: "INSERT"},
	"money_documents": {API: "INSERT, UPDATE (sealed_with)"},
	"money_proposals": {API: "INSERT, UPDATE (status, decided_by, decided_at, answer)"},
	"order_events":    {API: "INSERT", Core: "INSERT", Payments: "INSERT", Exchange: "INSERT", Custody: "INSERT"},
	"order_notes":     {API: "INSERT", Core: "UPDATE (body, erased_at)"},
	"order_proposals": {
		API:      "INSERT, UPDATE (status, decided_by, decided_at, answer, decision_id)",
		Core:     "UPDATE (status, decided_by, decided_at, answer, decision_id)",
		Payments: "UPDATE (status, decided_by, decided_at, answer, decision_id)",
		Exchange: "UPDATE (status, decided_by, decided_at, answer, decision_id)",
		Custody:  "UPDATE (status, decided_by, decided_at, answer, decision_id)",
	},
	"orders": {
		API:      "INSERT, UPDATE (status, resolution, attention_reason, attention_since, attention_choices, held, payment_due_at, failed_step, retry_count, last_error, last_error_at, next_attempt_at, workflow_started_at, swept_at, updated_at, paid_at, closed_at, choice_reason, choice_due_at, kept_from, kept_until, try_next_at, refunded, reduced, offer_until, amount, base_price, payment_fee, volume_discount, under_review, risk_score, risk_reasons, moved_at)",
		Core:     "UPDATE",
		Payments: "UPDATE",
		Exchange: "UPDATE",
		Custody:  "UPDATE",
		Operator: "UPDATE",
	},
	"payment_methods": {API: "INSERT, UPDATE"},
	"payments": {
		API:      "INSERT, UPDATE (admin_approval_status, submitted_at, checkout_generation, checkout_started_at, checkout_id, checkout_url, checkout_expires_at, stripe_payment_intent_id, authorised_at, capture_before, card_brand, card_last4, decline_code, declines, captured_at, received_amount, received_on, bank_reference, decided_by, decided_at, decline_reason, updated_at, card_fingerprint, decline_charge)",
		Core:     "UPDATE",
		Payments: "UPDATE",
		Exchange: "UPDATE (updated_at)",
		Custody:  "UPDATE (updated_at)",
	},
	"payouts": {
		API:      "INSERT, UPDATE (status, confirm_by, first_approved_by, first_approved_at, restored_at, wake_at, updated_at)",
		Core:     "UPDATE",
		Operator: "UPDATE (restored_at)",
	},
	"pending_grants":   {API: "DELETE", Operator: "INSERT"},
	"polls":            {Payments: "INSERT, UPDATE", Exchange: "INSERT, UPDATE", Custody: "INSERT, UPDATE"},
	"postings":         {API: postingRights, Core: postingRights, Payments: postingRights, Exchange: postingRights, Custody: postingRights, Operator: postingRights},
	"preferences":      {API: "INSERT, UPDATE", Core: "UPDATE"},
	"price_points":     {Exchange: "INSERT, DELETE"},
	"pricing_versions": {API: "INSERT"},
	"provider_answers": {Core: "INSERT, UPDATE", Payments: "INSERT, UPDATE", Exchange: "INSERT, UPDATE", Custody: "INSERT, UPDATE"},
	"rate_limits":      {API: "INSERT, UPDATE, DELETE"},
	"recalls":          {API: "INSERT, UPDATE (reinstated_at, reinstated_on, reinstated_reference)"},
	"receipt_returns": {
		API:     "INSERT, UPDATE (borne_by, reinstated_at, reinstated_on, reinstated_reference)",
		Core:    "UPDATE (borne_by, reinstated_at, reinstated_on, reinstated_reference)",
		Custody: "UPDATE (borne_by, reinstated_at, reinstated_on, reinstated_reference)",
	},
	"receipts": {API: "INSERT, UPDATE (reversed_at)", Core: "INSERT"},
	"reconciled_effects": {
		API:      "UPDATE (last_at)",
		Core:     "INSERT, UPDATE (booked, told, network, last_at, order_id, matter, matter_id)",
		Payments: "INSERT, UPDATE (booked, told, network, last_at, order_id, matter, matter_id)",
		Exchange: "INSERT, UPDATE (booked, told, network, last_at, order_id, matter, matter_id)",
		Custody:  "INSERT, UPDATE (booked, told, network, last_at, order_id, matter, matter_id)",
	},
	"reconciliation_breaks": {
		API:  "UPDATE (booked, told, wanted_account, wanted_reason, wanted_by, wanted_at, closed_at, outcome, account, reason, closed_by, proposed_by)",
		Core: "INSERT, UPDATE (booked, told, wanted_account, wanted_reason, wanted_by, wanted_at, closed_at, outcome, account, reason, closed_by, proposed_by)",
	},
	"reconciliation_progress": {Core: "UPDATE"},
	"refunds":                 {API: "INSERT, UPDATE", Core: "INSERT, UPDATE", Payments: "INSERT, UPDATE", Custody: "UPDATE"},
	"restores":                {Operator: "INSERT"},
	"rewards":                 {API: "INSERT, UPDATE", Core: "UPDATE", Payments: "UPDATE", Custody: "UPDATE"},
	"risk_loosenings":         {API: "INSERT, UPDATE, DELETE", Operator: "INSERT, UPDATE, DELETE"},
	"risk_reviews":            {API: "INSERT, UPDATE", Core: "INSERT, UPDATE", Payments: "INSERT, UPDATE", Exchange: "INSERT, UPDATE", Custody: "INSERT, UPDATE"},
	"risk_rules":              {API: "UPDATE"},
	"role_proposals": {
		API:  "INSERT, UPDATE (reason, status, decided_by, decided_at, answer)",
		Core: "UPDATE (reason, status, decided_by, decided_at, answer)",
	},
	"second_factors": {API: "INSERT, UPDATE", Core: "INSERT, UPDATE"},
	"sessions":       {API: "INSERT, UPDATE, DELETE", Core: "UPDATE"},
	"statement_lines": {
		API:      "UPDATE (amount, kind, key, state, settled, txid, replaces, read_at, rest)",
		Core:     "UPDATE (amount, kind, key, state, settled, txid, replaces, read_at, rest)",
		Payments: "INSERT, UPDATE (amount, kind, key, state, settled, txid, replaces, read_at, rest)",
		Exchange: "INSERT, UPDATE (amount, kind, key, state, settled, txid, replaces, read_at, rest)",
		Custody:  "INSERT, UPDATE (amount, kind, key, state, settled, txid, replaces, read_at, rest)",
	},
	"statement_rests": {Payments: "INSERT, UPDATE", Exchange: "INSERT, UPDATE", Custody: "INSERT, UPDATE"},
	"stranded_credits": {
		API:      "INSERT, UPDATE (first_by, first_at, bank_reference, reason, paid_by, paid_at, taken, taken_at, restored_at)",
		Core:     "INSERT, UPDATE (first_by, first_at, bank_reference, reason, paid_by, paid_at, taken, taken_at)",
		Payments: "INSERT, UPDATE (first_by, first_at, bank_reference, reason, paid_by, paid_at, taken, taken_at)",
		Custody:  "INSERT, UPDATE (first_by, first_at, bank_reference, reason, paid_by, paid_at, taken, taken_at)",
		Operator: "UPDATE (restored_at)",
	},
	"surpluses": {
		API:      "INSERT, UPDATE (amount, chosen, chosen_at, outcome, unplaced_id, settled_at)",
		Core:     "INSERT, UPDATE (amount, chosen, chosen_at, outcome, unplaced_id, settled_at)",
		Operator: "UPDATE (staff_only)",
	},
	"switches":             {API: "INSERT, UPDATE", Operator: "INSERT, UPDATE"},
	"ticket_messages":      {API: "INSERT", Core: "UPDATE (body, erased_at)"},
	"ticket_notes":         {API: "INSERT", Core: "UPDATE (body, erased_at)"},
	"tickets":              {API: "INSERT, UPDATE", Core: "UPDATE"},
	"treasury_history":     {API: "DELETE", Payments: "INSERT", Exchange: "INSERT", Custody: "INSERT"},
	"treasury_move_events": {API: "INSERT", Core: "INSERT", Exchange: "INSERT", Custody: "INSERT"},
	"treasury_moves": {
		API:      "INSERT, UPDATE (status, decided_by, decided_at, answer, generation, send_started_at, exchange_ref, adopted_at, arrived, receipt_id, arrived_at, problem, wake_at, updated_at, closed_at, differing, moved_at)",
		Core:     "INSERT, UPDATE",
		Exchange: "UPDATE",
		Custody:  "UPDATE",
		Operator: "UPDATE",
	},
	"treasury_readings":     {Payments: "INSERT, UPDATE", Exchange: "INSERT, UPDATE", Custody: "INSERT, UPDATE"},
	"two_factor_recoveries": {API: "INSERT, UPDATE", Core: "UPDATE"},
	"unplaced_money": {
		API:      "INSERT, UPDATE (sender, note, status, order_id, decision_id, user_id, sent_reference, sent_on, restored_at, closed_at)",
		Core:     "INSERT, UPDATE (sender, note, status, order_id, decision_id, user_id, sent_reference, sent_on, restored_at, closed_at)",
		Operator: "UPDATE (restored_at)",
	},
	"user_roles":          {API: "INSERT, DELETE", Operator: "INSERT"},
	"users":               {API: "INSERT, UPDATE", Core: "UPDATE", Payments: "UPDATE (updated_at)", Exchange: "UPDATE (updated_at)", Custody: "UPDATE (updated_at)"},
	"voucher_batches":     {API: "UPDATE"},
	"voucher_redemptions": {API: "INSERT, UPDATE (margin_percent, moved_at, under_review, updated_at)", Core: "UPDATE", Exchange: "UPDATE", Custody: "UPDATE", Operator: "UPDATE"},
	"vouchers":            {API: "INSERT, UPDATE", Core: "UPDATE", Exchange: "UPDATE", Custody: "UPDATE"},
	"webhook_inbox":       {API: "INSERT, UPDATE", Core: "UPDATE, DELETE", Payments: "UPDATE", Exchange: "UPDATE", Custody: "UPDATE"},
	"withdrawals":         {Core: "INSERT, UPDATE", Custody: "INSERT, UPDATE"},
}

// Private are the tables that the processes listed here alone read; each process reads all others.
var Private = map[string][]Role{
	"account_closures":      {API, Core},
	"backup_codes":          {API, Core},
	"confirmed_addresses":   {API, Core},
	"consents":              {API, Core},
	"customer_notes":        {API, Core},
	"customer_search":       {API, Core},
	"data_exports":          {API, Core},
	"devices":               {API, Core},
	"gift_card_images":      {API, Core},
	"held_addresses":        {API, Core},
	"idempotency_keys":      {API, Core},
	"login_attempts":        {API},
	"mailed_links":          {API, Core},
	"money_documents":       {API},
	"order_notes":           {API, Core},
	"pending_grants":        {API, Operator},
	"rate_limits":           {API},
	"second_factors":        {API, Core},
	"sessions":              {API, Core},
	"ticket_messages":       {API, Core},
	"ticket_notes":          {API, Core},
	"two_factor_recoveries": {API, Core},
}

// Grant makes the rights of the roles those of Grants and Private, as the owner and in one transaction: what they have
// beyond them is revoked. A role that does not exist is an error that names it.
func Grant(ctx context.Context, ownerDSN string) error {
	owner, err := pgx.Connect(ctx, ownerDSN)
	if err != nil {
		return fmt.Errorf("connect to Postgres: %w", err)
	}
	defer func() { _ = owner.Close(context.WithoutCancel(ctx)) }()
	var missing []string
	err = owner.QueryRow(ctx, `SELECT array_agg(name) FROM unnest($1::text[]) name WHERE name NOT IN (SELECT rolname FROM pg_roles)`, Roles).Scan(&missing)
	if err != nil {
		return fmt.Errorf("ask Postgres for its roles: %w", err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("Postgres has no role %s: make it as deploy/postgres/roles.sh does", strings.Join(missing, ", "))
	}
	return pgx.BeginFunc(ctx, owner, func(tx pgx.Tx) error {
		for _, statement := range granting() {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

// granting are the statements of Grant, behind a lock: two of them at once fail on the same rows of the catalogue.
func granting() []string {
	all := []string{"SELECT pg_advisory_xact_lock(hashtextextended('grants', 0))"}
	for _, role := range Roles {
		all = append(all, fmt.Sprintf("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %s", role), fmt.Sprintf("GRANT USAGE ON SCHEMA public TO %s", role),
			fmt.Sprintf("GRANT SELECT ON ALL TABLES IN SCHEMA public TO %s", role))
		for _, table := range slices.Sorted(maps.Keys(Private)) {
			if !slices.Contains(Private[table], role) {
				all = append(all, fmt.Sprintf("REVOKE SELECT ON %s FROM %s", table, role))
			}
		}
		for _, table := range slices.Sorted(maps.Keys(Grants)) {
			if may := Grants[table][role]; may != "" {
				all = append(all, fmt.Sprintf("GRANT %s ON %s TO %s", may, table, role))
			}
		}
	}
	return append(all, fmt.Sprintf("GRANT EXECUTE ON FUNCTION forget_fine_tallies(timestamptz) TO %s", Core),
		fmt.Sprintf("GRANT EXECUTE ON FUNCTION pay_from_balance(uuid) TO %s", API))
}

// oneGrant is a privilege on a table, and on which columns of it where it is not on all.
var oneGrant = regexp.MustCompile(`(INSERT|UPDATE|DELETE)(?: \(([^)]*)\))?`)

// Rights compares what the roles may do with Grants and Private, by privilege and column: what they lack, and what they
// have beyond.
func Rights(ctx context.Context, db *DB) (lacking, beyond []string, err error) {
	rows, err := db.pool.Query(ctx, `SELECT r.rolname, c.relname, a.attname, p.name, has_column_privilege(r.rolname, c.oid, a.attnum, p.name)
		FROM pg_roles r, pg_class c JOIN pg_attribute a ON a.attrelid = c.oid, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) p(name)
		WHERE r.rolname = ANY ($1) AND c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
		UNION ALL SELECT r.rolname, c.relname, '', p.name, has_table_privilege(r.rolname, c.oid, p.name)
		FROM pg_roles r, pg_class c, unnest(ARRAY['DELETE', 'TRUNCATE', 'TRIGGER']) p(name)
		WHERE r.rolname = ANY ($1) AND c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') ORDER BY 1, 2, 3, 4`, Roles)
	if err != nil {
		return nil, nil, fmt.Errorf("ask Postgres for the rights: %w", err)
	}
	var role Role
	var table, column, privilege string
	var has bool
	_, err = pgx.ForEachRow(rows, []any{&role, &table, &column, &privilege, &has}, func() error {
		switch said := strings.TrimSpace(fmt.Sprintf("%s %s %s %s", role, privilege, table, column)); {
		case has && !granted(role, table, column, privilege):
			beyond = append(beyond, said)
		case !has && granted(role, table, column, privilege):
			lacking = append(lacking, said)
		}
		return nil
	})
	return lacking, beyond, err
}

// granted reports whether Grants and Private give a role a privilege on a column, or on a table without one.
func granted(role Role, table, column, privilege string) bool {
	if privilege == "SELECT" {
		readers, private := Private[table]
		return !private || slices.Contains(readers, role)
	}
	for _, may := range oneGrant.FindAllStringSubmatch(Grants[table][role], -1) {
		if may[1] == privilege && (may[2] == "" || slices.Contains(strings.Split(may[2], ", "), column)) {
			return true
		}
	}
	return false
}
