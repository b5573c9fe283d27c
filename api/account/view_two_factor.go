package account

import (
	"time"
)

// TwoFactorStatus is the state of a person's second factor.
type TwoFactorStatus struct {
	Enabled         bool       `json:"enabled"`
	EnabledAt       *time.Time `json:"enabledAt"`
	BackupCodesLeft int        `json:"backupCodesLeft" doc:"backup codes that were not used yet"`
	LockedUntil     *time.Time `json:"lockedUntil" doc:"until when no code is looked at, after too many wrong ones"`
	Demanded        bool       `json:"demanded" doc:"the person's role needs a second factor here"`
	// Recovery is one that is under way.
	Recovery *TwoFactorRecovery `json:"recovery" doc:"the lifting of a lost factor, while it is under way"`
}

// TwoFactorRecovery is the lifting of a lost second factor, as its owner sees it.
type TwoFactorRecovery struct {
	ID        string    `json:"id" format:"uuid"`
	Reference string    `json:"reference"`
	Status    string    `json:"status" enum:"asked,vouched,recovered,cancelled,refused,expired"`
	ReadyAt   time.Time `json:"readyAt" doc:"no earlier than this; until then, and after, it can be stopped"`
	ExpiresAt time.Time `json:"expiresAt" doc:"until when it is decided, or else ends"`
	CreatedAt time.Time `json:"createdAt"`
}

// AdminRecovery is the lifting of a lost second factor as admins see it.
type AdminRecovery struct {
	TwoFactorRecovery
	UserID        string     `json:"userId" format:"uuid"`
	CustomerName  string     `json:"customerName"`
	CustomerEmail string     `json:"customerEmail"`
	VouchedBy     *string    `json:"vouchedBy" doc:"the admin who made sure who asks"`
	VouchedHow    *string    `json:"vouchedHow" doc:"how they made sure"`
	VouchedAt     *time.Time `json:"vouchedAt"`
	ClosedAt      *time.Time `json:"closedAt"`
	Deciding      *string    `json:"deciding" doc:"the decision that is being carried out"`
	Actions       []string   `json:"actions" doc:"what the signed-in person can do: vouch, approve, refuse"`
}

// RecoveryReason is why an admin decides so.
type RecoveryReason struct {
	Reason  string `json:"reason" maxLength:"1000" doc:"how it was made sure who asks, or why not"`
	Version string `json:"version,omitempty" maxLength:"24000" doc:"of GET /api/admin/approvals: what was shown; another one is refused, 409"`
}

// TwoFactorSetup is a seed, shown once.
type TwoFactorSetup struct {
	QRCode string `json:"qrCode" doc:"a picture for the authenticator app, as a data URL"`
	Secret string `json:"secret" doc:"the same for typing"`
}

// TwoFactorToken is a code.
type TwoFactorToken struct {
	Token string `json:"token" maxLength:"160" doc:"six digits of the authenticator app; a backup code will do where the factor is in force"`
}

// TwoFactorProof is a code of one kind or the other.
type TwoFactorProof struct {
	Token      string `json:"token,omitempty" maxLength:"160" doc:"six digits of the authenticator app"`
	BackupCode string `json:"backupCode,omitempty" maxLength:"160"`
}

// BackupCodes are shown once, when they are made.
type BackupCodes struct {
	BackupCodes []string `json:"backupCodes"`
}

// TwoFactorPassed is a sign-in that is complete.
type TwoFactorPassed struct {
	UsedBackupCode  bool `json:"usedBackupCode"`
	BackupCodesLeft int  `json:"backupCodesLeft"`
}

// ActiveSession is one place where a person is signed in.
type ActiveSession struct {
	ID         string    `json:"id" format:"uuid"`
	Browser    string    `json:"browser" doc:"such as Firefox; empty when unknown"`
	System     string    `json:"system" doc:"such as Windows; empty when unknown"`
	Mobile     bool      `json:"mobile"`
	IP         string    `json:"ip" doc:"the address signed in from; of IPv6 its network"`
	Current    bool      `json:"current" doc:"the one that asks"`
	CreatedAt  time.Time `json:"createdAt"`
	LastSeenAt time.Time `json:"lastSeenAt" doc:"to the minute"`
}

// EndedSessions is how many sessions were ended.
type EndedSessions struct {
	Ended int64 `json:"ended"`
}
