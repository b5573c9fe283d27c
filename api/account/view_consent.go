package account

import "time"

// LegalText is a version of a document that customers agree to.
type LegalText struct {
	Document string `json:"document"`
	Version  string `json:"version"`
	InForce  string `json:"inForce" format:"date"`
	Language string `json:"language" doc:"of the text: English where there is none in the caller's"`
	Title    string `json:"title"`
	Changes  string `json:"changes" doc:"what is new in this version; empty: not said"`
	HTML     string `json:"html" doc:"rendered from Markdown without raw HTML"`
}

// LegalLink names a text that is at /legal/{document}.
type LegalLink struct {
	Document string `json:"document"`
	Title    string `json:"title"`
}

// DueConsent is a version in force that a person has not agreed to.
type DueConsent struct {
	Document string `json:"document" maxLength:"40"`
	Version  string `json:"version" maxLength:"40"`
}

// NewConsents are versions that a person agrees to.
type NewConsents struct {
	Consents []DueConsent `json:"consents" minItems:"1" maxItems:"20"`
}

// Consent is a version that a customer has agreed to.
type Consent struct {
	Document      string    `json:"document"`
	Version       string    `json:"version"`
	Language      string    `json:"language" doc:"of the text that was shown; empty, as the hash, where it was not recorded"`
	TextSHA256    string    `json:"textSha256"`
	AddressPrefix string    `json:"addressPrefix" doc:"network that it came from"`
	AtSignUp      bool      `json:"atSignUp"`
	GivenAt       time.Time `json:"givenAt"`
}
