package casework

// DecisionDone is the outcome of a decision that was carried out.
const DecisionDone = "done"
