package casework

// Check is one automatic check of a record that staff decide about.
type Check struct {
	Name   string
	Result CheckResult
	N      int // how many, where something is counted
}

// CheckResult is what a check says.
type CheckResult string

// The results: what fails keeps it from being approved, what warns does not.
const (
	CheckPass CheckResult = "pass"
	CheckWarn CheckResult = "warn"
	CheckFail CheckResult = "fail"
)

// YoungDays is the age in days up to which an account is reviewed more closely.
const YoungDays = 7

// Worst is the result of a check, by whether something fails or warns.
func Worst(fails, warns bool) CheckResult {
	switch {
	case fails:
		return CheckFail
	case warns:
		return CheckWarn
	}
	return CheckPass
}

// AccountFacts are the facts about a customer that staff need for a decision: whether they are frozen or disabled,
// verified, and since when registered.
const AccountFacts = `u.disabled_at IS NOT NULL OR u.frozen_at IS NOT NULL AS barred,
	coalesce(k.level <> 'none' AND k.revoked_at IS NULL AND coalesce(k.expires_at > clock_now(), true), false) AS verified`
