// Package setup fills in the settings of an installation of docker-compose.yml: it asks for what it cannot know, makes
// keys and passwords, and writes .env.
//
// Invariants:
//
//   - Questions are generated from the declarations of the settings (the tags of internal/config).
//   - An answer is accepted only if the programs that read it accept it.
//   - A value that exists is never replaced without consent, and a second run with the same answers writes nothing.
//   - The keys of an installation are made once: Run returns an error if its files of secrets exist and .env does not.
//   - No secret is shown. Answers that are secrets are typed without echo.
//   - .env is readable by its owner alone, and replaced as a whole or not at all.
package setup
