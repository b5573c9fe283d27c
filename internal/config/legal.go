package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/legal"
)

// Company is who customers deal with, as pages and mails name it. What is not configured is not shown.
type Company struct {
	Entity       string `name:"legal-entity" env:"LEGAL_ENTITY" help:"Name of the company that customers deal with, as pages and mails show it; empty shows none, and so with the next five."`
	Jurisdiction string `name:"legal-jurisdiction" env:"LEGAL_JURISDICTION" help:"Where it is registered, and under what number."`
	Licence      string `name:"legal-licence" env:"LEGAL_LICENCE" help:"Its licences, with their numbers and who granted them."`
}

// Line is the company's name, registration and licences in one line; empty where nothing is configured.
func (c *Company) Line() string { return joined(c.Entity, c.Jurisdiction, c.Licence) }

// Legal is what customers agree to, and with whom. What is not configured is not shown.
type Legal struct {
	Dir        string `name:"legal-dir" env:"LEGAL_DIR" ask:"later" suggest:"./legal" help:"Folder of the texts that customers agree to (terms.en.md, privacy.en.md, …); empty: the sample texts, which production refuses."`
	Company    `embed:""`
	Address    string `name:"legal-address" env:"LEGAL_ADDRESS" help:"Its registered address."`
	Contact    string `name:"legal-contact" env:"LEGAL_CONTACT" help:"Where it is reached."`
	Complaints string `name:"legal-complaints" env:"LEGAL_COMPLAINTS" help:"Where complaints go."`
}

// Imprint is who the company is, in one line; empty where nothing is configured.
func (l *Legal) Imprint() string {
	return joined(l.Entity, l.Address, l.Jurisdiction, l.Licence, l.Contact, l.Complaints)
}

// joined are the parts that are not empty, in one line.
func joined(parts ...string) string {
	var said []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, " · ")
}

// Library reads the texts. They can name what is configured here, the brand, where support is written to, and the coins
// that are sold.
func (l *Legal) Library(brand, support, coins string) (*legal.Library, error) {
	return legal.Load(l.Dir, map[string]string{"brand": brand, "support": support, "coins": coins, "entity": l.Entity, "address": l.Address,
		"jurisdiction": l.Jurisdiction, "licence": l.Licence, "contact": l.Contact, "complaints": l.Complaints})
}

// ErrSampleTexts is what production answers to sample texts.
var ErrSampleTexts = errors.New("sample texts are shown (sample: true): have a lawyer write yours, and name their folder in LEGAL_DIR")

// Samples names the documents that are shown as the sample has them.
func Samples(library *legal.Library) error {
	if documents := library.Samples(time.Now()); len(documents) > 0 {
		return fmt.Errorf("of %s %w", strings.Join(documents, ", "), ErrSampleTexts)
	}
	return nil
}

// Check implements Group.
func (l *Legal) Check(mode Mode) error {
	library, err := l.Library("the brand", "support", "coins") // which are of other groups
	if err != nil || mode != Production {
		return err
	}
	if err := Samples(library); err != nil {
		return fmt.Errorf("%w; %s does not start with them", err, mode)
	}
	return nil
}
