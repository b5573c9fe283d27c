package store

// ResealBatch bounds the cards sealed anew in one round.
const ResealBatch = 100
