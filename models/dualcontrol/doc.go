// Package dualcontrol decides what one member of staff may do alone, over all objects that value flows through.
//
// An action that rests on one person's statement is stored as an attestation, in the action's transaction. Invariants:
//
//   - CheckRelease is the only rule on who may release value. Every path that lets money or coin leave calls it when the
//     decision is made, and again when it is executed.
//   - CheckIntake is the only rule on how much may rest on one person's statement within a day.
//   - An attestation is never changed, except that it is seconded, withdrawn or marked as credited, each once.
//
// The rules are those of decision 56 (docs/decisions/0056-attestations.md).
package dualcontrol
