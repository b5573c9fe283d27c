package audit

import (
	"time"
)

// AuditEntry is a line of the audit log.
type AuditEntry struct {
	ID         int64         `json:"id"`
	At         time.Time     `json:"at"`
	ActorID    *string       `json:"actorId" format:"uuid" doc:"null for the system"`
	ActorName  *string       `json:"actorName" doc:"null for the system, and for an account that was erased"`
	ActorRole  string        `json:"actorRole"`
	Action     string        `json:"action"`
	ObjectKind string        `json:"objectKind"`
	ObjectID   string        `json:"objectId"`
	ObjectName *string       `json:"objectName" doc:"its reference, or whose account it is; null where it has neither"`
	Changes    []AuditChange `json:"changes" doc:"what was different before and after, by field"`
	Reason     string        `json:"reason"`
	RequestID  string        `json:"requestId"`
}

// AuditChange is one field of what was acted on.
type AuditChange struct {
	Field  string  `json:"field"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

// AuditSummary is what the log can be filtered by, and how far it is sealed.
type AuditSummary struct {
	Actions  []string   `json:"actions"`
	Kinds    []string   `json:"kinds" doc:"of objects"`
	SealedTo int64      `json:"sealedTo" doc:"the last line under a seal; 0 before there is any"`
	SealedAt *time.Time `json:"sealedAt"`
	Seal     string     `json:"seal" doc:"a hash over all lines up to that one; whoever noted it can tell whether any was changed"`
}
