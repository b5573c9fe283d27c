package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// photograph takes the pictures of README and docs of the stack with its month:
// a browser walks through an order as a customer, an admin and an operator.
func (m *month) photograph(ctx context.Context) error {
	m.say("the pictures are taken")
	walk := exec.CommandContext(ctx, "npx", "--no-install", "playwright", "test", "-c", "e2e/pictures/playwright.config.ts", "--reporter=line")
	walk.Dir, walk.Stdout, walk.Stderr = "web", m.out, m.out
	walk.Env = append(os.Environ(), "NO_COLOR=1", "E2E_SITE_URL="+m.stack.SiteURL(), "E2E_SANDBOX_URL="+m.stack.SandboxURL(),
		"E2E_IDENTITY_URL="+m.stack.IdentityURL(), "E2E_TEMPORAL_UI_URL="+m.stack.TemporalUIURL())
	if err := walk.Run(); err != nil {
		return fmt.Errorf("take the pictures: %w", err)
	}
	return nil
}
