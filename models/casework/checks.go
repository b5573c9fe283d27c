package casework

// Check is something that the platform can tell by itself of what somebody decides
// about.
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

// YoungDays is how many days old an account is that is looked at more closely.
const YoungDays = 7

// Worst is what a check comes to, by whether something fails or warns.
func Worst(fails, warns bool) CheckResult {
	switch {
	case fails:
		return CheckFail
	case warns:
		return CheckWarn
	}
	return CheckPass
}

// AccountFacts are what is known of a customer whoever decides about something of
// theirs: whether they are frozen or disabled, verified, and since when here.
const AccountFacts = `u.disabled_at IS NOT NULL OR u.frozen_at IS NOT NULL AS barred,
	coalesce(k.level <> 'none' AND k.revoked_at IS NULL AND coalesce(k.expires_at > clock_now(), true), false) AS verified`
