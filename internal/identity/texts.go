package identity

// catalogue holds every sentence people read here, in pages and mails, in one
// language. A %s is the product's name, unless its comment says otherwise.
type catalogue struct {
	Code string // BCP 47

	// Times: %d, and a date as Go's time package writes 2 January 2006
	Second, Seconds, Minute, Minutes, DateOrder string
	Months                                      [12]string

	// Frame
	Skip, BackToSite, Terms, Privacy, ErrorPrefix, FaultSummary string

	// Fields
	Email, Password, NewPassword, CurrentPassword, GivenName, FamilyName, Country, CountryNone string
	PasswordHint, NameLegend, Show, Hide                                                       string
	Adult, AgreeStart, AgreeTerms, AgreeAnd, AgreePrivacy                                      string

	// Faults of fields
	EmailMissing, EmailInvalid, EmailTaken                                                  string
	PasswordMissing, PasswordInvalid, PasswordShort, PasswordLong, PasswordWeak             string
	PasswordSame, PasswordWrong, GivenNameMissing, FamilyNameMissing, NameLong, NameInvalid string
	CountryMissing, AdultMissing, TermsMissing, TermsChanged                                string
	SignInWrong                                                                             string

	// Pages
	SignInTitle, SignInLead, SignInButton, ForgotLink, NoAccount, SignUpLink string
	SignUpTitle, SignUpLead, SignUpButton, HaveAccount, SignInLink           string
	SignedInAs, ContinueButton                                               string
	ForgotTitle, ForgotLead, ForgotButton, BackToSignIn                      string
	ForgotSentTitle, ForgotSentLead, ForgotSentHint, ForgotAgain             string
	ResetTitle, ResetLead, ResetButton, ResetGoneTitle, ResetGoneLead        string
	VerifyTitle, VerifyLead, VerifyButton, VerifiedTitle, VerifiedLead       string
	VerifyGoneTitle, VerifyGoneLead                                          string
	AccountTitle, AccountLead, AccountName, AccountEmail, AccountCountry     string
	AccountPassword, AccountPasswordSet, AccountChange, AccountOpen          string
	EmailVerified, EmailUnverified, VerifyResend                             string
	ChangeTitle, ChangeLead, ChangeButton, ChangeCancel                      string
	SignOutTitle, SignOutLead, SignOutButton, SignOutCancel                  string
	SignedOutTitle, SignedOutLead, SignInAgain                               string

	// Notices
	NoticeReset, NoticeChanged, NoticeResent string

	// Error pages
	StaleTitle, StaleLead, OriginTitle, OriginLead           string
	RequestGoneTitle, RequestGoneLead, StartAgain            string
	RequestBadTitle, RequestBadLead                          string // lead: %s is the parameter
	LimitedTitle, LimitedLead                                string // lead: %s is a time such as "2 minutes"
	BusyTitle, BusyLead, BrokenTitle, BrokenLead             string
	NotFoundTitle, NotFoundLead, MethodTitle, MethodLead     string
	TooLargeTitle, TooLargeLead, CookieTitle, CookieLead     string
	MailVerifySubject, MailVerifyLead, MailVerifyButton      string
	MailVerifyEnd, MailResetSubject, MailResetLead           string
	MailResetButton, MailResetEnd, MailChangedSubject        string
	MailChangedLead, MailChangedButton, MailChangedEnd       string
	MailGreeting /* %s is the first name */, MailLinkOrPaste string
}

