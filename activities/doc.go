// Package activities touches the world for the workflows: load, one provider
// call, one database transaction.
//
// Invariants:
//
//   - What moves money follows its recipe in three strokes: commit that it is
//     about to be sent; when that was committed before, look up first; send, and
//     commit what came of it. An attempt may die between any two strokes.
//   - An activity never starts a workflow and never decides what comes next.
//   - Errors leave here through Classify: a class and a code, no provider text.
//     What the provider said goes to the order's row, for staff.
//   - Each struct holds the one provider its process has the key of.
package activities
