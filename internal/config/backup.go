package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	secrets "github.com/tradepost/tradepost/internal/secret"
)

// Backups is where backups are kept, and the key that opens them.
type Backups struct {
	URL       string `name:"backup-url" env:"BACKUP_URL" required:"" ask:"may" suggest:"{BACKUPS}" help:"Bucket for backups: s3://bucket or file:///folder."`
	Key       string `name:"backup-key" env:"BACKUP_KEY" required:"" make:"key" tell:"Keep a copy elsewhere than the bucket of backups: without it none can be opened." help:"Base64 of 32 random bytes, which seals backups; after a comma earlier ones, which only open them."`
	AccessKey string `name:"backup-access-key-id" env:"BACKUP_ACCESS_KEY_ID" ask:"may" when:"backups" with:"BACKUP_SECRET_ACCESS_KEY" suggest:"{AWS_ACCESS_KEY_ID}" help:"Access key of the bucket for backups; empty for the one that AWS' library finds."`
	Secret    string `name:"backup-secret-access-key" env:"BACKUP_SECRET_ACCESS_KEY" ask:"may" when:"backups" suggest:"{AWS_SECRET_ACCESS_KEY}" help:"Its secret."`
}

// Check implements Group.
func (b *Backups) Check(mode Mode) error {
	var wrong []error
	var err error
	if b.URL, err = bucketURL(b.URL); err != nil {
		wrong = append(wrong, errors.New("BACKUP_URL must be a bucket such as s3://bucket or file:///folder"))
	}
	if _, err := b.Keys(); err != nil {
		wrong = append(wrong, err)
	}
	current, _, _ := strings.Cut(b.Key, ",")
	if key, err := base64.StdEncoding.DecodeString(current); mode.Strict() && err == nil && strings.Count(string(key), string(key[:min(1, len(key))])) == len(key) {
		wrong = append(wrong, fmt.Errorf("BACKUP_KEY is one byte repeated; %s needs 32 random bytes", mode))
	}
	if (b.AccessKey == "") != (b.Secret == "") {
		wrong = append(wrong, errors.New("BACKUP_ACCESS_KEY_ID and BACKUP_SECRET_ACCESS_KEY belong together"))
	}
	return errors.Join(wrong...)
}

// Keys seal backups and open them.
func (b *Backups) Keys() (*secrets.Keys, error) {
	keys, err := secrets.ParseKeys(b.Key)
	if err != nil {
		return nil, errors.New("BACKUP_KEY must be base64 of exactly 32 bytes, or several with commas between them")
	}
	return keys, nil
}

// Archiving is what is backed up, and how often.
type Archiving struct {
	DatabaseURL string        `name:"backup-database-url" env:"BACKUP_DATABASE_URL" required:"" help:"Postgres, as a role that may replicate."`
	Every       time.Duration `name:"backup-every" env:"BACKUP_EVERY" default:"10s" help:"How often what was committed is stored: about as much can be lost."`
	BaseEvery   time.Duration `name:"backup-base-every" env:"BACKUP_BASE_EVERY" default:"24h" help:"Time between two base backups; a restore replays what was written since."`
	Keep        time.Duration `name:"backup-keep" env:"BACKUP_KEEP" default:"336h" help:"How far back a restore can go."`
}

// Check implements Group.
func (a *Archiving) Check(Mode) error {
	err := postgresURL("BACKUP_DATABASE_URL", a.DatabaseURL)
	if a.Every < time.Second || a.Every > 30*time.Second {
		err = errors.Join(err, errors.New("BACKUP_EVERY must be from 1s to 30s"))
	}
	if a.BaseEvery < time.Minute || a.Keep < a.BaseEvery {
		err = errors.Join(err, errors.New("BACKUP_BASE_EVERY must be at least 1m, and BACKUP_KEEP at least as long"))
	}
	return err
}
