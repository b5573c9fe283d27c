package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// restorePage has the commands of a restore, which the drill runs as they are written there.
const restorePage = "docs/restore.md"

// block is a block of commands of a page.
var block = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```")

// pageCommands are the commands of one chapter of a page, in their order.
func pageCommands(root, page, chapter string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		return nil, err
	}
	_, rest, found := strings.Cut(string(text), "\n## "+chapter+"\n")
	if !found {
		return nil, fmt.Errorf("%s has no chapter %q", page, chapter)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	var commands []string
	for _, lines := range block.FindAllStringSubmatch(rest, -1) {
		for line := range strings.Lines(lines[1]) {
			if line = strings.TrimSpace(line); line != "" {
				commands = append(commands, line)
			}
		}
	}
	return commands, nil
}

// step is a command of the page as the drill runs it.
type step struct {
	kind string   // down, volume, run, up
	name string   // of the volume or the service
	args []string // of a command that a service runs
}

var (
	downCommand   = regexp.MustCompile(`^docker compose down$`)
	volumeCommand = regexp.MustCompile(`^docker volume rm -f tradepost_([a-z-]+)$`)
	upCommand     = regexp.MustCompile(`^docker compose up -d(?: --wait)?(?: ([a-z-]+))?$`)
	runCommand    = regexp.MustCompile(`^docker compose run --rm(?: --build)? ([a-z-]+)(?: (.+))?$`)
	word          = regexp.MustCompile(`"([^"]*)"|(\S+)`)
)

// stepOf parses a command of the page. It returns an error for an unknown command: the drill would not follow the page.
func stepOf(command string) (step, error) {
	if downCommand.MatchString(command) {
		return step{kind: "down"}, nil
	}
	if found := volumeCommand.FindStringSubmatch(command); found != nil {
		return step{kind: "volume", name: found[1]}, nil
	}
	if found := upCommand.FindStringSubmatch(command); found != nil {
		return step{kind: "up", name: found[1]}, nil
	}
	found := runCommand.FindStringSubmatch(command)
	if found == nil {
		return step{}, fmt.Errorf("%s: the drill does not know the command %q", restorePage, command)
	}
	made := step{kind: "run", name: found[1]}
	for _, one := range word.FindAllStringSubmatch(found[2], -1) {
		made.args = append(made.args, one[1]+one[2])
	}
	return made, nil
}

// exampleAdmin is the page's placeholder for an admin's address.
const exampleAdmin = "you@your-company.com"

// follow runs a command of the page. ran are the services that ran before.
func (c *cluster) follow(ctx context.Context, command string, ran []string) error {
	fmt.Println("·", command)
	s, err := stepOf(command)
	if err != nil {
		return err
	}
	switch s.kind {
	case "down":
		left := func(name string) bool { return name == "world" || !c.began[name] }
		return c.down(ctx, slices.DeleteFunc(slices.Clone(ran), left)...)
	case "volume":
		return c.emptied(ctx, s.name)
	case "up":
		return c.upAll(ctx, s.name, ran)
	}
	if s.name == "restore" {
		return c.fromArchive(ctx)
	}
	for i, arg := range s.args {
		if arg == exampleAdmin {
			s.args[i] = c.admin
		}
	}
	said, err := c.once(ctx, s.name, nil, s.args...)
	fmt.Println(said)
	return errors.Join(err, expected(command, said))
}

// upAll starts one service with those it depends on, or all that ran.
func (c *cluster) upAll(ctx context.Context, name string, ran []string) error {
	if name != "" {
		ran = []string{name}
	}
	for _, one := range ran {
		if err := c.up(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// emptied replaces a volume by an empty one.
func (c *cluster) emptied(ctx context.Context, name string) error {
	volume := c.project.Volumes[name].Name
	if _, err := c.podman(ctx, "volume", "rm", volume); err != nil {
		return err
	}
	_, err := c.podman(ctx, "volume", "create", volume)
	return err
}

// outcomes maps a part of a command to the text that it must print.
var outcomes = map[string]string{
	"switches off":  "deliveries: off",
	"switches show": "deliveries: off since",
	"switches on":   "deliveries: on",
	"audit verify":  "The audit log is as it was sealed",
}

// expected returns an error if a command did not print what it has to.
func expected(command, said string) error {
	for part, want := range outcomes {
		if strings.Contains(command, part) && !strings.Contains(said, want) {
			return fmt.Errorf("%s does not say %q but\n%s", command, want, said)
		}
	}
	return nil
}
