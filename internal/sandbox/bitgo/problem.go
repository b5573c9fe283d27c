package bitgo

import (
	"net/http"
	"strconv"
	"strings"
)

// problem is an error answer: BitGo's fields as Express passes them on.
type problem struct {
	Status  int
	Name    string
	Text    string
	Context map[string]any
}

// Error is the human text.
func (p *problem) Error() string { return p.Text }

// body is the answer: Express adds message and its versions.
func (p *problem) body(requestID string) map[string]any {
	b := map[string]any{
		"error": p.Text, "message": p.Text, "requestId": requestID,
		"bitgoJsVersion": "50.0.0", "bitgoExpressVersion": "15.0.0",
	}
	if p.Name != "" {
		b["name"] = p.Name
	}
	if p.Context != nil {
		b["context"] = p.Context
	}
	return b
}

func unauthorized(text string) *problem {
	return &problem{Status: http.StatusUnauthorized, Name: "Unauthorized", Text: text}
}

func invalid(name, text string) *problem {
	return &problem{Status: http.StatusBadRequest, Name: name, Text: text}
}

func missing(what string) *problem {
	return &problem{Status: http.StatusNotFound, Name: "NotFound", Text: what + " not found"}
}

// insufficient is the refusal for lack of coin. Its server-side name is a guess.
func insufficient(coin string) *problem {
	return &problem{Status: http.StatusBadRequest, Name: "InsufficientBalance", Text: "insufficient funds", Context: map[string]any{"coin": coin}}
}

var (
	errDuplicate   = invalid("DuplicateSequenceId", "a transfer with this sequenceId already exists for this wallet")
	errRate        = &problem{Status: http.StatusTooManyRequests, Name: "TooManyRequests", Text: "rate limit exceeded"}
	errPassphrase  = &problem{Status: http.StatusInternalServerError, Text: "unable to decrypt keychain with the given wallet passphrase"}
	errOwnApproval = &problem{Status: http.StatusForbidden, Name: "Forbidden", Text: "the creator of a pending approval cannot approve it"}
	errInternal    = &problem{Status: http.StatusInternalServerError, Text: "internal server error"}
	errNoRoute     = missing("path")
)

// declined reads a decline fault's argument: "403:NeedsUnlock" or a bare name.
func declined(arg string) *problem {
	status, name, found := strings.Cut(arg, ":")
	code, err := strconv.Atoi(status)
	if !found || err != nil || code < 400 || code > 599 {
		return invalid(arg, "declined: "+arg)
	}
	return &problem{Status: code, Name: name, Text: "declined: " + name}
}
