// Package clients holds no code of ours that runs: its tests point the providers' public
// npm clients, unmodified, at the sandbox server. What they accept, sign and refuse is
// independent of our simulators and adapters.
package clients
