// Package activities executes the workflows' effects: load, one provider call, one database
// transaction.
//
// Invariants:
//
//   - What moves money follows its recipe in three strokes: commit that it is about to be
//     sent; when that was committed before, look up first; send, and commit the outcome. An
//     attempt may die between any two strokes.
//   - An activity never starts a workflow and never decides the next step.
//   - Errors leave here through Classify: a class and a code, no provider text. The
//     provider's text is stored on the order's row, for staff.
//   - Each struct holds the one provider its process has the key of.
package activities
