package doctor

import (
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes the report for programs.
func (r Report) WriteJSON(out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// WriteText writes a line for each check, and below it what to do.
func (r Report) WriteText(out io.Writer) {
	counts := map[Level]int{}
	for _, result := range r.Results {
		counts[result.Level]++
		fmt.Fprintf(out, "%-8s %-22s %s\n", result.Level, result.Check, result.line())
		for _, f := range result.Findings {
			if f.Level != Fault && f.Level != Warning {
				continue
			}
			fmt.Fprintf(out, "         %s %s: %s\n", f.Level, f.ID, f.Says)
			fmt.Fprintf(out, "           → %s\n", f.Do)
		}
	}
	fmt.Fprintf(out, "\n%s: %d are well, %d skipped; %s.\n", counted(len(r.Results), "check"), counts[OK], counts[Skipped], r.Summary())
}

// Summary counts what was found.
func (r Report) Summary() string {
	return counted(r.Faults, "fault") + " and " + counted(r.Warnings, "warning")
}

// counted is a number of things.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// line is the text beside a check's name: why it was skipped, what it notes, or what it
// checked.
func (r Result) line() string {
	if (r.Level == Skipped || r.Level == OK) && len(r.Findings) > 0 {
		return r.Looks + ": " + r.Findings[0].Says
	}
	return r.Looks
}
