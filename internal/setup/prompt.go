package setup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// prompt asks a person, one line an answer.
type prompt struct {
	ctx      context.Context
	terminal *os.File
	lines    *bufio.Reader
	out      io.Writer
}

func newPrompt(ctx context.Context, terminal *os.File, out io.Writer) *prompt {
	return &prompt{ctx: ctx, terminal: terminal, lines: bufio.NewReader(terminal), out: out}
}

// What a terminal that is closed comes to, and a person who breaks off.
var (
	errEnded     = errors.New("nothing was written: the answers ended before the questions did")
	errBrokenOff = errors.New("nothing was written")
)

// line reads one line, unseen where it is a secret.
func (p *prompt) line(secret bool) (string, error) {
	if secret {
		restore, err := quiet(p.terminal)
		if err != nil {
			return "", err
		}
		defer func() {
			restore()
			fmt.Fprintln(p.out)
		}()
	}
	fmt.Fprint(p.out, "> ")
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := p.lines.ReadString('\n')
		done <- read{text, err}
	}()
	select {
	case <-p.ctx.Done():
		return "", errBrokenOff
	case got := <-done:
		if p.ctx.Err() != nil {
			return "", errBrokenOff
		}
		if got.err != nil {
			return "", errEnded
		}
		return strings.TrimSpace(got.text), nil
	}
}

// confirm asks a question that is answered with y, or with anything else for no.
func (p *prompt) confirm(question string) (bool, error) {
	fmt.Fprintf(p.out, "\n%s [y/N] ", question)
	answer, err := p.line(false)
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"), err
}

// ask asks for a setting, and for the one that belongs to it, until both are accepted.
func (s *session) ask(one setting) error {
	asks := []setting{one}
	if partner := s.declaration(one.with); one.with != "" && partner != nil {
		asks = append(asks, *partner)
	}
	s.asked++
	s.introduce(asks)
	for {
		values, err := s.answer(asks)
		if err != nil {
			return err
		}
		faults := s.accept(asks, values)
		if len(faults) == 0 {
			return nil
		}
		for _, fault := range faults {
			fmt.Fprintf(s.options.Out, "   %v\n", fault)
		}
	}
}

// introduce writes a question, its explanation, and the answer that Enter accepts.
func (s *session) introduce(asks []setting) {
	title := asks[0].name
	if len(asks) > 1 {
		title += " and " + asks[1].name + ", with a blank between"
	}
	fmt.Fprintf(s.options.Out, "\n%2d %s\n   %s\n", s.asked, title, asks[0].help)
}

// offered is what Enter accepts, as it is shown.
func (s *session) offered(asks []setting) string {
	var shown []string
	for _, one := range asks {
		value := s.proposal(one)
		if value == "" {
			continue
		}
		if one.secret() {
			value = "…"
		}
		shown = append(shown, value)
	}
	switch {
	case len(shown) > 0:
		return "[" + strings.Join(shown, " ") + "] "
	case asks[0].ask != must:
		return "[empty] "
	}
	return ""
}

// answer reads the values of what is asked together.
func (s *session) answer(asks []setting) ([]string, error) {
	hidden := false
	for _, one := range asks {
		hidden = hidden || one.secret()
	}
	fmt.Fprint(s.options.Out, "   "+s.offered(asks))
	text, err := s.prompt.line(hidden)
	if err != nil {
		return nil, err
	}
	values := make([]string, len(asks))
	switch {
	case text == "":
		for i, one := range asks {
			values[i] = s.proposal(one)
		}
	case text == "-":
	case len(asks) == 1:
		values[0] = text
	default:
		parts := strings.Fields(text)
		copy(values, parts)
		if len(parts) == 1 {
			fmt.Fprintf(s.options.Out, "   %s ", asks[1].name)
			if values[1], err = s.prompt.line(hidden); err != nil {
				return nil, err
			}
		}
		if len(parts) > len(asks) {
			values = nil
		}
	}
	return values, nil
}

// accept takes values over if every program that reads them does; otherwise it returns why not.
func (s *session) accept(asks []setting, values []string) []error {
	if values == nil {
		return []error{fmt.Errorf("%s and %s are two values with a blank between", asks[0].name, asks[1].name)}
	}
	var faults []error
	for i, one := range asks {
		if values[i] == "" && one.ask == must {
			faults = append(faults, fmt.Errorf("%s needs an answer", one.name))
		}
		s.values[one.name] = values[i]
	}
	for _, one := range asks {
		if fault := form(s.values[one.name]); fault != nil {
			faults = append(faults, fmt.Errorf("%s %w", one.name, fault))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	for _, one := range asks {
		if !s.excused(one) {
			faults = append(faults, s.reasons(one.name)...)
		}
	}
	return once(faults)
}
