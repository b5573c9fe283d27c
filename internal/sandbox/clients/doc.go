// Package clients holds no code of ours that runs: its tests point the
// providers' public npm clients, unmodified, at the sandbox server. What they
// accept, sign and refuse is a judgement that neither our simulators nor our
// adapters had a hand in.
package clients
