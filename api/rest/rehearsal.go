package rest

// ModeLocal is the mode on a developer's machine (config.Local).
const ModeLocal = "local"

// ModeStaging is the mode of a rehearsal (config.Staging).
const ModeStaging = "staging"

// RehearsalTexts are the banner of every page of a rehearsal.
var RehearsalTexts = map[string]string{"en": "This is a rehearsal. Nothing here is real money.",
	"es": "Esto es un ensayo. Nada de lo que ves aquí es dinero real."}
