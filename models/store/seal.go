package store

// ResealBatch bounds the cards sealed again in one round.
const ResealBatch = 100
