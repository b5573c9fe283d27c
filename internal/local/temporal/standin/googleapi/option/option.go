// Package option has the options of Google's clients.
package option

import "golang.org/x/oauth2"

// ClientOption is an option of a client.
type ClientOption interface{ tokens() oauth2.TokenSource }

// WithTokenSource sets the source of a client's tokens.
func WithTokenSource(source oauth2.TokenSource) ClientOption { return withTokens{source} }

type withTokens struct{ source oauth2.TokenSource }

func (w withTokens) tokens() oauth2.TokenSource { return w.source }
