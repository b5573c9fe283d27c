package identity

// catalogue holds every text of the provider, in pages and mails, in one language. A %s is
// the product's name, unless its comment says otherwise.
type catalogue struct {
	Code string // BCP 47

	// Times: %d, and a date as Go's time package writes 2 January 2006
	Second, Seconds, Minute, Minutes, DateOrder string
	Months                                      [12]string

	// Frame
	Skip, Rehearsal, BackToSite, Terms, Privacy, ErrorPrefix, FaultSummary string

	// Fields
	Email, Password, NewPassword, CurrentPassword, GivenName, FamilyName, Country, CountryNone string
	PasswordHint, NameLegend, Show, Hide                                                       string
	Adult, AgreeStart, AgreeTerms, AgreeAnd, AgreePrivacy                                      string

	// Faults of fields
	EmailMissing, EmailInvalid                                                              string
	PasswordMissing, PasswordInvalid, PasswordShort, PasswordLong, PasswordWeak             string
	PasswordSame, PasswordWrong, GivenNameMissing, FamilyNameMissing, NameLong, NameInvalid string
	CountryMissing, AdultMissing, TermsMissing, TermsChanged                                string
	SignInWrong                                                                             string

	// Pages
	SignInTitle, SignInLead, SignInButton, ForgotLink, NoAccount, SignUpLink string
	SignUpTitle, SignUpLead, SignUpButton, HaveAccount, SignInLink           string
	SignedInAs, ContinueButton                                               string
	CodeTitle, CodeLead /* %s is the address */, Code6, CodeHint             string
	CodeButton, CodeResend, CodeOther, CodeWrong, CodeSpent, MailboxLink     string
	SignUpGoneTitle, SignUpGoneLead, EmailTakenTitle, EmailTakenLead         string
	ForgotTitle, ForgotLead, ForgotButton, BackToSignIn                      string
	ForgotSentTitle, ForgotSentLead, ForgotSentHint, ForgotAgain             string
	ResetTitle, ResetLead, ResetButton, ResetGoneTitle, ResetGoneLead        string
	ResetDoneTitle, ResetDoneLead                                            string
	VerifyTitle, VerifyLead, VerifyButton, VerifiedTitle, VerifiedLead       string
	VerifyPasswordLead, VerifyPasswordWrong                                  string
	VerifyGoneTitle, VerifyGoneLead                                          string
	AccountTitle, AccountLead, AccountName, AccountEmail, AccountCountry     string
	AccountPassword, AccountPasswordSet, AccountChange, AccountOpen          string
	EmailVerified, EmailUnverified, VerifyResend                             string
	ChangeTitle, ChangeLead, ChangeButton, ChangeCancel                      string
	SignOutTitle, SignOutLead, SignOutButton, SignOutCancel                  string
	SignedOutTitle, SignedOutLead, SignInAgain                               string

	// Notices
	NoticeReset, NoticeChanged, NoticeResent, NoticeCodeResent string

	// Error pages
	StaleTitle, StaleLead, OriginTitle, OriginLead       string
	RequestGoneTitle, RequestGoneLead, StartAgain        string
	RequestBadTitle, RequestBadLead                      string // lead: %s is the parameter
	LimitedTitle, LimitedLead                            string // lead: %s is a time such as "2 minutes"
	BusyTitle, BusyLead, BrokenTitle, BrokenLead         string
	NotFoundTitle, NotFoundLead, MethodTitle, MethodLead string
	TooLargeTitle, TooLargeLead, CookieTitle, CookieLead string
	MailVerifySubject, MailVerifyLead, MailVerifyButton  string
	MailVerifyEnd, MailResetSubject, MailResetLead       string
	MailResetButton, MailResetEnd, MailChangedSubject    string
	MailChangedLead, MailChangedButton, MailChangedEnd   string
	MailCodeSubject/* the product's name, the code */ string
	MailCodeGreeting, MailCodeLead, MailCodeEnd              string
	MailTakenSubject, MailTakenLead                          string
	MailTakenButton, MailTakenEnd                            string
	MailGreeting /* %s is the first name */, MailLinkOrPaste string
}