var english = catalogue{
	Code:   "en",
	Second: "%d second", Seconds: "%d seconds", Minute: "%d minute", Minutes: "%d minutes", DateOrder: "%[1]d %[2]s %[3]d",
	Months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},

	Skip:         "Skip to content",
	BackToSite:   "Back to %s",
	Terms:        "Terms of Service",
	Privacy:      "Privacy Policy",
	ErrorPrefix:  "Error: ",
	FaultSummary: "Please check the following:",

	Email:           "E-mail",
	Password:        "Password",
	NewPassword:     "New password",
	CurrentPassword: "Current password",
	GivenName:       "First name",
	FamilyName:      "Last name",
	Country:         "Country of residence",
	CountryNone:     "Select your country",
	PasswordHint:    "At least 10 characters. A few unrelated words work well.",
	NameLegend:      "Your name, as on your identity document",
	Show:            "Show",
	Hide:            "Hide",
	Adult:           "I am 18 or older",
	AgreeStart:      "I accept the ",
	AgreeTerms:      "Terms of Service",
	AgreeAnd:        " and the ",
	AgreePrivacy:    "Privacy Policy",

	EmailMissing:      "Enter your e-mail address.",
	EmailInvalid:      "Enter an e-mail address such as name@example.com.",
	EmailTaken:        "This e-mail address already has an account. Sign in, or reset the password.",
	PasswordMissing:   "Enter a password.",
	PasswordInvalid:   "The password contains characters that we cannot read.",
	PasswordShort:     "The password needs at least 10 characters.",
	PasswordLong:      "The password may have at most 128 characters.",
	PasswordWeak:      "This password is easy to guess. Make it longer, or use words that have nothing to do with each other or with you.",
	PasswordSame:      "The new password is the same as the current one.",
	PasswordWrong:     "This is not your current password.",
	GivenNameMissing:  "Enter your first name.",
	FamilyNameMissing: "Enter your last name.",
	NameLong:          "Use at most 60 characters.",
	NameInvalid:       "Use letters, spaces, hyphens and apostrophes only.",
	CountryMissing:    "Select your country.",
	AdultMissing:      "You must be 18 or older to open an account.",
	TermsMissing:      "Accept the terms and the privacy policy to open an account.",
	TermsChanged:      "The terms have changed since you opened this page. Please read and accept them again.",
	SignInWrong:       "E-mail or password is wrong. Check both and try again.",

	SignInTitle:  "Sign in to %s",
	SignInLead:   "Welcome back.",
	SignInButton: "Sign in",
	ForgotLink:   "Forgot password?",
	NoAccount:    "New here?",
	SignUpLink:   "Create an account",

	SignUpTitle:    "Create your account",
	SignUpLead:     "It takes a minute. You verify your identity later, before your first purchase.",
	SignUpButton:   "Create account",
	HaveAccount:    "Already have an account?",
	SignInLink:     "Sign in",
	SignedInAs:     "You are signed in as",
	ContinueButton: "Continue with this account",

	ForgotTitle:     "Forgot your password?",
	ForgotLead:      "Enter the e-mail address of your account. We send you a link to set a new password.",
	ForgotButton:    "Send link",
	BackToSignIn:    "Back to sign in",
	ForgotSentTitle: "Check your mail",
	ForgotSentLead:  "If this address has an account, a link to set a new password is on its way. It works once, for 30 minutes.",
	ForgotSentHint:  "Nothing after a few minutes? Look in the spam folder, or check the address.",
	ForgotAgain:     "Try another address",

	ResetTitle:     "Set a new password",
	ResetLead:      "This signs you out everywhere else.",
	ResetButton:    "Save new password",
	ResetGoneTitle: "This link no longer works",
	ResetGoneLead:  "It was used already, has expired, or is not complete. Ask for a new one.",

	VerifyTitle:     "Confirm your address",
	VerifyLead:      "Press the button to confirm that this e-mail address is yours.",
	VerifyButton:    "Confirm e-mail address",
	VerifiedTitle:   "E-mail address confirmed",
	VerifiedLead:    "Thank you. There is nothing more to do here.",
	VerifyGoneTitle: "This link no longer works",
	VerifyGoneLead:  "It was used already, has expired, or is not complete. You can ask for a new one on your account page.",

	AccountTitle:       "Your account",
	AccountLead:        "What you use to sign in to %s.",
	AccountName:        "Name",
	AccountEmail:       "E-mail",
	AccountCountry:     "Country",
	AccountPassword:    "Password",
	AccountPasswordSet: "Last changed on %s", // %s is a date
	AccountChange:      "Change password",
	AccountOpen:        "Go to %s",
	EmailVerified:      "Confirmed",
	EmailUnverified:    "Not confirmed yet",
	VerifyResend:       "Send the confirmation mail again",

	ChangeTitle:  "Change password",
	ChangeLead:   "This signs you out in every other browser.",
	ChangeButton: "Save new password",
	ChangeCancel: "Cancel",

	SignOutTitle:   "Sign out?",
	SignOutLead:    "You will need your password to sign in again.",
	SignOutButton:  "Sign out",
	SignOutCancel:  "Stay signed in",
	SignedOutTitle: "You are signed out",
	SignedOutLead:  "Close the browser if others use this computer.",
	SignInAgain:    "Sign in again",

	NoticeReset:   "Your password is changed. Sign in with the new one.",
	NoticeChanged: "Your password is changed. Other browsers are signed out.",
	NoticeResent:  "We sent you a new confirmation mail.",

	StaleTitle:       "This page is out of date",
	StaleLead:        "It was opened before you signed in or out, or has been open for a long time. Nothing was changed. Please start again.",
	OriginTitle:      "This request came from another site",
	OriginLead:       "For your safety it was refused, and nothing was changed.",
	RequestGoneTitle: "This sign-in can no longer be finished",
	RequestGoneLead:  "It took too long, was finished already, or was begun in another browser. Please start again.",
	StartAgain:       "Start again",
	RequestBadTitle:  "This sign-in link is not valid",
	RequestBadLead:   "The parameter “%s” is missing or not allowed, so we did not continue.",
	LimitedTitle:     "Too many attempts",
	LimitedLead:      "To protect accounts we stopped checking for now. Please try again in %s.",
	BusyTitle:        "We are busy right now",
	BusyLead:         "Please try again in a few seconds. Nothing was changed.",
	BrokenTitle:      "Something went wrong on our side",
	BrokenLead:       "Nothing was changed, as far as we know. Please try again in a minute.",
	NotFoundTitle:    "Page not found",
	NotFoundLead:     "There is no page at this address.",
	MethodTitle:      "This page cannot be used that way",
	MethodLead:       "Open it from its link or form instead.",
	TooLargeTitle:    "That was too much to read",
	TooLargeLead:     "The form you sent is larger than we accept. Nothing was changed.",
	CookieTitle:      "Cookies are needed to sign in",
	CookieLead:       "Your browser did not send back the cookie we set. Allow cookies for this site and start again.",

	MailGreeting:       "Hello %s,",
	MailLinkOrPaste:    "If the button does not work, open this address:",
	MailVerifySubject:  "Confirm your e-mail address for %s",
	MailVerifyLead:     "please confirm that this address is yours, so that we can reach you about your orders.",
	MailVerifyButton:   "Confirm e-mail address",
	MailVerifyEnd:      "The link works once, for 24 hours. If you did not open an account, you need not do anything.",
	MailResetSubject:   "Set a new password for %s",
	MailResetLead:      "someone, hopefully you, asked to set a new password for your account.",
	MailResetButton:    "Set a new password",
	MailResetEnd:       "The link works once, for 30 minutes. If it was not you, ignore this mail: your password stays as it is.",
	MailChangedSubject: "Your %s password was changed",
	MailChangedLead:    "the password of your account was changed just now, and other browsers were signed out.",
	MailChangedButton:  "It was not me: set a new password",
	MailChangedEnd:     "If it was you, there is nothing to do.",
}
