package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/doctor"
)

// elsewhere are faults of the drill's world: its domains have no records, and its bucket is a folder.
var elsewhere = []string{"mail.spf", "mail.dkim", "mail.dmarc"}

// doctor runs the service doctor, and fails on a fault that is not the world's.
func (c *cluster) doctor(ctx context.Context) error {
	said, err := c.once(ctx, "doctor", nil, "/app/api", "doctor", "--json")
	var report doctor.Report
	if bad := json.Unmarshal([]byte(said), &report); bad != nil {
		return fmt.Errorf("doctor says no report: %w %w\n%s", bad, err, said)
	}
	var faults []string
	for _, result := range report.Results {
		for _, f := range result.Findings {
			fmt.Printf("· doctor: %s %s: %s\n", f.Level, result.Check, f.Says)
			if f.Level == doctor.Fault && !slices.Contains(elsewhere, result.Check) {
				faults = append(faults, result.Check+": "+f.Says)
			}
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("doctor finds\n%s", strings.Join(faults, "\n"))
	}
	return nil
}