var english = catalogue{ //nolint:gosec // words about passwords, no passwords
	Code:   "en",
	Second: "%d second", Seconds: "%d seconds", Minute: "%d minute", Minutes: "%d minutes", DateOrder: "%[1]d %[2]s %[3]d",
	Months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},

	Skip:         "Skip to content",
	Rehearsal:    "This is a rehearsal. Nothing here is real money.",
	BackToSite:   "Back to %s",
	Terms:        "Terms of Service",
	Privacy:      "Privacy Policy",
	ErrorPrefix:  "Error: ",
	FaultSummary: "Check the following:",

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
	PasswordMissing:   "Enter a password.",
	PasswordInvalid:   "Use letters, numbers and symbols only.",
	PasswordShort:     "Use at least 10 characters.",
	PasswordLong:      "Use at most 128 characters.",
	PasswordWeak:      "This password is easy to guess. Use a longer one, or a few unrelated words.",
	PasswordSame:      "Enter a password that differs from your current one.",
	PasswordWrong:     "Wrong password. Enter your current password.",
	GivenNameMissing:  "Enter your first name.",
	FamilyNameMissing: "Enter your last name.",
	NameLong:          "Use at most 60 characters.",
	NameInvalid:       "Remove the characters that are not displayed.",
	CountryMissing:    "Select your country.",
	AdultMissing:      "You must be 18 or older to open an account.",
	TermsMissing:      "Accept the terms and the privacy policy to open an account.",
	TermsChanged:      "The terms have changed. Read and accept them again.",
	SignInWrong:       "Wrong e-mail or password. Check both and try again.",

	SignInTitle:  "Sign in to %s",
	SignInLead:   "Welcome back.",
	SignInButton: "Sign in",
	ForgotLink:   "Forgot password?",
	NoAccount:    "New here?",
	SignUpLink:   "Create an account",

	SignUpTitle:    "Create your account",
	SignUpLead:     "It takes a minute. Verify your identity later, before your first purchase.",
	SignUpButton:   "Create account",
	HaveAccount:    "Already have an account?",
	SignInLink:     "Sign in",
	SignedInAs:     "You are signed in as",
	ContinueButton: "Continue with this account",

	CodeTitle:       "Check your e-mail",
	CodeLead:        "We’ve sent a message to %s. Enter the 6-digit code from it within an hour to finish creating your account.",
	Code6:           "Code from the e-mail",
	CodeHint:        "No e-mail after a few minutes? Check your spam folder. If this address already has an account, the e-mail has no code and says how to sign in.",
	CodeButton:      "Confirm and continue",
	CodeResend:      "Send a new code",
	CodeOther:       "Use another address",
	CodeWrong:       "This isn’t the code we sent last. Check it and try again.",
	CodeSpent:       "Too many wrong codes. Send a new code and enter that one.",
	MailboxLink:     "Open the mailbox of this installation",
	SignUpGoneTitle: "This sign-up is over",
	SignUpGoneLead:  "It took too long, is already complete or started in another browser. Start again, or sign in.",
	EmailTakenTitle: "You already have an account",
	EmailTakenLead:  "An account with this e-mail address was opened in the meantime. Sign in to it.",

	ForgotTitle:     "Forgot your password?",
	ForgotLead:      "Enter your e-mail address. We’ll send you a link to set a new password.",
	ForgotButton:    "Send link",
	BackToSignIn:    "Back to sign in",
	ForgotSentTitle: "Check your e-mail",
	ForgotSentLead:  "If this address has an account, we’ve sent a link to set a new password. It works once, for 30 minutes.",
	ForgotSentHint:  "No e-mail after a few minutes? Check your spam folder, or try another address.",
	ForgotAgain:     "Try another address",

	ResetTitle:     "Set a new password",
	ResetLead:      "This signs you out everywhere else.",
	ResetButton:    "Save new password",
	ResetGoneTitle: "This link no longer works",
	ResetGoneLead:  "It has expired or is incomplete. Request a new link.",
	ResetDoneTitle: "Your password is already changed",
	ResetDoneLead:  "This link was used, or the password was changed after we sent it. Nothing was changed now.",

	VerifyTitle:         "Confirm your e-mail address",
	VerifyLead:          "Confirm that this e-mail address is yours.",
	VerifyButton:        "Confirm e-mail address",
	VerifyPasswordLead:  "Enter your password. If you didn’t create this account, close this page.",
	VerifyPasswordWrong: "Wrong password. Try again.",
	VerifiedTitle:       "E-mail address confirmed",
	VerifiedLead:        "Thank you. You can close this page.",
	VerifyGoneTitle:     "This link no longer works",
	VerifyGoneLead:      "It has expired or is incomplete. Request a new link on your account page.",

	AccountTitle:       "Your account",
	AccountLead:        "Your sign-in details for %s.",
	AccountName:        "Name",
	AccountEmail:       "E-mail",
	AccountCountry:     "Country",
	AccountPassword:    "Password",
	AccountPasswordSet: "Last changed on %s", // %s is a date
	AccountChange:      "Change password",
	AccountOpen:        "Go to %s",
	EmailVerified:      "Confirmed",
	EmailUnverified:    "Not confirmed yet",
	VerifyResend:       "Resend confirmation e-mail",

	ChangeTitle:  "Change password",
	ChangeLead:   "This signs you out everywhere else.",
	ChangeButton: "Save new password",
	ChangeCancel: "Cancel",

	SignOutTitle:   "Sign out?",
	SignOutLead:    "You’ll need your password to sign in again.",
	SignOutButton:  "Sign out",
	SignOutCancel:  "Stay signed in",
	SignedOutTitle: "You are signed out",
	SignedOutLead:  "If you share this computer, close the browser.",
	SignInAgain:    "Sign in again",

	NoticeReset:   "Password changed. Sign in with your new password.",
	NoticeChanged: "Password changed. You’re signed out everywhere else.",
	NoticeResent:  "We sent you a new confirmation e-mail.",

	NoticeCodeResent: "We’ve sent a new e-mail. An earlier code no longer works.",

	StaleTitle:       "This page is out of date",
	StaleLead:        "Nothing was changed. Start again.",
	OriginTitle:      "This request came from another site",
	OriginLead:       "For your security, we blocked it. Nothing was changed.",
	RequestGoneTitle: "This sign-in has expired",
	RequestGoneLead:  "It took too long, is already complete or started in another browser. Start again.",
	StartAgain:       "Start again",
	RequestBadTitle:  "This sign-in link is not valid",
	RequestBadLead:   "The parameter “%s” is missing or not allowed. Start again from the site.",
	LimitedTitle:     "Too many attempts",
	LimitedLead:      "Try again in %s.",
	BusyTitle:        "We’re busy right now",
	BusyLead:         "Nothing was changed. Try again in a few seconds.",
	BrokenTitle:      "Something went wrong",
	BrokenLead:       "Try again in a minute.",
	NotFoundTitle:    "Page not found",
	NotFoundLead:     "Check the address and try again.",
	MethodTitle:      "You can’t open this page directly",
	MethodLead:       "Use the link or form instead.",
	TooLargeTitle:    "The form is too large",
	TooLargeLead:     "Nothing was changed. Shorten what you entered and try again.",
	CookieTitle:      "Allow cookies to sign in",
	CookieLead:       "Allow cookies for this site in your browser, then start again.",

	MailGreeting:       "Hello %s,",
	MailLinkOrPaste:    "If the button doesn’t work, open this link:",
	MailVerifySubject:  "Confirm your e-mail address for %s",
	MailVerifyLead:     "Confirm that this e-mail address is yours so that we can contact you about your orders.",
	MailVerifyButton:   "Confirm e-mail address",
	MailVerifyEnd:      "The link works once, for 24 hours. If you didn’t create an account, ignore this e-mail.",
	MailResetSubject:   "Set a new password for %s",
	MailResetLead:      "We received a request to set a new password for your account.",
	MailResetButton:    "Set a new password",
	MailResetEnd:       "The link works once, for 30 minutes. If you didn’t request it, ignore this e-mail. Your password won’t change.",
	MailCodeSubject:    "Your %s confirmation code: %s",
	MailCodeGreeting:   "Hello,",
	MailCodeLead:       "Enter this code where you are creating your %s account:",
	MailCodeEnd:        "It works for an hour, in the browser you started in. Nobody from our team will ask you for it. If you didn’t create an account, ignore this e-mail: none is opened without the code.",
	MailTakenSubject:   "You already have a %s account",
	MailTakenLead:      "Somebody tried to create an account with this e-mail address. You already have one, and nothing about it has changed. If it was you, sign in; if you don’t remember your password, choose “Forgot password?” there.",
	MailTakenButton:    "Sign in",
	MailTakenEnd:       "If it wasn’t you, you don’t need to do anything.",
	MailChangedSubject: "Your %s password was changed",
	MailChangedLead:    "The password for your account was changed. Your other sessions were signed out.",
	MailChangedButton:  "I didn’t do this: set a new password",
	MailChangedEnd:     "If you changed it, you don’t need to do anything.",
}
