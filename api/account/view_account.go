package account

// User is the signed-in person, as specification §3 has it and with what we add. A session that owes the second factor
// shows no more than the dialog needs that asks for it.
type User struct {
	ID                string `json:"id" format:"uuid"`
	Needs2FA          bool   `json:"needs2FA" doc:"every session must show a second factor"`
	TwoFactorEnabled  bool   `json:"twoFactorEnabled" doc:"there is one; with needs2FA and without it, it must be set up first"`
	TwoFactorVerified bool   `json:"twoFactorVerified" doc:"this session has shown it; the fields that are not required are missing while it owes it"`
	*UserDetails
}

// UserDetails are a person's details; all of them are missing while their session owes the second factor.
type UserDetails struct {
	Email           string       `json:"email" required:"false"`
	EmailVerified   bool         `json:"emailVerified" required:"false"`
	FirstName       string       `json:"firstName" required:"false"`
	LastName        string       `json:"lastName" required:"false"`
	ProfileImageURL *string      `json:"profileImageUrl" required:"false"`
	Country         string       `json:"country" required:"false" doc:"ISO 3166-1 alpha-2, empty when unknown"`
	IsAdmin         bool         `json:"isAdmin" required:"false" doc:"true for every role but customer"`
	Roles           []string     `json:"roles" required:"false" doc:"staff roles: support, compliance, finance, admin; none while the account is frozen"`
	Permissions     []string     `json:"permissions" required:"false" doc:"what the roles may do, as in the policy file"`
	AccountBalance  string       `json:"accountBalance" required:"false" doc:"US dollars"`
	KYCStatus       string       `json:"kycStatus" required:"false" enum:"not_started,pending,verified,rejected"`
	KYCLevel        string       `json:"kycLevel" required:"false" enum:"none,standard,enhanced"`
	VolumeTier      string       `json:"volumeTier" required:"false"`
	ConsentDue      []DueConsent `json:"consentDue,omitempty" doc:"versions in force to agree to before anything is bought or sold"`
	Hold            string       `json:"hold,omitempty" enum:"frozen,restricted" doc:"why nothing new can be begun: by our staff, or by the customer's own wish"`
}

// Session is the data that the page has before its first paint.
type Session struct {
	User   *User  `json:"user,omitempty" doc:"missing when signed out"`
	Config Config `json:"config"`
}

// Config is the installation's configuration for the browser.
type Config struct {
	Brand          string      `json:"brand"`
	TidioPublicKey *string     `json:"tidioPublicKey"`
	Mode           string      `json:"mode" enum:"local,staging,production" doc:"staging: a rehearsal with the providers' test environments; addresses are of test networks"`
	SupportEmail   string      `json:"supportEmail"`
	Imprint        string      `json:"imprint" doc:"who the company is, in one line; empty: not configured"`
	PasswordURL    *string     `json:"passwordUrl" doc:"where people change their password, at the identity provider; null: unknown"`
	AddressURL     *string     `json:"addressUrl" doc:"where people have the mail sent again that confirms their address, at the identity provider; null: unknown"`
	TemporalUIURL  *string     `json:"temporalUiUrl" doc:"staff only"`
	SumsubBaseURL  string      `json:"sumsubBaseUrl" doc:"base URL of the identity verification widget"`
	Claims         Claims      `json:"claims"`
	Offer          Offer       `json:"offer"`
	Legal          []LegalLink `json:"legal" doc:"texts in force besides terms, privacy and about"`
}

// Offer is what this installation is configured to offer. What is not in it is
// refused.
type Offer struct {
	Assets    []string            `json:"assets"`
	Networks  map[string][]string `json:"networks" doc:"by asset, the usual one first"`
	Rails     []string            `json:"rails" doc:"payment methods, in this customer's country, and gift_card and voucher"`
	Languages []string            `json:"languages" doc:"the first for whoever asks for none of them"`
}

// Claims are the promises marketing makes, as the rules in force allow them.
type Claims struct {
	SignupBonusUSD   string  `json:"signupBonusUsd" doc:"empty: there is none"`
	KYCFreeUnderUSD  *string `json:"kycFreeUnderUsd" doc:"null: every purchase needs a verified identity"`
	CardFeePercent   string  `json:"cardFeePercent"`
	ACHFeePercent    string  `json:"achFeePercent"`
	KYCReviewMinutes string  `json:"kycReviewMinutes" doc:"how long reviews usually take; empty: nothing is claimed"`
	ResponseTime     string  `json:"responseTime" doc:"median of support's first answers of the last 30 days; empty: fewer than ten"`
	Countries        string  `json:"countries" doc:"served; empty here and below: nothing is claimed"`
	Tokens           string  `json:"tokens"`
	ProcessedUSD     string  `json:"processedUsd"`
	Users            string  `json:"users"`
	Standards        string  `json:"standards" doc:"and laws that are kept to"`
}

// CSRFToken is sent back as x-csrf-token with every unsafe call.
type CSRFToken struct {
	CSRFToken string `json:"csrfToken"`
}
